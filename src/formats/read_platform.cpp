// Platform files. All keys and most ranges are in the table of fields of a platform, which the
// writer uses as well. The checks below are what a range of one number cannot say.
//
// From version 2 on, intervals may take the place of numbers. They are taken out before the table
// is read, so that the table and all who use a platform know numbers alone: the geometric means.
// Version 3 has banks, whose sum is the RAM of the chip for all who do not ask where it is.

#include "formats/read_inputs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "formats/json/json_cursor.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "model/fields.hpp"

namespace poet {
namespace {

using Pointer = nlohmann::json::json_pointer;

constexpr std::size_t kMaxOps = 1000;
constexpr std::int64_t kMaxElementBytes = 16;  // a complex number of two doubles
/// No chip has as many; a search over banks tries them all.
constexpr std::size_t kMaxBanks = 16;
constexpr std::size_t kMaxBankName = 32;

/// What the table of fields does not say.
void check_platform(const JsonCursor& root, const Platform& platform) {
  if (platform.name.empty()) {
    root.required("name").fail_expecting("a name of at least one character");
  }
  if (platform.element_bytes < 1 || platform.element_bytes > kMaxElementBytes) {
    root.required("element_bytes").integer(1, kMaxElementBytes);
  }
  if (!platform.ops.empty()) {
    for (const auto& [op, rates] : root.required("ops").members(kMaxOps)) {
      if (platform.ops.at(op) != OpRates{}) continue;
      rates.fail_expecting("flops_per_second, flops_per_joule or both");
    }
  }
  // So that their product with the bytes of storage, the wear of a step, is a number.
  if (platform.erase_cycles.value_or(0) > static_cast<double>(kMaxBytes)) {
    root.required("erase_cycles").fail_expecting("a number above 0 and of at most 2^53");
  }
}

/// A name becomes a part of macros and file names.
bool is_bank_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxBankName || name[0] < 'a' || name[0] > 'z') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// What training keeps is in a single memory, and not in flash.
void check_keeper(const JsonCursor& bank, const Platform& platform) {
  const JsonCursor at = bank.required("keeps_parameters");
  if (platform.parameters_in == ParametersIn::flash) {
    at.fail_expecting("no such key beside parameters_in flash");
  }
  for (const MemoryBank& other : platform.banks) {
    if (other.keeps_parameters) at.fail_expecting("one bank at most that keeps parameters");
  }
}

void read_banks(const JsonCursor& root, Platform& platform) {
  const auto list = root.optional("banks");
  if (!list) return;
  Bytes sum = 0;
  for (const JsonCursor& at : list->elements(kMaxBanks)) {
    auto bank = read_struct<MemoryBank>(at);
    if (!is_bank_name(bank.name)) {
      at.required("name").fail_expecting(
          "a small letter, and then small letters, digits and '_', 32 in all at most");
    }
    for (const MemoryBank& other : platform.banks) {
      if (other.name == bank.name) at.required("name").fail_expecting("a name of its own");
    }
    if (bank.keeps_parameters) check_keeper(at, platform);
    sum += bank.bytes;
    if (sum > kMaxBytes) at.required("bytes").fail_expecting("banks of 2^53 bytes in all at most");
    platform.banks.push_back(std::move(bank));
  }
  if (platform.banks.empty()) list->fail_expecting("at least one bank, or no such key");
  if (platform.ram_bytes.value_or(sum) != sum) {
    root.required("ram_bytes")
        .fail_expecting(fmt::format("{}, the sum of the banks, or no such key", sum));
  }
  platform.ram_bytes = sum;
}

/// Prices of a flash that keeps no parameters would be read by nobody.
void read_flash_prices(const JsonCursor& root, Platform& platform) {
  read_fields(root, platform, kFlashPriceFields);
  const bool has_flash = platform.flash_bytes || platform.parameters_in == ParametersIn::flash;
  for (const char* const key : {"flash_bytes_per_second", "flash_joules_per_byte"}) {
    const auto price = root.optional(key);
    if (!price || has_flash) continue;
    price->fail_expecting("flash_bytes, or parameters_in flash, beside it");
  }
}

/// The places of the figures that may be intervals, as far as the document has them.
std::vector<Pointer> places_of_intervals(const nlohmann::json& document) {
  std::vector<Pointer> places;
  const auto add = [&](const Pointer& place) {
    if (document.contains(place)) places.push_back(place);
  };
  for (const char* const place : {"/flops_per_joule", "/memory_power_watts", "/page_in/power_watts",
                                  "/page_out/power_watts", "/flops_per_second"}) {
    add(Pointer(place));
  }
  const auto ops = document.find("ops");
  if (ops == document.end() || !ops->is_object()) return places;
  for (const auto& [op, rates] : ops->items()) {
    for (const char* const rate : {"flops_per_joule", "flops_per_second"}) {
      add(Pointer("/ops") / op / rate);
    }
  }
  return places;
}

JsonCursor at_place(const JsonCursor& root, Pointer place) {
  std::vector<std::string> keys;
  for (; !place.empty(); place.pop_back()) keys.push_back(place.back());
  JsonCursor at = root;
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) at = at.required(*key);
  return at;
}

FigureInterval read_interval(const JsonCursor& at) {
  constexpr const char* kExpected = "a number, or [LOW, HIGH] with LOW above 0 and below HIGH";
  const std::vector<JsonCursor> ends = at.elements(2);
  if (ends.size() != 2) at.fail_expecting(kExpected);
  FigureInterval interval{
      .figure = at.path(), .low = ends[0].positive(), .high = ends[1].positive()};
  if (!(interval.low < interval.high)) at.fail_expecting(kExpected);
  return interval;
}

/// Replaces each interval by its geometric mean.
std::vector<FigureInterval> take_intervals(nlohmann::json& document, const JsonCursor& root,
                                           bool is_newer) {
  std::vector<FigureInterval> intervals;
  std::vector<std::pair<Pointer, double>> means;
  for (const Pointer& place : places_of_intervals(document)) {
    if (!document.at(place).is_array()) continue;
    const JsonCursor at = at_place(root, place);
    if (!is_newer) at.fail_expecting("a number; version 2 of the file has intervals");
    intervals.push_back(read_interval(at));
    means.emplace_back(place, middle_of(intervals.back()));
  }
  for (const auto& [place, mean] : means) document[place] = mean;
  std::stable_partition(intervals.begin(), intervals.end(),
                        [](const auto& each) { return is_energy_figure(each.figure); });
  const auto energies = std::count_if(intervals.begin(), intervals.end(), [](const auto& each) {
    return is_energy_figure(each.figure);
  });
  if (static_cast<std::size_t>(energies) > kMaxEnergyIntervals) {
    root.fail(
        fmt::format("found {} intervals of energy figures; expected {} at most, as an answer "
                    "looks at all of their ends together",
                    energies, kMaxEnergyIntervals));
  }
  return intervals;
}

/// The figures of a document: its numbers, but for what is a choice and no property of a board.
void add_figures(const nlohmann::json& value, const std::string& place,
                 std::vector<std::string>& figures) {
  if (value.is_number()) figures.push_back(place);
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    if (place.empty() && (key == "version" || key == "element_bytes" || key == "sources")) continue;
    add_figures(member, (Pointer(place) / key).to_string(), figures);
  }
}

void add_figures_of_banks(const nlohmann::json& document, std::vector<std::string>& figures) {
  const auto banks = document.find("banks");
  if (banks == document.end()) return;
  for (std::size_t i = 0; i < banks->size(); ++i) {
    add_figures(banks->at(i), (Pointer("/banks") / i).to_string(), figures);
  }
}

bool is_covered(const Platform& platform, std::string_view figure) {
  return std::any_of(platform.sources.begin(), platform.sources.end(), [&](const auto& source) {
    return figure == source.first || figure.starts_with(source.first + "/");
  });
}

/// Every figure of a measured platform has a line that says where it comes from, and every line is
/// about a figure.
void check_sources(const nlohmann::json& document, const JsonCursor& root,
                   const Platform& platform) {
  std::vector<std::string> figures;
  add_figures(document, "", figures);
  add_figures_of_banks(document, figures);
  for (const auto& source : platform.sources) {
    const auto& place = source.first;
    const bool is_about_one = std::any_of(figures.begin(), figures.end(), [&](const auto& figure) {
      return figure == place || figure.starts_with(place + "/");
    });
    const JsonCursor at = root.required("sources").required(place);
    if (!is_about_one) at.fail("found a source of no figure; expected a pointer such as /page_in");
    if (source.second.empty()) at.fail_expecting("where the figure comes from");
  }
  if (platform.standing != Standing::measured) return;
  for (const std::string& figure : figures) {
    if (is_covered(platform, figure)) continue;
    root.fail(
        fmt::format("found no source of the figure {}; expected one in 'sources', as the standing "
                    "is measured",
                    figure));
  }
}

}  // namespace

Platform read_platform(std::string_view text, const std::string& source) {
  const nlohmann::json stated = parse_json(text, source);
  const JsonCursor stated_root(stated, source);
  const std::int64_t version = expect_format(stated_root, "poet-platform", 1, 3);
  const bool is_newer = version >= 2;
  std::vector<std::string_view> keys{"format", "version"};
  append_keys(keys, kFields<Platform>);
  if (is_newer) append_keys(keys, kNewPlatformFields);
  if (version >= 3) {
    append_keys(keys, kFlashPriceFields);
    keys.emplace_back("banks");
  }
  stated_root.allow_only(keys);
  nlohmann::json document = stated;
  Platform platform;
  platform.intervals = take_intervals(document, stated_root, is_newer);
  const JsonCursor root(document, source);
  read_fields(root, platform, kFields<Platform>);
  check_platform(root, platform);
  if (!is_newer) return platform;
  read_fields(root, platform, kNewPlatformFields);
  if (!platform.standing) root.required("standing");
  if (version >= 3) {
    read_banks(root, platform);
    read_flash_prices(root, platform);
  }
  check_sources(document, root, platform);
  return platform;
}

}  // namespace poet

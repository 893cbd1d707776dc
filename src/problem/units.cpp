#include "poet/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "io/text/shown.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

constexpr std::string_view kDigits = "0123456789";

struct Unit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<Unit, 7> kSizeUnits{{{"b", 1},
                                          {"kb", 1'000},
                                          {"mb", 1'000'000},
                                          {"gb", 1'000'000'000},
                                          {"kib", std::int64_t{1} << 10},
                                          {"mib", std::int64_t{1} << 20},
                                          {"gib", std::int64_t{1} << 30}}};

struct TimeUnit {
  std::string_view name;
  double seconds;
};
constexpr std::array<TimeUnit, 5> kTimeUnits{
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"h", 3600}}};

[[noreturn]] void fail_size(std::string_view text) {
  throw InputError(
      fmt::format("found '{}', expected a size from 1 byte to 2^53 bytes such as "
                  "737719, 256KiB or 1.5MB, or a share above 0 such as 60%",
                  shown(text)));
}

[[noreturn]] void fail_time(std::string_view text) {
  throw InputError(
      fmt::format("found '{}', expected a multiple of at least 1 such as 1.5, or a "
                  "time above 0 such as 12.5s, 800ms, 250us, 2min or 1h",
                  shown(text)));
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// from_chars and not strtod: the point is a point whatever the user's locale says.
std::optional<double> to_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || !std::isfinite(value)) return {};
  return value;
}

struct Split {
  std::string_view number;
  std::string suffix;  ///< in lower case
};

// The suffix is whatever letters stand at the end; one run of blanks may come before it.
Split split_suffix(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && (kDigits.find(text[end - 1]) == std::string_view::npos) &&
         text[end - 1] != '.' && text[end - 1] != ' ') {
    --end;
  }
  std::string_view number = text.substr(0, end);
  while (number.ends_with(' ')) number.remove_suffix(1);
  return {number, lower_case(text.substr(end))};
}

// digits[.digits] * unit, rounded down exactly: 0.29GB is 290000000 bytes, which a double would
// miss. Each fraction digit adds digit * unit / 10^place; the nested floors equal the floor of
// the sum.
std::optional<Bytes> exact_bytes(std::string_view number, std::int64_t unit) {
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, point);
  const std::string_view fraction =
      point < number.size() ? number.substr(point + 1) : std::string_view{};
  const auto only_digits = [](std::string_view part) {
    return part.find_first_not_of(kDigits) == std::string_view::npos;
  };
  if (whole.empty() || !only_digits(whole) || !only_digits(fraction)) return {};
  if (point < number.size() && fraction.empty()) return {};
  std::int64_t count = 0;
  const auto parsed = std::from_chars(whole.data(), whole.data() + whole.size(), count);
  if (parsed.ec != std::errc{} || count > kMaxBytes / unit) return {};
  std::int64_t part = 0;
  for (std::size_t i = fraction.size(); i > 0; --i) {
    part = ((fraction[i - 1] - '0') * unit + part) / 10;
  }
  return count * unit + part;
}

struct Prefix {
  double factor;
  std::string_view name;
};

// The largest prefix that leaves at least 1; 999.96 rounds to 1000 and so moves up one prefix.
std::string with_prefix(double value, std::string_view unit) {
  constexpr std::array<Prefix, 9> kPrefixes{{{1e-15, "f"},
                                             {1e-12, "p"},
                                             {1e-9, "n"},
                                             {1e-6, "u"},
                                             {1e-3, "m"},
                                             {1, ""},
                                             {1e3, "k"},
                                             {1e6, "M"},
                                             {1e9, "G"}}};
  const double size = std::abs(value);
  if (size == 0 || !std::isfinite(value)) return fmt::format("{} {}", value + 0.0, unit);
  for (const Prefix& prefix : kPrefixes) {
    if (size / prefix.factor >= 999.95) continue;
    return fmt::format("{:.4g} {}{}", value / prefix.factor, prefix.name, unit);
  }
  return fmt::format("{:.4g} {}{}", value / kPrefixes.back().factor, kPrefixes.back().name, unit);
}

}  // namespace

RamBudget parse_ram_budget(std::string_view text) {
  const Split split = split_suffix(text);
  if (split.suffix == "%") {
    const std::optional<double> percent = to_number(split.number);
    if (!percent || !(*percent / 100 > 0)) fail_size(text);
    return Ratio{*percent / 100};
  }
  const std::string_view suffix = split.suffix.empty() ? "b" : std::string_view(split.suffix);
  const auto unit = std::find_if(kSizeUnits.begin(), kSizeUnits.end(),
                                 [&](const Unit& candidate) { return candidate.name == suffix; });
  if (unit == kSizeUnits.end()) fail_size(text);
  const std::optional<Bytes> bytes = exact_bytes(split.number, unit->bytes);
  if (!bytes || *bytes < 1 || *bytes > kMaxBytes) fail_size(text);
  return *bytes;
}

RuntimeBudget parse_runtime_budget(std::string_view text) {
  const Split split = split_suffix(text);
  const std::optional<double> number = to_number(split.number);
  if (!number || !(*number > 0)) fail_time(text);
  if (split.suffix.empty()) {
    if (*number < 1) fail_time(text);
    return Ratio{*number};
  }
  const auto unit =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                   [&](const TimeUnit& candidate) { return candidate.name == split.suffix; });
  if (unit == kTimeUnits.end()) fail_time(text);
  const Seconds seconds = *number * unit->seconds;
  if (!std::isfinite(seconds) || !(seconds > 0)) fail_time(text);
  return RuntimeBudget(std::in_place_type<double>, seconds);
}

std::string format_bytes(Bytes bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes > -1024 && bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.5 and more would print as 1024 of the smaller unit.
  while (std::abs(value) >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, kUnits[unit]);
}

std::string format_joules(Joules energy) {
  return with_prefix(energy, "J");
}

std::string format_seconds(Seconds time) {
  return with_prefix(time, "s");
}

}  // namespace poet

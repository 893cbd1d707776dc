// What a user may write for a budget, and what it comes to. A budget is stated in absolute terms or
// relative to the baseline, which is known only once the graph has costs; so parsing and resolving
// are two steps. Nothing here rounds up: a schedule that fits the resolved budget fits the stated
// one.

#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/problem.hpp"
#include "problem/fields.hpp"

namespace poet {
namespace {

[[noreturn]] void fail_size(std::string_view text) {
  throw InputError(
      fmt::format("found '{}', expected a size from 1 byte to 2^53 bytes such as "
                  "737719, 256K or 1.5MB, a share above 0 such as 60% or 0.6, min or chip",
                  printable(text)));
}

[[noreturn]] void fail_time(std::string_view text) {
  throw InputError(
      fmt::format("found '{}', expected a multiple of at least 1 such as 1.5 or 1.5x, or "
                  "a time above 0 such as 12.5s, 800ms, 250us, 2min or 1h",
                  printable(text)));
}

Bytes bytes_of(NamedRam name, const NamedRamBytes& named) {
  if (name == NamedRam::smallest) {
    if (named.smallest) return *named.smallest;
    throw InputError("found 'min', which only a search turns into bytes; expected a size");
  }
  if (named.chip) return *named.chip;
  throw InputError(
      "found 'chip', but no platform states the RAM of its chip; expected a size such as 256K or "
      "60%, or a platform file with \"ram_bytes\"");
}

std::string_view without_blanks_at_end(std::string_view text) {
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string_view technique_set_name(const TechniqueSet& set) {
  return name_of(set);
}

Bytes parse_size(std::string_view text) {
  if (const std::optional<Bytes> bytes = parse_bytes(text)) return *bytes;
  throw InputError(
      fmt::format("found '{}', expected a size from 0 to 2^53 bytes such as 737719, 256K or 1.5MB",
                  printable(text)));
}

RamBudget parse_ram_budget(std::string_view text) {
  if (text == "min") return NamedRam::smallest;
  if (text == "chip") return NamedRam::chip;
  if (text.ends_with('%')) {
    const auto percent = parse_number(without_blanks_at_end(text.substr(0, text.size() - 1)));
    if (!percent || !(*percent / 100 > 0)) fail_size(text);
    return Ratio{*percent / 100};
  }
  const auto share = parse_number(without_blanks_at_end(text));
  // Not `.6`, which a range with a dot too many ends in.
  if (share && text.starts_with('0') && *share > 0 && *share < 1) return Ratio{*share};
  const std::optional<Bytes> bytes = parse_bytes(text);
  if (!bytes || *bytes < 1) fail_size(text);
  return *bytes;
}

RuntimeBudget parse_runtime_budget(std::string_view text) {
  std::string_view number = text;
  const double unit = number.ends_with('%') ? 100 : 1;
  if (number.ends_with('x') || number.ends_with('%')) number.remove_suffix(1);
  if (const auto multiple = parse_number(without_blanks_at_end(number))) {
    if (!(*multiple / unit >= 1)) fail_time(text);
    return Ratio{*multiple / unit};
  }
  const std::optional<Seconds> seconds = parse_seconds(text);
  if (!seconds || !(*seconds > 0)) fail_time(text);
  return RuntimeBudget(std::in_place_type<Seconds>, *seconds);
}

bool is_smallest(const RamBudget& budget) {
  const NamedRam* const name = std::get_if<NamedRam>(&budget);
  return name != nullptr && *name == NamedRam::smallest;
}

Bytes resolve(const RamBudget& budget, const Baseline& base, const NamedRamBytes& named) {
  if (const Bytes* bytes = std::get_if<Bytes>(&budget)) return *bytes;
  if (const NamedRam* name = std::get_if<NamedRam>(&budget)) return bytes_of(*name, named);
  const auto share = std::get<Ratio>(budget).value;
  const double wanted = share * static_cast<double>(base.peak_ram_bytes);
  if (wanted > static_cast<double>(kMaxBytes)) {
    throw InputError(fmt::format("{:g} % of the baseline's {} bytes is more than 2^53 bytes",
                                 share * 100, base.peak_ram_bytes));
  }
  // The product is exact for 100 %, so the baseline itself still fits.
  const auto bytes = static_cast<Bytes>(wanted);
  if (bytes < 1) {
    throw InputError(fmt::format("{:g} % of the baseline's {} bytes is less than one byte",
                                 share * 100, base.peak_ram_bytes));
  }
  return bytes;
}

Seconds resolve(const RuntimeBudget& budget, const Baseline& base) {
  const Ratio* const ratio = std::get_if<Ratio>(&budget);
  const Seconds seconds =
      ratio != nullptr ? ratio->value * base.runtime_seconds : std::get<Seconds>(budget);
  if (!std::isfinite(seconds)) {
    throw InputError(fmt::format("{:g} times the baseline's {:g} s is more than a number can hold",
                                 ratio != nullptr ? ratio->value : 1, base.runtime_seconds));
  }
  // Schedule files state the budget as a multiple too.
  if (base.runtime_seconds > 0 && !std::isfinite(seconds / base.runtime_seconds)) {
    throw InputError(
        fmt::format("{:g} s, as a multiple of the baseline's {:g} s, is more than a "
                    "number can hold",
                    seconds, base.runtime_seconds));
  }
  return seconds;
}

}  // namespace poet

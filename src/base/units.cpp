#include "poet/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace poet {
namespace {

constexpr std::string_view kDigits = "0123456789";

struct SizeUnit {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<SizeUnit, 16> kSizeUnits{{{"b", 1},
                                               {"kb", 1'000},
                                               {"mb", 1'000'000},
                                               {"gb", 1'000'000'000},
                                               {"tb", 1'000'000'000'000},
                                               {"pb", 1'000'000'000'000'000},
                                               {"kib", std::int64_t{1} << 10},
                                               {"mib", std::int64_t{1} << 20},
                                               {"gib", std::int64_t{1} << 30},
                                               {"tib", std::int64_t{1} << 40},
                                               {"pib", std::int64_t{1} << 50},
                                               {"k", std::int64_t{1} << 10},
                                               {"m", std::int64_t{1} << 20},
                                               {"g", std::int64_t{1} << 30},
                                               {"t", std::int64_t{1} << 40},
                                               {"p", std::int64_t{1} << 50}}};

struct TimeUnit {
  std::string_view name;
  double seconds;
};
constexpr std::array<TimeUnit, 5> kTimeUnits{
    {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}, {"h", 3600}}};

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

struct Split {
  std::string_view number;
  std::string suffix;  ///< in lower case
};

// Splits `256 KiB` into number and unit: the unit is all that stands after the last digit, point or
// blank. Exponents are left to the number, which ends in a digit.
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

// Computes digits[.digits] * unit, rounded down exactly. A double would not do: 0.29 GB must be
// 290000000 bytes, and 0.29 * 1e9 is less. Each digit of the fraction adds digit * unit / 10^place;
// taking them from the last to the first, the nested floors equal the floor of the sum.
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

std::string four_digits(double value, Zeros zeros) {
  const bool whole = std::abs(value) >= 1000;  // four digits without a fraction
  return whole || zeros == Zeros::dropped ? fmt::format("{:.4g}", value)
                                          : fmt::format("{:#.4g}", value);
}

// Picks the smallest prefix under which the value prints below 1000. 999.96 would print as 1000
// with four digits, so it moves up one prefix.
std::string with_prefix(double value, std::string_view unit, Zeros zeros = Zeros::dropped) {
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
    return fmt::format("{} {}{}", four_digits(value / prefix.factor, zeros), prefix.name, unit);
  }
  const Prefix& largest = kPrefixes.back();
  return fmt::format("{} {}{}", four_digits(value / largest.factor, zeros), largest.name, unit);
}

}  // namespace

// from_chars and not strtod, which reads a comma as the decimal separator in some locales.
std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || !std::isfinite(value)) return {};
  return value;
}

std::optional<Bytes> parse_bytes(std::string_view text) {
  const Split split = split_suffix(text);
  const std::string_view suffix = split.suffix.empty() ? "b" : std::string_view(split.suffix);
  const auto unit =
      std::find_if(kSizeUnits.begin(), kSizeUnits.end(),
                   [&](const SizeUnit& candidate) { return candidate.name == suffix; });
  if (unit == kSizeUnits.end()) return {};
  const std::optional<Bytes> bytes = exact_bytes(split.number, unit->bytes);
  if (!bytes || *bytes > kMaxBytes) return {};
  return bytes;
}

std::optional<Seconds> parse_seconds(std::string_view text) {
  const Split split = split_suffix(text);
  const auto unit =
      std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                   [&](const TimeUnit& candidate) { return candidate.name == split.suffix; });
  const std::optional<double> number = parse_number(split.number);
  if (unit == kTimeUnits.end() || !number) return {};
  const Seconds seconds = *number * unit->seconds;
  if (!std::isfinite(seconds)) return {};
  return seconds;
}

std::string format_bytes(Bytes bytes, Zeros zeros) {
  constexpr std::array<std::string_view, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes > -1024 && bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.5 and more would print as 1024 of the smaller unit.
  while (std::abs(value) >= 1023.5 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", four_digits(value, zeros), kUnits[unit]);
}

std::string format_joules(Joules energy, Zeros zeros) {
  return with_prefix(energy, "J", zeros);
}

std::string format_seconds(Seconds time) {
  return with_prefix(time, "s");
}

}  // namespace poet

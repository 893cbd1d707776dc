// The lists of a sweep as a user types them. Budgets stay as typed here, as shares and names stand
// for other bytes with each subject. Ends of different kinds, such as min..100%, can be compared
// only once a subject is known, in grid.cpp.

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/sweep.hpp"
#include "sweep/fields.hpp"

namespace poet {
namespace {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.push_back(trimmed(text.substr(0, comma)));
    if (parts.back().empty()) {
      throw InputError(parts.size() == 1 && comma == text.size()
                           ? "found nothing; expected a list"
                           : fmt::format("element {} of the list is empty", parts.size()));
    }
    if (comma == text.size()) return parts;
    text.remove_prefix(comma + 1);
  }
}

/// The parts of FIRST..LAST:COUNT. A single value, without dots, has an empty `last`.
struct RangeText {
  std::string_view whole;
  std::string_view first;
  std::string_view last{};
  int count = 1;
};

RangeText split_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return {.whole = text, .first = text};
  const std::size_t colon = text.rfind(':');
  RangeText range{.whole = text, .first = trimmed(text.substr(0, dots))};
  const std::string_view count =
      colon == std::string_view::npos ? std::string_view{} : trimmed(text.substr(colon + 1));
  const char* const end = count.data() + count.size();
  const auto parsed = std::from_chars(count.data(), end, range.count);
  if (count.empty() || colon < dots || parsed.ec != std::errc{} || parsed.ptr != end) {
    throw InputError(
        fmt::format("found '{}'; expected FIRST..LAST:COUNT with the number of budgets as COUNT",
                    printable(text)));
  }
  if (range.count < 2 || range.count > kMaxSweepPoints) {
    throw InputError(fmt::format("found '{}'; a range has from 2 to {} budgets, its ends included",
                                 printable(text), kMaxSweepPoints));
  }
  range.last = trimmed(text.substr(dots + 2, colon - dots - 2));
  return range;
}

[[noreturn]] void fail_order(const RangeText& range) {
  throw InputError(fmt::format("found '{}'; the first budget of a range must be below the last",
                               printable(range.whole)));
}

/// Parses one end of a range. The message of a wrong budget names the whole range.
template <typename Parse>
auto parse_end(const RangeText& range, std::string_view end, Parse parse) {
  try {
    return parse(end);
  } catch (const InputError& error) {
    if (range.count == 1) throw;
    throw InputError(fmt::format("'{}': {}", printable(range.whole), error.what()));
  }
}

/// Compares budgets of the same kind; what names stand for differs from subject to subject.
bool is_reversed(const RamBudget& first, const RamBudget& last) {
  if (first.index() != last.index()) return false;
  if (const Bytes* bytes = std::get_if<Bytes>(&first)) return *bytes >= std::get<Bytes>(last);
  const Ratio* share = std::get_if<Ratio>(&first);
  return share != nullptr && share->value >= std::get<Ratio>(last).value;
}

RamRange parse_ram_range(std::string_view text) {
  const RangeText range = split_range(text);
  RamRange result{.first = parse_end(range, range.first, parse_ram_budget), .count = range.count};
  if (range.count == 1) return result;
  result.last = parse_end(range, range.last, parse_ram_budget);
  if (is_smallest(*result.last)) {
    throw InputError(
        fmt::format("found '{}'; min is the smallest budget that works, so it can "
                    "only be the first of a range",
                    printable(range.whole)));
  }
  if (is_reversed(result.first, *result.last)) fail_order(range);
  return result;
}

double amount_of(const RuntimeBudget& budget) {
  const Ratio* ratio = std::get_if<Ratio>(&budget);
  return ratio != nullptr ? ratio->value : std::get<Seconds>(budget);
}

RuntimeBudget like(const RuntimeBudget& kind, double value) {
  if (std::holds_alternative<Ratio>(kind)) return Ratio{value};
  return RuntimeBudget(std::in_place_type<Seconds>, value);
}

void add_runtime_range(std::string_view text, std::vector<RuntimeBudget>& budgets) {
  const RangeText range = split_range(text);
  const RuntimeBudget first = parse_end(range, range.first, parse_runtime_budget);
  if (range.count == 1) {
    budgets.push_back(first);
    return;
  }
  const RuntimeBudget last = parse_end(range, range.last, parse_runtime_budget);
  if (first.index() != last.index()) {
    throw InputError(
        fmt::format("found '{}'; expected two multiples or two times", printable(text)));
  }
  const double from = amount_of(first);
  const double to = amount_of(last);
  if (from >= to) fail_order(range);
  for (int i = 0; i + 1 < range.count; ++i) {
    budgets.push_back(like(first, from + (to - from) * i / (range.count - 1)));
  }
  budgets.push_back(last);
}

/// A budget that is listed twice is a slip of the keyboard; solving it twice would hide that.
template <typename Element, typename Same>
void refuse_repetition(const std::vector<Element>& list, const std::vector<std::string>& names,
                       Same same) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (same(list[i], list[j])) {
        throw InputError(fmt::format("found '{}' twice; expected it once", printable(names[i])));
      }
    }
  }
}

// The number of points is the product of all lists; one list alone must not be longer than it may
// be.
void check_length(std::size_t length) {
  if (length <= std::size_t{kMaxSweepPoints}) return;
  throw InputError(
      fmt::format("found {} budgets; a sweep has at most {} points", length, kMaxSweepPoints));
}

}  // namespace

std::vector<RamRange> parse_ram_ranges(std::string_view text) {
  std::vector<RamRange> ranges;
  std::size_t length = 0;
  for (const std::string_view part : split(text)) {
    ranges.push_back(parse_ram_range(part));
    length += ranges.back().count;
  }
  check_length(length);
  return ranges;
}

std::vector<RuntimeBudget> parse_runtime_budgets(std::string_view text) {
  std::vector<RuntimeBudget> budgets;
  for (const std::string_view part : split(text)) {
    add_runtime_range(part, budgets);
    check_length(budgets.size());
  }
  std::vector<std::string> names;
  names.reserve(budgets.size());
  for (const RuntimeBudget& budget : budgets) names.push_back(runtime_budget_name(budget));
  refuse_repetition(budgets, names, [](const RuntimeBudget& a, const RuntimeBudget& b) {
    return a.index() == b.index() && amount_of(a) == amount_of(b);
  });
  return budgets;
}

std::vector<TechniqueSet> parse_technique_sets(std::string_view text) {
  std::vector<TechniqueSet> sets;
  std::vector<std::string> names;
  for (const std::string_view part : split(text)) {
    const std::optional<TechniqueSet> set = value_of<TechniqueSet>(part);
    if (!set) {
      throw InputError(
          fmt::format("found '{}'; expected both, remat, paging or none", printable(part)));
    }
    sets.push_back(*set);
    names.emplace_back(part);
  }
  refuse_repetition(sets, names, std::equal_to<>());
  return sets;
}

std::vector<std::string> parse_names(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view part : split(text)) names.emplace_back(part);
  check_length(names.size());
  refuse_repetition(names, names, std::equal_to<>());
  return names;
}

bool needs_smallest_ram(const std::vector<RamRange>& ram) {
  return std::any_of(ram.begin(), ram.end(),
                     [](const RamRange& range) { return is_smallest(range.first); });
}

}  // namespace poet

// The figures of a platform by their place in its file. An interval is stated where the number
// would be, so its JSON pointer says which figure it is about, in files, in messages and in the
// fields of a schedule. A table of members would need a row for each op; the pointer already names
// it.

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/text/escape.hpp"
#include "poet/error.hpp"
#include "poet/platform.hpp"

namespace poet {
namespace {

constexpr std::string_view kOps = "/ops/";
constexpr std::string_view kFlopsPerJoule = "/flops_per_joule";
constexpr std::string_view kPower = "/power_watts";

[[noreturn]] void fail_unknown(std::string_view figure) {
  throw InternalError(fmt::format("a platform has no figure '{}' with an interval", figure));
}

void set_rate_of_op(Platform& platform, std::string_view figure, double value) {
  const std::size_t end = figure.rfind('/');
  const auto op = platform.ops.find(key_of_token(figure.substr(kOps.size(), end - kOps.size())));
  if (op == platform.ops.end()) fail_unknown(figure);
  if (figure.substr(end) == kFlopsPerJoule) {
    op->second.flops_per_joule = value;
  } else if (figure.substr(end) == "/flops_per_second") {
    op->second.flops_per_second = value;
  } else {
    fail_unknown(figure);
  }
}

std::vector<FigureInterval> intervals_of(const Platform& platform, bool of_energy) {
  std::vector<FigureInterval> some;
  std::copy_if(platform.intervals.begin(), platform.intervals.end(), std::back_inserter(some),
               [&](const auto& each) { return is_energy_figure(each.figure) == of_energy; });
  return some;
}

}  // namespace

bool is_cheaper_if_higher(std::string_view figure) {
  return figure.ends_with(kFlopsPerJoule);
}

bool is_energy_figure(std::string_view figure) {
  return is_cheaper_if_higher(figure) || figure == "/memory_power_watts" ||
         figure.ends_with(kPower);
}

// The root of the product may overflow although the product of the roots does not.
double middle_of(const FigureInterval& interval) {
  return std::sqrt(interval.low) * std::sqrt(interval.high);
}

std::vector<FigureInterval> energy_intervals(const Platform& platform) {
  return intervals_of(platform, true);
}

std::vector<FigureInterval> rate_intervals(const Platform& platform) {
  return intervals_of(platform, false);
}

void set_figure(Platform& platform, std::string_view figure, double value) {
  if (figure.starts_with(kOps)) return set_rate_of_op(platform, figure, value);
  if (figure == "/flops_per_second") {
    platform.flops_per_second = value;
  } else if (figure == kFlopsPerJoule) {
    platform.flops_per_joule = value;
  } else if (figure == "/memory_power_watts") {
    platform.memory_power_watts = value;
  } else if (figure == "/page_in/power_watts") {
    platform.page_in.power_watts = value;
  } else if (figure == "/page_out/power_watts") {
    platform.page_out.power_watts = value;
  } else {
    fail_unknown(figure);
  }
}

// Files of version 1 say in words what files of version 2 have a key for.
std::optional<Standing> standing_of(const Platform& platform) {
  if (platform.standing) return platform.standing;
  const std::string& text = platform.provenance;
  if (text.starts_with("published")) return Standing::published;
  if (text.starts_with("estimated") || text.find("estimated:") != std::string::npos) {
    return Standing::estimated;
  }
  return std::nullopt;
}

}  // namespace poet

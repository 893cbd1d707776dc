#include <cmath>

#include <fmt/format.h>

#include "cli/options/groups.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

void require(bool fine, const char* option, const std::string& found, const char* expected) {
  if (!fine) throw InputError(option, fmt::format("found {}; expected {}", found, expected));
}

}  // namespace

void check_ranges(const Options& options) {
  const auto number = [](auto value) { return fmt::format("{}", value); };
  require(options.batch_size >= 1, "--batch-size", number(options.batch_size), "at least 1");
  require(std::isfinite(options.mem_power_scale) && options.mem_power_scale >= 0,
          "--mem-power-scale", number(options.mem_power_scale), "a number of at least 0");
  require(options.gap >= 0 && options.gap < 1, "--gap", number(options.gap),
          "a number of at least 0 and below 1");
  require(std::isfinite(options.time_limit_seconds) && options.time_limit_seconds >= 0,
          "--time-limit-s", number(options.time_limit_seconds), "seconds, or 0 for no limit");
  require(options.threads >= 1 && options.threads <= 256, "--solve-threads",
          number(options.threads), "1 to 256");
  require(options.sweep.jobs >= 1 && options.sweep.jobs <= 256, "--jobs",
          number(options.sweep.jobs), "1 to 256");
  require(std::isfinite(options.compare.rel_tol) && options.compare.rel_tol >= 0, "--rel-tol",
          number(options.compare.rel_tol), "a number of at least 0");
}

}  // namespace poet::cli

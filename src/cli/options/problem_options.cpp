#include <fmt/format.h>

#include "cli/options/groups.hpp"
#include "cli/options/values.hpp"

namespace poet::cli {
namespace {

constexpr const char* kGroup = "What to solve";

}  // namespace

void add_problem_options(CLI::App& app, Options& options) {
  app.add_option("--model", options.model,
                 "built-in model (--list-models), a model file, or - for stdin")
      ->group(kGroup)
      ->type_name("NAME|FILE");
  app.add_option("--platform", options.platform,
                 "built-in platform (--list-platforms), a platform file, or - for stdin; not "
                 "needed for a model with measured costs")
      ->group(kGroup)
      ->type_name("NAME|FILE");
  app.add_option("--ram-budget", options.ram_budget,
                 "bytes, or with a suffix (KiB MiB GiB kB MB GB), or 60% of the peak RAM when "
                 "nothing is recomputed or paged")
      ->group(kGroup)
      ->type_name("SIZE");
  app.add_option("--runtime-budget", options.runtime_budget,
                 "a multiple of the time to compute every node once (1.5), or absolute (12.5s, "
                 "800ms); compute time only, as in POET")
      ->group(kGroup)
      ->type_name("T");
}

void add_cost_options(CLI::App& app, Options& options) {
  app.add_option("--batch-size", options.batch_size, "batch size of a model with a batch dimension")
      ->group(kGroup)
      ->check(number_text<std::int64_t>("a whole number"))
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--mem-power-scale", options.mem_power_scale,
                 "factor on the platform's memory power, which paging pays")
      ->group(kGroup)
      ->check(real_text())
      ->type_name("X")
      ->capture_default_str();
}

void add_technique_switches(CLI::App& app, Options& options) {
  const auto add_switch = [&](const char* on, const char* off, bool& value, const char* what) {
    CLI::Option* allow = app.add_flag_callback(
        on, [&value] { value = true; }, fmt::format("allow {} (the default)", what));
    CLI::Option* forbid = app.add_flag_callback(
        off, [&value] { value = false; }, fmt::format("forbid {}", what));
    allow->group(kGroup);
    forbid->group(kGroup)->excludes(allow);
  };
  add_switch("--paging", "--no-paging", options.paging, "paging to storage");
  add_switch("--remat", "--no-remat", options.remat, "recomputation");
}

}  // namespace poet::cli

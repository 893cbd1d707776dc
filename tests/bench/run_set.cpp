#include <fmt/format.h>

#include "options.hpp"
#include "session.hpp"
#include "summary.hpp"

namespace poet::bench {

int run_set(const Options& options) {
  const std::vector<Instance> instances = chosen_instances(options);
  if (options.list) {
    for (const Instance& instance : instances) say(instance.name());
    return 0;
  }
  const Conditions conditions = conditions_of(options, options.quick ? 30 : 60);
  Log log(options);
  for (const Instance& instance : instances) log.add(measure(instance, conditions));
  say(fmt::format("\n{}", summary(log.measurements())));
  return all_ok(log.measurements()) ? 0 : 1;
}

}  // namespace poet::bench

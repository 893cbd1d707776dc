#include <fmt/format.h>

#include "best_known.hpp"
#include "best_known_file.hpp"
#include "finish.hpp"
#include "options.hpp"
#include "session.hpp"
#include "summary.hpp"

namespace poet::bench {

int run_set(const Options& options) {
  std::vector<Instance> instances = chosen_instances(options);
  if (options.list) {
    for (const Instance& instance : instances) say(instance.name());
    return 0;
  }
  const Conditions conditions = conditions_of(options, options.quick ? 30 : 60);
  const BestKnown best_known = read_best_known(options.best_known);
  for (Instance& instance : instances) compare_with(best_known, instance);
  Log log(options, conditions);
  for (const Instance& instance : instances) {
    log.add(instance, "", [&] { return measure(instance, conditions); });
  }
  say(fmt::format("\n{}", summary(log.measurements())));
  return finish(options, log.measurements()) && all_ok(log.measurements()) ? 0 : 1;
}

}  // namespace poet::bench

#include <fmt/format.h>

#include "ablation.hpp"
#include "finish.hpp"
#include "jsonl.hpp"
#include "options.hpp"
#include "session.hpp"
#include "summary.hpp"

namespace poet::bench {

int run_merge(const Options& options) {
  const std::vector<Measurement> read = read_jsonl(options.merge);
  Log log(options, {});
  for (const Measurement& m : read) log.show(m);
  const auto& all = log.measurements();
  say(fmt::format("\n{}", options.ablation ? ablation_table(all) : summary(all)));
  const bool finished = finish(options, all);
  return finished && all_ok(all) && contradictions(all).empty() ? 0 : 1;
}

}  // namespace poet::bench

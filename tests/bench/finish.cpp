#include "finish.hpp"

#include <fmt/format.h>

#include "best_known.hpp"
#include "best_known_file.hpp"
#include "family_table.hpp"
#include "poet/version.hpp"
#include "session.hpp"

namespace poet::bench {
namespace {

constexpr auto kRun = "version " POET_VERSION;

bool agrees(const BestUpdate& update) {
  for (const std::string& fault : update.faults) say("CONTRADICTION: " + fault);
  return update.faults.empty();
}

}  // namespace

bool finish(const Options& options, const std::vector<Measurement>& measurements) {
  const BestKnown known = read_best_known(options.best_known);
  say("\n" + family_table(measurements, known));
  BestKnown better = known;
  if (!agrees(improve(better, measurements, kRun))) return false;
  if (options.update_best.empty()) return true;
  const BestUpdate update = update_best_known(options.update_best, measurements, kRun);
  if (!agrees(update)) return false;
  say(fmt::format("{}: {} new problems, {} better energies, {} better bounds", options.update_best,
                  update.new_problems, update.better_energies, update.better_bounds));
  return true;
}

}  // namespace poet::bench

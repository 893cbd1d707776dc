#include "finish.hpp"

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "best_known.hpp"
#include "best_known_file.hpp"
#include "family_table.hpp"
#include "poet/version.hpp"
#include "session.hpp"

namespace poet::bench {
namespace {

bool improved(BestKnown& known, const std::vector<Measurement>& measurements, BestUpdate& update) {
  update = improve(known, measurements, "version " POET_VERSION);
  for (const std::string& fault : update.faults) say("CONTRADICTION: " + fault);
  return update.faults.empty();
}

}  // namespace

bool finish(const Options& options, const std::vector<Measurement>& measurements) {
  const BestKnown before = read_best_known(options.best_known);
  BestKnown known = before;
  BestUpdate update;
  bool agrees = improved(known, measurements, update);
  say("\n" + family_table(measurements, before));
  if (options.update_best.empty()) return agrees;
  if (agrees && options.update_best != options.best_known) {
    known = read_best_known(options.update_best);
    agrees = improved(known, measurements, update);
  }
  if (!agrees) {
    say(options.update_best + ": left as it was");
    return false;
  }
  write_file(options.update_best, best_known_text(known));
  say(fmt::format("{}: {} new problems, {} better energies, {} better bounds", options.update_best,
                  update.new_problems, update.better_energies, update.better_bounds));
  return true;
}

}  // namespace poet::bench

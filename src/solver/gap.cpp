// The two measures of what is left open. Both have one definition for everybody who prints or
// compares them: the files, the summary, the phases that stop at them.

#include <algorithm>

#include "poet/solve.hpp"

namespace poet {

double relative_gap(Joules energy, Joules lower_bound) {
  return energy > 0 ? std::max(0.0, energy - lower_bound) / energy : 0;
}

double relative_extra_gap(Joules energy, Joules lower_bound, Joules baseline) {
  const Joules extra = energy - baseline;
  return extra > 0 ? std::clamp((energy - lower_bound) / extra, 0.0, 1.0) : 0;
}

}  // namespace poet

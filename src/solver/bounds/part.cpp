#include "solver/bounds/part.hpp"

#include <algorithm>

namespace poet {

std::vector<CountRange> tightest(const std::vector<CountRange>& ranges) {
  std::vector<CountRange> result;
  for (const CountRange& range : ranges) {
    const auto known = std::find_if(result.begin(), result.end(), [&](const CountRange& other) {
      return other.count == range.count;
    });
    if (known == result.end()) {
      result.push_back(range);
    } else {
      known->lower = std::max(known->lower, range.lower);
      known->upper = std::min(known->upper, range.upper);
    }
  }
  return result;
}

}  // namespace poet

#include "formats/json/json_fields.hpp"

#include "poet/error.hpp"

namespace poet {

std::vector<int> read_ints(const JsonCursor& list, int least) {
  std::vector<int> result;
  for (const JsonCursor& entry : list.elements(kMaxListLength)) {
    result.push_back(static_cast<int>(entry.integer(least, std::numeric_limits<int>::max())));
  }
  return result;
}

Schedule read_stage_lists(const JsonCursor& list) {
  Schedule schedule;
  for (const JsonCursor& stage : list.elements(kMaxListLength)) {
    const std::vector<JsonCursor> lists = stage.elements(4);
    if (lists.size() != 4) stage.fail_expecting("four lists of nodes");
    schedule.stages.push_back({.resident = read_ints(lists[0], 0),
                               .compute = read_ints(lists[1], 0),
                               .page_out = read_ints(lists[2], 0),
                               .page_in = read_ints(lists[3], 0)});
  }
  return schedule;
}

SolverFeatures read_features(const JsonCursor& at) {
  try {
    return features_without(at.string());
  } catch (const InputError& error) {
    at.fail(error.what());
  }
}

}  // namespace poet

// What has no use, or no room, after a series of changes to a timeline.

#include "solver/search/timeline.hpp"

namespace poet {

void Timeline::tidy() {
  remove_unused();
  // Only an insertion can leave a page-in without room: it may extend the instance before.
  for (std::size_t c = 0; c < changes_.size(); ++c) {
    const auto [entry, inserted] = changes_[c];
    if (!inserted) continue;
    remove_misplaced_page_ins(entry.node);
    if (!is_computation(entry.at)) continue;
    for (const int input : costs_.graph().nodes[entry.node].inputs) {
      remove_misplaced_page_ins(input);
    }
  }
  remove_unused();
  remove_needless_page_outs();
}

/// Removes the page-ins of a node that come too soon after an instance.
void Timeline::remove_misplaced_page_ins(int node) {
  if (!is_paged(node)) return;
  for (std::size_t i = 1; i < instances_[node].size();) {
    const Position start = instances_[node][i].start;
    const int left = stage_of(instances_[node][i - 1].end);
    if (is_computation(start) || left <= stage_of(start) - 2) {
      ++i;
    } else {
      remove({node, start});
      i = 1;
    }
  }
}

/// An entry without a use would be a tensor held for nothing, or, if it costs nothing, stay in the
/// best plan for good. Removing one can take the last use of others.
void Timeline::remove_unused() {
  while (!maybe_unused_.empty()) {
    const Entry entry = maybe_unused_.back();
    maybe_unused_.pop_back();
    const int index = find(entry.node, entry.at + 1);
    const Instance& instance = instances_[entry.node][index];
    if (index > 0 && instance.start == entry.at && instance.end == instance.start) remove(entry);
  }
}

/// A page-out that was put off and that no page-in needs any more.
void Timeline::remove_needless_page_outs() {
  for (std::size_t c = 0; c < changes_.size(); ++c) {
    const int node = changes_[c].entry.node;
    if (page_outs_[node].entry < 0 || is_paged(node)) continue;
    remove({node, stage_end(page_outs_[node].stage)});
  }
}

}  // namespace poet

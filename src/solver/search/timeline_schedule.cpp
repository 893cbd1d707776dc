// Timelines to schedules and back.

#include <algorithm>

#include "solver/search/timeline.hpp"

namespace poet {

namespace {

Schedule schedule_of(const Timeline& timeline, bool has_residents) {
  Schedule schedule;
  schedule.stages.resize(timeline.size());
  std::vector<std::vector<int>> arrivals(timeline.size());
  std::vector<std::vector<int>> departures(timeline.size() + 1);  // by the first stage without it
  // By node, so that every list comes out ascending.
  for (int node = 0; node < timeline.size(); ++node) {
    for (const Instance& instance : timeline.instances(node)) {
      const int start = stage_of(instance.start);
      const bool computed = is_computation(instance.start);
      if (computed) {
        schedule.stages[start].compute.push_back(node);
      } else {
        schedule.stages[start - 1].page_in.push_back(node);
      }
      const int first = computed ? start + 1 : start;
      if (first > stage_of(instance.end)) continue;
      arrivals[first].push_back(node);
      departures[stage_of(instance.end) + 1].push_back(node);
    }
    if (!timeline.is_paged(node)) continue;
    schedule.stages[timeline.page_out_stage(node)].page_out.push_back(node);
  }
  std::vector<int> held;
  for (int t = 0; t < timeline.size() && has_residents; ++t) {
    const auto place = [&](int node) { return std::lower_bound(held.begin(), held.end(), node); };
    for (const int node : departures[t]) held.erase(place(node));
    for (const int node : arrivals[t]) held.insert(place(node), node);
    schedule.stages[t].resident = held;
  }
  return schedule;
}

}  // namespace

Schedule to_schedule(const Timeline& timeline) {
  return schedule_of(timeline, true);
}

std::vector<Entry> entries_of(const Timeline& timeline) {
  return entries_of(schedule_of(timeline, false));
}

std::vector<Entry> entries_of(const Schedule& schedule) {
  std::vector<Entry> entries;
  const int stages = static_cast<int>(schedule.stages.size());
  std::vector<char> settled(stages, false);  // written out, or computed again without a copy
  for (int t = 0; t < stages; ++t) {
    for (const int node : schedule.stages[t].page_out) {
      if (!settled[node] && t > node + 1) entries.push_back({node, stage_end(t)});
      settled[node] = true;
    }
    for (const int node : schedule.stages[t].compute) {
      if (node == t) continue;
      entries.push_back({node, computation(t, node)});
      settled[node] = true;
    }
    for (const int node : schedule.stages[t].page_in) {
      entries.push_back({node, stage_start(t + 1)});
    }
  }
  return entries;
}

// What has no use, or no room, after a series of changes to a timeline.

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

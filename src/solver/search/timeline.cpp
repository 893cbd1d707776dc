#include "solver/search/timeline.hpp"

#include <algorithm>
#include <utility>

namespace poet {

Timeline::Timeline(const WholeCosts& costs)
    : costs_(costs),
      instances_(costs.size()),
      ram_(costs.size(), costs.ram_budget),
      page_ins_(costs.size(), 0) {
  const int size = costs.size();
  for (int k = 0; k < size; ++k) {
    page_outs_.push_back({.stage = k + 1});
    computing_.push_back(costs.nodes[k].time);
    const std::vector<int>& users = costs.graph().users[k];
    const int last = users.empty() ? k : users.back();
    instances_[k].push_back({.start = computation(k, k), .end = computation(last, last)});
  }
  transferring_.assign(size, 0);
  for (int k = 0; k < size; ++k) {
    const NodeCosts& node = costs.nodes[k];
    ram_.add(computation(k, k), computation(k, k), node.workspace);
    ram_.add(computation(k, k), held_until(k, 0, instances_[k][0].end), node.bytes);
  }
}

bool Timeline::has(const Entry& entry) const {
  if (is_stage_end(entry.at)) {
    const PageOut& page_out = page_outs_[entry.node];
    return page_out.entry >= 0 && page_out.stage == stage_of(entry.at);
  }
  const std::vector<Instance>& list = instances_[entry.node];
  return std::any_of(list.begin(), list.end(),
                     [&](const Instance& instance) { return instance.start == entry.at; });
}

int Timeline::find(int node, Position at) const {
  const std::vector<Instance>& list = instances_[node];
  int index = static_cast<int>(list.size()) - 1;
  while (list[index].start >= at) --index;
  return index;
}

std::optional<Position> Timeline::next_use(int node, Position after) const {
  std::optional<Position> next;
  for (const int user : costs_.graph().users[node]) {
    const std::vector<Instance>& list = instances_[user];
    // The first computation starts earliest of all, and most nodes have no other.
    auto use = list.begin();
    if (use->start <= after) {
      use = std::find_if(use + 1, list.end(), [&](const Instance& instance) {
        return is_computation(instance.start) && instance.start > after;
      });
    }
    if (use != list.end() && (!next || use->start < *next)) next = use->start;
  }
  return next;
}

std::optional<Position> Timeline::last_use(int node, Position before) const {
  std::optional<Position> last;
  for (const int user : costs_.graph().users[node]) {
    const std::vector<Instance>& list = instances_[user];
    int i = static_cast<int>(list.size()) - 1;
    while (i >= 0 && (list[i].start >= before || !is_computation(list[i].start))) --i;
    if (i >= 0 && (!last || list[i].start > *last)) last = list[i].start;
  }
  return last;
}

Bytes Timeline::violation() const {
  return ram_.violation() + std::max(Bytes{0}, written_ - costs_.write_budget);
}

Units Timeline::overtime() const {
  return std::max(Units{0}, time_ - costs_.extra_time_budget);
}

int Timeline::last_page_out_stage(int node) const {
  const std::vector<Instance>& list = instances_[node];
  const Position next = list.size() > 1 ? list[1].start : stage_start(size() - 1);
  return stage_of(next) - (is_computation(next) ? 1 : 2);
}

bool Timeline::may_add(const Entry& entry) const {
  const int stage = stage_of(entry.at);
  if (is_stage_end(entry.at)) {
    const bool is_free = page_outs_[entry.node].entry < 0;  // to be put off
    return costs_.paging_time == PagingTime::overlapped && costs_.nodes[entry.node].page &&
           is_free && stage > entry.node + 1 && stage <= last_page_out_stage(entry.node);
  }
  return is_computation(entry.at) ? may_compute(entry.node, stage) : may_arrive(entry.node, stage);
}

Units Timeline::energy_of(const Entry& entry) const {
  const NodeCosts& node = costs_.nodes[entry.node];
  if (is_stage_end(entry.at)) return 0;
  if (is_computation(entry.at)) return node.energy;
  return node.page_in_energy + (is_paged(entry.node) ? 0 : node.page_out_energy);
}

Units Timeline::time_of_transfer(int stage, Units transferring) const {
  if (costs_.paging_time != PagingTime::overlapped) return transferring;
  const Units all = transferring_[stage] + transferring;
  return std::max(computing_[stage], all) - std::max(computing_[stage], transferring_[stage]);
}

bool Timeline::insert(const Entry& entry) {
  if (has(entry)) return false;
  put(entry);
  changes_.push_back({entry, true});
  if (is_stage_end(entry.at)) return true;
  maybe_unused_.push_back(entry);
  // The instance before it may have lost all its uses.
  const Position before = instances_[entry.node][find(entry.node, entry.at)].start;
  maybe_unused_.push_back({entry.node, before});
  return true;
}

void Timeline::remove(const Entry& entry) {
  take(entry);
  changes_.push_back({entry, false});
}

void Timeline::rollback() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const Change& change = changes_.back();
    if (change.inserted) {
      take(change.entry);
    } else {
      put(change.entry);
    }
  }
  maybe_unused_.clear();
}

void Timeline::restore(const std::vector<Entry>& entries) {
  while (!entries_.empty()) take(Entry(entries_.back()));
  for (const Entry& entry : entries) {
    if (may_add(entry)) insert(entry);
  }
  tidy();
  commit();
}

/// What insert() does, without a record.
void Timeline::put(const Entry& entry) {
  const auto [node, at] = entry;
  if (is_stage_end(at)) {
    move_page_out(node, stage_of(at));
    page_outs_[node].entry = add_entry(entry);
    return;
  }
  const Bytes bytes = costs_.nodes[node].bytes;
  if (is_computation(at)) {
    put_event(entry);
  } else {
    charge_page_in(entry, 1);
  }
  const int before = find(node, at);
  const Position end = instances_[node][before].end;
  if (end > at) {
    const Position last_use = natural_end(node, before, at);
    ram_.add(held_until(node, before, last_use) + 1, at - 1, -bytes);
    instances_[node][before].end = last_use;
  } else {
    ram_.add(at, at, bytes);
  }
  add_instance(node, before + 1, {.start = at, .end = std::max(end, at)});
  if (!is_computation(at)) return;
  for (const int input : costs_.graph().nodes[node].inputs) {
    const int index = find(input, at);
    const Position until = instances_[input][index].end;
    if (until < at) move_end(input, index, held_until(input, index, until), at);
  }
}

/// What remove() does, without a record.
void Timeline::take(const Entry& entry) {
  const auto [node, at] = entry;
  if (is_stage_end(at)) {
    drop_entry(std::exchange(page_outs_[node].entry, -1));
    move_page_out(node, node + 1);
    return;
  }
  const Bytes bytes = costs_.nodes[node].bytes;
  const int before = find(node, at);
  const Position end = instances_[node][before + 1].end;
  drop_instance(node, before + 1);
  if (end > at) {
    ram_.add(held_until(node, before, instances_[node][before].end) + 1, at - 1, bytes);
    instances_[node][before].end = end;
  } else {
    ram_.add(at, at, -bytes);
  }
  if (!is_computation(at)) {
    charge_page_in(entry, -1);
    return;
  }
  for (const int input : costs_.graph().nodes[node].inputs) {
    const int index = find(input, at);
    const Instance& instance = instances_[input][index];
    if (instance.end != at) continue;
    move_end(input, index, held_until(input, index, at), natural_end(input, index, at));
    if (index > 0 && instance.end == instance.start) {
      maybe_unused_.push_back({input, instance.start});
    }
  }
  take_event(entry);
}

/// The RAM of the new event follows from the next one, which is in the same stage: a stage's own
/// computation is its last. What is alive there is alive here, but for the output that the next
/// event makes.
void Timeline::put_event(const Entry& entry) {
  const auto [node, at] = entry;
  const int stage = stage_of(at);
  const int next = ram_.first_from(at);
  const int maker = ram_.node(next);
  Bytes alive = ram_.ram(next) - costs_.nodes[maker].bytes - costs_.nodes[maker].workspace;
  if (const int over = costs_.nodes[maker].over; over >= 0) {
    const Position then = computation(stage, maker);
    const int index = find(over, then);
    const Position end = instances_[over][index].end;
    if (end == then && held_until(over, index, end) < end) alive += costs_.nodes[over].bytes;
  }
  ram_.insert(at, alive + costs_.nodes[node].workspace);
  energy_ += costs_.nodes[node].energy;
  charge_time(stage, costs_.nodes[node].time, 0);
}

void Timeline::take_event(const Entry& entry) {
  ram_.erase(entry.at);
  energy_ -= costs_.nodes[entry.node].energy;
  charge_time(stage_of(entry.at), -costs_.nodes[entry.node].time, 0);
}

/// What a page-in costs, and the page-out if it is the only page-in. `sign` is -1 to take it off.
void Timeline::charge_page_in(const Entry& entry, int sign) {
  const NodeCosts& node = costs_.nodes[entry.node];
  const int transfer = stage_of(entry.at) - 1;
  energy_ += sign * node.page_in_energy;
  charge_time(transfer, 0, sign * node.page_in_time);
  if (costs_.paging_time == PagingTime::overlapped) {
    // What is being read back has its RAM for the whole stage.
    ram_.add(stage_start(transfer), computation(transfer, transfer), sign * node.bytes);
  }
  const bool was_paged = is_paged(entry.node);
  const Position held = held_until(entry.node, 0, instances_[entry.node][0].end);
  page_ins_[entry.node] += sign;
  if (was_paged == is_paged(entry.node)) return;
  energy_ += sign * node.page_out_energy;
  written_ += sign * node.stored;
  charge_time(page_outs_[entry.node].stage, 0, sign * node.page_out_time);
  move_end(entry.node, 0, held, end_of_first(entry.node));
}

/// Gives the page-out of a node another stage, whether it is made or not.
void Timeline::move_page_out(int node, int stage) {
  const Position held = held_until(node, 0, instances_[node][0].end);
  const int from = std::exchange(page_outs_[node].stage, stage);
  if (!is_paged(node)) return;
  const Units time = costs_.nodes[node].page_out_time;
  charge_time(from, 0, -time);
  charge_time(stage, 0, time);
  move_end(node, 0, held, end_of_first(node));
}

void Timeline::charge_time(int stage, Units computing, Units transferring) {
  if (costs_.paging_time != PagingTime::overlapped) {
    time_ += computing + transferring;
    return;
  }
  time_ -= std::max(computing_[stage], transferring_[stage]);
  computing_[stage] += computing;
  transferring_[stage] += transferring;
  time_ += std::max(computing_[stage], transferring_[stage]);
}

/// Until when the bytes of an instance that ends at `end` count: an output that takes over the RAM
/// of its input counts from its computation on. But what is being written out beside the
/// computations of a stage stays to the end of it.
Position Timeline::held_until(int node, int index, Position end) const {
  if (!is_computation(end)) return end;
  if (costs_.nodes[node_at(end)].over != node) return end;
  const int written = page_outs_[node].stage;
  const bool pinned = costs_.paging_time == PagingTime::overlapped && index == 0 &&
                      is_paged(node) && end == computation(written, written);
  return pinned ? end : end - 1;
}

/// The last use of an instance before `before`, or else its start. The first instance of a paged
/// tensor lasts to the start of the stage that writes it out: if that stage does not use it, or
/// writes it out beside its computations, to its end.
Position Timeline::natural_end(int node, int index, Position before) const {
  const Position start = instances_[node][index].start;
  const Position last = std::max(start, last_use(node, before).value_or(start));
  if (index > 0 || !is_paged(node)) return last;
  const int written = page_outs_[node].stage;
  const bool overlapped = costs_.paging_time == PagingTime::overlapped;
  if (!overlapped && stage_of(last) >= written) return last;
  return std::max(last, computation(written, written));
}

/// The same for the first instance as the list is.
Position Timeline::end_of_first(int node) const {
  const std::vector<Instance>& list = instances_[node];
  return natural_end(node, 0, list.size() > 1 ? list[1].start : stage_start(size()));
}

/// Moves the end of an instance that has been counted until `held`.
void Timeline::move_end(int node, int index, Position held, Position end) {
  const Bytes bytes = costs_.nodes[node].bytes;
  instances_[node][index].end = end;
  const Position until = held_until(node, index, end);
  if (until > held) {
    ram_.add(held + 1, until, bytes);
  } else {
    ram_.add(until + 1, held, -bytes);
  }
}

void Timeline::add_instance(int node, int index, Instance instance) {
  instance.entry = add_entry({node, instance.start});
  instances_[node].insert(instances_[node].begin() + index, instance);
}

void Timeline::drop_instance(int node, int index) {
  const int place = instances_[node][index].entry;
  instances_[node].erase(instances_[node].begin() + index);
  drop_entry(place);
}

int Timeline::add_entry(const Entry& entry) {
  entries_.push_back(entry);
  return static_cast<int>(entries_.size()) - 1;
}

/// Fills its place with the last entry.
void Timeline::drop_entry(int place) {
  const Entry moved = entries_.back();
  entries_.pop_back();
  if (place == static_cast<int>(entries_.size())) return;
  entries_[place] = moved;
  if (is_stage_end(moved.at)) {
    page_outs_[moved.node].entry = place;
  } else {
    instances_[moved.node][find(moved.node, moved.at + 1)].entry = place;
  }
}

}  // namespace poet

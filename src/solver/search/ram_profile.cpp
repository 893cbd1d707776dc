#include "solver/search/ram_profile.hpp"

#include <algorithm>
#include <numeric>

// Several versions of a loop, of which the program takes the one for its processor. All of it is in
// whole numbers, so the result is the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(POET_SANITIZE)
#define POET_VECTOR_LOOP __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define POET_VECTOR_LOOP
#endif

namespace poet {
namespace {

/// Adds to `count` figures; returns by how much more they are over the budget.
POET_VECTOR_LOOP Bytes add_to_range(Bytes* ram, int count, Bytes bytes, Bytes budget) {
  Bytes change = 0;
  for (int e = 0; e < count; ++e) {
    const Bytes before = ram[e] - budget;
    const Bytes after = before + bytes;
    ram[e] += bytes;
    change += (after > 0 ? after : 0) - (before > 0 ? before : 0);
  }
  return change;
}

POET_VECTOR_LOOP Bytes relief_of_range(const Bytes* ram, int count, Bytes bytes, Bytes budget) {
  Bytes sum = 0;
  for (int e = 0; e < count; ++e) {
    const Bytes over = ram[e] - budget;
    const Bytes relieved = over < bytes ? over : bytes;
    sum += relieved > 0 ? relieved : 0;
  }
  return sum;
}

POET_VECTOR_LOOP void shift_all(int* values, int count, int by) {
  for (int i = 0; i < count; ++i) values[i] += by;
}

}  // namespace

RamProfile::RamProfile(int stages, Bytes budget)
    : ram_(stages, 0), node_(stages), start_(stages + 1), budget_(budget) {
  std::iota(node_.begin(), node_.end(), 0);
  std::iota(start_.begin(), start_.end(), 0);
}

int RamProfile::stage_of_event(int event) const {
  return static_cast<int>(std::upper_bound(start_.begin(), start_.end(), event) - start_.begin()) -
         1;
}

int RamProfile::first_from(Position at) const {
  const int stage = stage_of(at);
  const int node = node_at(at);
  int event = start_[stage];
  const int end = start_[stage + 1];
  while (event < end && node_[event] < node) ++event;
  return event;
}

void RamProfile::set_budget(Bytes budget) {
  budget_ = budget;
  violation_ = 0;
  for (const Bytes ram : ram_) violation_ += over(ram);
}

Bytes RamProfile::peak() const {
  return *std::max_element(ram_.begin(), ram_.end());
}

int RamProfile::highest() const {
  return static_cast<int>(std::max_element(ram_.begin(), ram_.end()) - ram_.begin());
}

Bytes RamProfile::relief(Position first, Position last, Bytes bytes) const {
  if (first > last) return 0;
  const int from = first_from(first);
  return relief_of_range(ram_.data() + from, first_from(last + 1) - from, bytes, budget_);
}

void RamProfile::add(Position first, Position last, Bytes bytes) {
  if (first > last) return;
  const int from = first_from(first);
  violation_ += add_to_range(ram_.data() + from, first_from(last + 1) - from, bytes, budget_);
}

void RamProfile::insert(Position at, Bytes ram) {
  const int event = first_from(at);
  ram_.insert(ram_.begin() + event, ram);
  node_.insert(node_.begin() + event, node_at(at));
  shift_starts(stage_of(at), 1);
  violation_ += over(ram);
}

void RamProfile::erase(Position at) {
  const int event = first_from(at);
  violation_ -= over(ram_[event]);
  ram_.erase(ram_.begin() + event);
  node_.erase(node_.begin() + event);
  shift_starts(stage_of(at), -1);
}

/// Moves the starts of all stages behind this one.
void RamProfile::shift_starts(int stage, int by) {
  shift_all(start_.data() + stage + 1, static_cast<int>(start_.size()) - stage - 1, by);
}

}  // namespace poet

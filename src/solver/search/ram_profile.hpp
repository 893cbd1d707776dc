#pragma once

#include <vector>

#include "poet/units.hpp"
#include "solver/search/position.hpp"

namespace poet {

/// RAM at every computation of a plan, in the order of execution, and by how much it is over the
/// budget.
///
/// Most of the time of a search goes into changing the RAM of a stretch of time. So the figures lie
/// side by side in one array, however they are spread over stages, and a change is one loop that
/// the compiler turns into vector instructions, with the change of the violation as its sum.
///
/// The violation is summed over computations. With one maximum for each stage, a stage that is over
/// the budget anyway could take any number of recomputations for free, and a search would heap them
/// up there.
class RamProfile {
 public:
  /// One computation a stage, of its own node, and no RAM.
  RamProfile(int stages, Bytes budget);

  int events() const { return static_cast<int>(ram_.size()); }
  /// How many computations a stage has.
  int count(int stage) const { return start_[stage + 1] - start_[stage]; }
  int first_of(int stage) const { return start_[stage]; }
  int node(int event) const { return node_[event]; }
  Bytes ram(int event) const { return ram_[event]; }
  int stage_of_event(int event) const;
  /// The first event at or after a position.
  int first_from(Position at) const;

  Bytes budget() const { return budget_; }
  void set_budget(Bytes budget);
  Bytes violation() const { return violation_; }
  Bytes peak() const;
  /// The event with the most RAM, the first of several.
  int highest() const;
  /// By how much the violation falls if all computations from `first` to `last` need so many bytes
  /// less.
  Bytes relief(Position first, Position last, Bytes bytes) const;
  /// The computation that an event is.
  Position position(int event) const { return computation(stage_of_event(event), node_[event]); }

  /// Adds to all computations from `first` to `last`, both included.
  void add(Position first, Position last, Bytes bytes);
  void insert(Position at, Bytes ram);
  void erase(Position at);

  bool operator==(const RamProfile&) const = default;

 private:
  Bytes over(Bytes ram) const { return ram > budget_ ? ram - budget_ : 0; }
  void shift_starts(int stage, int by);

  std::vector<Bytes> ram_;  // by event
  std::vector<int> node_;   // by event
  std::vector<int> start_;  // first event of each stage, and the end of the last
  Bytes budget_;
  Bytes violation_ = 0;
};

}  // namespace poet

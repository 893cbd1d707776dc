#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "poet/problem.hpp"

namespace poet {

/// What the last stages of a step spend on recomputations and page-ins at least, from stage t on,
/// by what is in RAM when t starts: a dynamic program over the sets of forward tensors that fit the
/// budget and that those stages can use. docs/formulation.md, "Tail cuts", says what it leaves out;
/// no schedule spends less.
class TailValues {
 public:
  /// Bit q of a set stands for tensors()[q].
  using Set = std::uint64_t;
  /// In parts of the baseline's energy, rounded down.
  using Energy = std::int32_t;
  static constexpr Energy kBaseline = 1 << 24;
  /// More than that counts as that, and so does what no schedule can do.
  static constexpr Energy kMost = 1 << 29;

  /// For the first stage of the backward pass that has at most so many sets. None has if a tensor
  /// there takes the place of another, or if there is no backward pass: sets() is empty then.
  TailValues(const Graph& graph, Bytes ram_bytes, std::size_t most_sets);

  int stage() const { return stage_; }
  std::span<const int> tensors() const { return tensors_; }
  /// A set comes after all of its subsets.
  std::span<const Set> sets() const { return sets_; }
  /// A part, as an Energy counts them.
  Joules part() const { return baseline_joules_ / kBaseline; }

  /// By the set that is in RAM when stage() starts, if only these tensors may be paged in.
  std::vector<Energy> least(Set pageable) const;
  /// So many steps of one such program, as a measure of its time.
  std::int64_t steps() const;

 private:
  bool find_sets(int stage, std::size_t most_sets);
  void find_neighbours();
  Set inputs(int node) const;
  Bytes other_inputs(int node) const;
  Energy energy(Joules joules) const;
  Energy least_of_parts(std::span<const Energy> least, std::size_t set) const;
  void obtain(std::vector<Energy>& least, std::size_t q, Set needed, Bytes beside,
              Energy pay) const;
  std::vector<Energy> after_recomputations(int t, std::vector<Energy> least) const;
  void before_recomputations(std::vector<Energy>& least, Bytes gradients) const;
  std::vector<Energy> at_start(int t, std::vector<Energy> at_end) const;

  const Graph& graph_;
  Bytes ram_bytes_;
  Joules baseline_joules_;
  int stage_ = 0;
  std::vector<int> tensors_;
  std::vector<Set> sets_;
  std::vector<Bytes> bytes_;             // of each set
  std::vector<std::vector<int>> with_;   // by tensor and set: the set with it, or -1
  std::vector<int> parts_;               // of each set, the sets with one tensor less
  std::vector<std::size_t> first_part_;  // in parts_, by set, and the end
};

/// Calls f(q) for each bit q of the set, ascending.
template <typename Function>
void for_each_bit(TailValues::Set set, Function f) {
  for (; set != 0; set &= set - 1) f(std::countr_zero(set));
}

}  // namespace poet

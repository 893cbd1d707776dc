#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "poet/problem.hpp"

namespace poet {

/// The windows of stages in which holding, recomputing or paging a tensor can matter, and so the
/// columns that a model has. Wider windows are never wrong; narrower ones are exact if no better
/// schedule does what they leave out.
struct UsefulWindows {
  /// 0: every stage. F, the first backward node: the forward stages collapse into a free choice of
  /// what is resident when the backward pass starts (a relaxation, docs/formulation.md).
  int first_stage = 0;
  std::vector<bool> recompute;  ///< node i may be recomputed
  std::vector<bool> page;       ///< tensor i may be paged
  /// The last stage at whose start tensor i can be of use: to the first computation of a node that
  /// reads it, or to recomputations that lead to one.
  std::vector<int> last_use;
  std::vector<int> last_recompute;  ///< likewise, the last stage in which to recompute i
  std::vector<int> last_page_in;    ///< likewise, the last stage in which to page i in
  /// The last stage whose first computation reads tensor i; i itself if nothing reads it.
  std::vector<int> last_first_use;
  /// By stage and node: whether an idle recomputation of the node can pay there. An idle
  /// recomputation is one that its stage neither uses nor hands on: it pays only by freeing what
  /// the stage writes out (rule 5). Never in a collapsed model, which does not count such tensors.
  std::vector<std::vector<bool>> idle_recompute;

  bool collapsed() const { return first_stage > 0; }
  /// Neither option: held from birth to its last use in a first computation.
  bool permanent(int i) const { return !recompute[i] && !page[i]; }
  /// Whether the model has a column for recomputing node i in stage t.
  bool can_recompute(int t, int i) const {
    return t >= first_stage && i < t && recompute[i] && t <= last_recompute[i];
  }
  bool can_compute(int t, int i) const { return i == t || can_recompute(t, i); }
};

/// Everything that the problem allows and that a schedule of at most `extra_energy` joules above
/// the baseline can do. Holding tensor i at the start of stage t is of use only if it leads,
/// through recomputations and transfers, to a first computation in t or later. D_t(i), the energy
/// of the cheapest such series, is part of the schedule's extra energy, and so are the energies of
/// recomputing or paging i itself. What costs more than `extra_energy` is left out; infinity leaves
/// out only what leads nowhere.
///
/// This keeps the gradients, all of which could be recomputed, from doubling the model: at 350000
/// bytes `resnet18_cifar/m4` had 36789 columns without windows by cost and 19237 with them.
///
/// The work grows with the square of the nodes, 0.8 s with 20,000 of them. `stop` is polled; true
/// ends it at once, and the windows are of no use then.
UsefulWindows useful_windows(const Problem& problem, bool collapse_forward, Joules extra_energy,
                             const std::function<bool()>& stop = {});

/// About how many nonzeros formulate() makes, without making them. `stop` as above: the counts are
/// too low then.
struct ExpectedSize {
  std::int64_t nonzeros = 0;   ///< with all memory rows, which are nearly all of it: it grows with
                               ///< up to the third power of the number of nodes
  std::int64_t on_demand = 0;  ///< without the memory rows of recomputations
};
ExpectedSize expected_size(const Graph& graph, const UsefulWindows& windows,
                           const std::function<bool()>& stop = {});

/// The most nonzeros of a model that fits in so much memory with the copies that Clp and CBC make
/// of it, which take up to half a kibibyte for each; without limit for 0.
constexpr std::int64_t max_nonzeros(Bytes memory) {
  constexpr Bytes kBytesPerNonzero = 512;
  return memory > 0 ? memory / kBytesPerNonzero : kMaxBytes;
}

}  // namespace poet

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "poet/problem.hpp"

namespace poet {

/// Sums of products of whole numbers of up to 2^62.
__extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using): a using has no __extension__

/// What is to be proven, in whole units of 2^-shift joules (docs/certificate-format.md, "What is
/// supposed"): no schedule has recomputations and transfers that cost less than `target`. Costs are
/// rounded down. What costs more than a target can be holds kDear.
struct ProofCosts {
  static constexpr std::int64_t kDear = std::int64_t{1} << 60;

  int shift = 0;
  std::int64_t target = kDear;  ///< kDear: infeasibility
  std::vector<std::int64_t> compute;
  std::vector<std::int64_t> page_in;
  std::vector<std::int64_t> page_out;

  bool proves_infeasible() const { return target == kDear; }
};

/// The costs for the claim that no schedule of the graph has less than so many joules.
ProofCosts costs_for_claim(const Graph& graph, Joules claim);
/// The target that such a claim has in the units of these costs; below 0 if the baseline has more.
std::int64_t target_for_claim(const Graph& graph, const ProofCosts& costs, Joules claim);
/// The same units for less: the greatest claim that so many units prove.
ProofCosts costs_for_less(const Graph& graph, const ProofCosts& costs, std::int64_t units);
/// The costs for the claim of infeasibility.
ProofCosts costs_for_infeasible(const Graph& graph);
/// The greatest claim, in joules, that a bound of so many units on the extra energy proves.
Joules claim_of_bound(const Graph& graph, const ProofCosts& costs, std::int64_t units);

/// A column of the model, or one of two constants.
using ProofColumn = int;
inline constexpr ProofColumn kAbsent = -1;   ///< 0
inline constexpr ProofColumn kCertain = -2;  ///< 1

/// A row as a line of a certificate, and what it states: the sum of the terms is at least `bound`.
/// Whole numbers.
struct ProofRow {
  std::string line;
  std::vector<std::pair<ProofColumn, std::int64_t>> terms{};
  std::int64_t bound = 0;
  bool rarely_tight = false;  ///< a hint, which late() sets: a relaxation may start without it

  ProofRow& add(std::int64_t coefficient, ProofColumn column);
  ProofRow& late(bool hint = true) {
    rarely_tight = hint;
    return *this;
  }
  /// Merges terms of one column. False if no 0/1 values can violate the row.
  bool finish();
};

/// What happens from moment `stage` up to and with the next one, which is `next`, or to the end.
/// Nodes have columns up to `stage`, but `first_written` for all nodes.
struct ProofInterval {
  int stage = 0;
  int next = 0;
  std::vector<ProofColumn> in_ram;           ///< S
  std::vector<ProofColumn> recomputed;       ///< R
  std::vector<ProofColumn> paged_in;         ///< I
  std::vector<ProofColumn> recomputed_ever;  ///< Z
  std::vector<ProofColumn> paged_in_ever;    ///< Y
  std::vector<ProofColumn> first_written;    ///< O

  bool is_one_stage() const { return next == stage + 1; }
};

/// The moment model: facts about the useful presences of one valid schedule at some moments, and
/// the rows that they satisfy, named as in certificates. docs/certificate-format.md states each
/// column and row, and proves it.
///
/// With a moment in every stage the rows are tighter than the collapsed model's, whose columns say
/// what a stage does. The model is small because it does not say in which stage of an interval
/// something happens, and it rests on no argument about what a best schedule can leave out.
class MomentModel {
 public:
  /// `writes`: also RAM that is held only to be written out.
  MomentModel(const Problem& problem, const ProofCosts& costs, const std::vector<int>& moments,
              bool writes);

  const Problem& problem() const { return problem_; }
  const Graph& graph() const { return problem_.graph; }
  const Node& node(int i) const { return problem_.graph.nodes[i]; }
  bool writes() const { return writes_; }
  bool overlaps() const { return problem_.limits.paging_time == PagingTime::overlapped; }
  const std::vector<ProofInterval>& intervals() const { return intervals_; }
  const std::vector<ProofColumn>& ever_paged() const { return ever_paged_; }  ///< P, by node

  std::size_t size() const { return costs_of_.size(); }
  std::int64_t cost(ProofColumn column) const { return costs_of_[column]; }
  const std::string& name(ProofColumn column) const { return names_[column]; }

  /// Bytes for other tensors beside what is certainly in RAM at the moment of an interval.
  Bytes free_at(const ProofInterval& interval) const;
  /// Whether a first computation of the interval reads node i.
  bool is_read_in(const ProofInterval& interval, int i) const;

 private:
  /// By node, the least energies from a presence in a stage, or later, to a first computation.
  struct Series {
    std::vector<std::int64_t> use;         // D
    std::vector<std::int64_t> after_idle;  // G
  };

  std::vector<Series> all_series() const;
  Series series_from(int stage, const Series* two_stages_later) const;
  void make_columns(ProofInterval& interval, const Series& series);
  void make_first_written(ProofInterval& interval, const Series& series);
  void cumulate(std::vector<ProofColumn>& now, const std::vector<ProofColumn>& later, char fact,
                int stage);
  ProofColumn add(char fact, int stage, int i, std::int64_t cost);
  bool is_affordable(std::int64_t cost) const { return cost < costs_.target; }

  const Problem& problem_;
  const ProofCosts& costs_;
  bool writes_;
  std::vector<ProofInterval> intervals_;
  std::vector<ProofColumn> ever_paged_;
  std::vector<std::int64_t> costs_of_;
  std::vector<std::string> names_;
};

}  // namespace poet

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "poet/problem.hpp"
#include "poet/schedule.hpp"
#include "solver/search/bits.hpp"

namespace poet {

/// A schedule under construction, for greedy steps: a tensor is dropped or paged for a whole
/// stretch of stages, and what has to be computed instead follows.
///
/// The state is, for every stage t, the set S[t] of tensors resident at its start and the set I[t]
/// of page-ins. Everything else follows: given S[t], S[t+1] and I[t], the cheapest computations of
/// stage t are the closure of "inputs of t that are not resident, and what t+1 keeps but neither t
/// holds nor a page-in brings" under "inputs of a recomputed node that are not resident".
///
/// The obvious representation stores all four sets of a stage and replays the schedule after each
/// edit, which costs all stages. Here an edit to a range of residency costs a re-evaluation of the
/// stages at its ends only; the stages inside just shift their peak by the tensor's size. Sets are
/// rows of 64-bit words, so that the closure of a stage takes a few word operations per computed
/// node. Edits go to a log and are undone by rollback() until commit(), because most steps are
/// tried only for their price. A search for better schedules needs less per node and more freedom:
/// see Timeline.
///
/// A paged tensor is written out once, in the stage after its first computation, and is pinned
/// there. RAM over the budget is allowed and counted (violation), so that a search can pass through
/// it.
class Plan {
 public:
  /// The baseline: everything kept until its last use.
  explicit Plan(const Problem& problem);
  /// The residency and the page-ins of a valid schedule; computations at their cheapest.
  Plan(const Problem& problem, const Schedule& schedule);

  const Problem& problem() const { return *problem_; }
  int size() const { return size_; }
  bool resident(int t, int i) const { return resident_.test(t, i); }
  bool paged_in(int t, int i) const { return page_in_.test(t, i); }
  bool computed(int t, int i) const { return compute_.test(t, i); }
  /// Whether stage t computes i or a node that reads it.
  bool touched(int t, int i) const;
  std::span<const Word> residents(int t) const { return resident_.row_span(t); }
  std::span<const Word> computations(int t) const { return compute_.row_span(t); }
  Bytes peak(int t) const { return peak_[t]; }

  /// Joules above those of the baseline.
  Joules extra_energy() const { return extra_energy_; }
  Seconds extra_runtime() const { return extra_runtime_; }
  /// Sum over stages of the bytes above the RAM budget and the penalties for recomputations that
  /// are not allowed, and the bytes above the budget of secondary storage.
  Bytes violation() const { return violation_ + std::max(Bytes{0}, written_ - storage_budget_); }
  /// Seconds above the runtime budget.
  Seconds overtime() const;
  bool feasible() const { return violation() == 0 && overtime() <= 0; }

  // Edits. Call settle() after them before reading any figure.
  /// Sets S[t,i] for t in [first, last]. Stages first..last-1 must not touch i.
  void set_resident(int i, int first, int last, bool value);
  void set_page_in(int t, int i, bool value);
  bool paged(int i) const { return page_count_[i] > 0; }
  /// Re-evaluates what the edits touched, latest stage first, and trims every resident tensor
  /// that its stage does not use and the next does not keep.
  void settle();
  void commit();    ///< keeps all edits since the last commit
  void rollback();  ///< undoes them

  /// Recomputes every figure from S and I, which removes the drift of many additions.
  void refresh();

  Schedule to_schedule() const;

 private:
  struct StageCost {
    Joules energy = 0;
    Seconds runtime = 0;
    Bytes forbidden = 0;  ///< penalty for recomputations that are not allowed
  };
  /// A computation of a stage.
  struct Step {
    int node;
    Bytes freed;   ///< after it
    Bytes beside;  ///< workspace, less the input whose RAM the output takes over
  };
  enum class Field : std::uint8_t { resident, page_in, compute };
  struct WordEdit {
    Field field;
    std::size_t index;
    Word old;
  };
  struct StageEdit {
    int stage;
    Bytes peak, held;
    StageCost cost;
  };

  BitMatrix& matrix(Field field);
  void write(Field field, int row, int word, Word value);
  void change_page_count(int i, int delta);
  void charge_transfers(int i, int outs, int ins);
  void set_stage(int t, Bytes held, Bytes peak, StageCost cost);
  void mark_dirty(int t);
  void evaluate(int t);
  void close_computations(int t);
  void drop_redundant_page_ins(int t);
  void trim(int t);
  bool pinned(int t, int i) const { return t == i + 1 && page_count_[i] > 0; }
  Bytes bytes_of(Word set, int word) const;
  Bytes violation_of(Bytes peak, const StageCost& cost) const;
  Bytes taken_over(int k, const Word* stays) const;
  const Word* find_stays(int t);
  Seconds transfer_seconds(int t) const;
  bool overlaps() const { return problem_->limits.paging_time == PagingTime::overlapped; }

  const Problem* problem_;
  int size_;
  BitMatrix inputs_;  // row k: the inputs of k
  int words_;
  BitMatrix resident_;  // S, with an empty row behind the last stage
  BitMatrix page_in_;   // I
  BitMatrix compute_;   // R and the diagonal
  std::vector<Bytes> peak_;
  std::vector<Bytes> held_;  // bytes of S[t]
  std::vector<StageCost> cost_;
  std::vector<int> page_count_;
  Seconds baseline_runtime_ = 0;
  Joules extra_energy_ = 0;
  Seconds extra_runtime_ = 0;
  Bytes violation_ = 0;  // without secondary storage
  Bytes written_ = 0;    // to secondary storage
  Bytes storage_budget_;

  // Undo log and work list.
  std::vector<WordEdit> word_log_;
  std::vector<StageEdit> stage_log_;
  std::vector<std::pair<int, int>> count_log_;
  Joules saved_energy_ = 0;
  Seconds saved_runtime_ = 0;
  Bytes saved_violation_ = 0;
  Bytes saved_written_ = 0;
  std::vector<bool> dirty_;
  int highest_dirty_ = -1;

  // Scratch of evaluate(): the nodes that the stage reads and still needs, and the computed nodes,
  // latest first.
  std::vector<Word> used_;
  std::vector<Word> needed_;
  std::vector<Word> stays_;
  std::vector<Step> order_;
  StageCost scratch_cost_;
};

}  // namespace poet

#include "solver/relaxation/row_loop.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "solver/milp/linear_program.hpp"
#include "solver/relaxation/bound_child.hpp"
#include "solver/work.hpp"

namespace poet {

template <>
inline constexpr auto kLast<RowLoopResult::Status> = RowLoopResult::Status::failed;

template <>
inline constexpr auto kFields<RowLoopResult> =
    kMembers<&RowLoopResult::status, &RowLoopResult::bound, &RowLoopResult::iterations,
             &RowLoopResult::work>;

namespace {

constexpr double kViolation = 1e-5;  // of a row that is worth adding
constexpr int kRoundsToGain = 3;
constexpr int kRoundsToClean = 5;          // rounds between removals of slack rows
constexpr std::size_t kFewViolated = 200;  // violated rows below which cuts are separated

double row_sum(const MilpRow& row, std::span<const double> values) {
  double sum = 0;
  for (const MilpTerm& term : row.terms) sum += term.coefficient * values[term.column];
  return sum;
}

class RowLoop {
 public:
  RowLoop(const Milp& milp, const RowLoopOptions& options)
      : options_(options),
        columns_(milp.columns.size()),
        nonzeros_(milp.nonzeros()),
        program_({.columns = milp.columns}) {
    std::vector<MilpRow> first;
    for (const MilpRow& row : milp.rows) (row.rarely_tight ? waiting_ : first).push_back(row);
    program_.add_rows(first);
    first_rows_ = static_cast<int>(first.size());
  }

  RowLoopResult run(const std::function<void(double)>& report) {
    RowLoopResult result;
    std::vector<double> bounds;
    do {
      const auto status = program_.solve(options_.ceiling, time_.remaining(),
                                         work_.iterations_until(options_.most_work, columns_));
      result.iterations += program_.iterations();
      work_.add_iterations(program_.iterations(), columns_);
      work_.add_round(nonzeros_);
      result.work = work_.moves();
      if (status == LinearProgram::Status::infeasible) return closed(result);
      if (status != LinearProgram::Status::optimal) break;
      result.status = RowLoopResult::Status::bounded;
      if (program_.bound() > result.bound) {
        result.bound = program_.bound();
        report(result.bound);
      }
      bounds.push_back(result.bound);
      if (bounds.size() % kRoundsToClean == 0) remove_slack_rows();
    } while (!stalled(bounds) && !over(result) && add_violated_rows());
    return result;
  }

 private:
  RowLoopResult closed(RowLoopResult result) const {
    const bool below_ceiling = options_.ceiling < kInfinity;
    result.status =
        below_ceiling ? RowLoopResult::Status::closed : RowLoopResult::Status::infeasible;
    if (below_ceiling) result.bound = options_.ceiling;
    return result;
  }

  bool over(const RowLoopResult& result) const {
    return time_.expired() || result.work >= options_.most_work;
  }

  bool stalled(const std::vector<double>& bounds) const {
    if (bounds.size() <= kRoundsToGain) return false;
    const double now = bounds.back();
    return now - bounds[bounds.size() - 1 - kRoundsToGain] < options_.least_gain * now;
  }

  bool add_violated_rows() {
    const auto values = program_.values();
    const auto violated =
        std::stable_partition(waiting_.begin(), waiting_.end(), [&](const MilpRow& row) {
          const double sum = row_sum(row, values);
          return sum >= row.lower - kViolation && sum <= row.upper + kViolation;
        });
    std::vector<MilpRow> cuts;
    const auto count = static_cast<std::size_t>(waiting_.end() - violated);
    if (options_.cuts && count < kFewViolated) cuts = options_.cuts(values);
    if (count == 0 && cuts.empty()) return false;
    std::vector<MilpRow> rows(std::make_move_iterator(violated),
                              std::make_move_iterator(waiting_.end()));
    waiting_.erase(violated, waiting_.end());
    std::move(cuts.begin(), cuts.end(), std::back_inserter(rows));
    program_.add_rows(rows);
    std::move(rows.begin(), rows.end(), std::back_inserter(entered_));
    return true;
  }

  /// Slack rows of the model wait again; slack cuts are forgotten.
  void remove_slack_rows() {
    std::vector<int> removed = program_.slack_rows();
    std::erase_if(removed, [this](int row) { return row < first_rows_; });
    program_.remove_rows(removed);
    std::vector<MilpRow> kept;
    auto next = removed.begin();
    for (std::size_t r = 0; r < entered_.size(); ++r) {
      if (next == removed.end() || *next != first_rows_ + static_cast<int>(r)) {
        kept.push_back(std::move(entered_[r]));
        continue;
      }
      ++next;
      if (entered_[r].rarely_tight) waiting_.push_back(std::move(entered_[r]));
    }
    entered_ = std::move(kept);
  }

  const RowLoopOptions& options_;
  std::size_t columns_;
  std::size_t nonzeros_;
  Work work_;
  LinearProgram program_;
  int first_rows_ = 0;            // of the program, which stay
  std::vector<MilpRow> entered_;  // the others in the program, in its order
  std::vector<MilpRow> waiting_;  // rows that are not in it
  Countdown time_{options_.time_limit_seconds};
};

}  // namespace

RowLoopResult run_row_loop(const Milp& milp, const RowLoopOptions& options,
                           const std::function<bool(double)>& progress) {
  return bound_in_child<RowLoopResult>(
      [&](const auto& report) { return RowLoop(milp, options).run(report); },
      [](const RowLoopResult&) {}, options.time_limit_seconds + kGrace, options.memory_bytes,
      progress);
}

}  // namespace poet

// Branch and bound whose tree is the certificate. It goes depth first, the lower side before the
// upper one, because a certificate has its tree in this order: text is written as leaves are found,
// and only one path of rows and bases is in memory. The target is fixed from the start, so that no
// node has to wait for a better schedule. A tree that was given up proves nothing, but the
// best leaf at its root proves a smaller bound.
//
// The rows of a leaf are numbered when they are first used, so that a file has only rows with
// prices.

#include "solver/moments/proof_search.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "solver/moments/proof_program.hpp"
#include "solver/moments/schedule_of_moments.hpp"
#include "solver/patience.hpp"
#include "solver/relaxation/counts.hpp"

namespace poet {
namespace {

constexpr int kRoundsToClean = 5;  // rounds between removals of slack rows
/// Strong branching: in models of so many columns, with so many counts, and what a side counts for
/// that gains nothing.
constexpr std::size_t kSmallModel = 3000;
constexpr std::size_t kMostLooks = 10;
constexpr double kLeastGain = 1e-3;
constexpr double kWhole = 1e-6;

/// Weight of a column that costs nothing, in units, if its tensor takes the whole budget.
constexpr double kOfNoCost = 1e-8;

/// Being in RAM, or being written out, decides what is computed, so that it is rarely a choice of
/// its own.
void add_without_cost(const MomentModel& model, std::vector<Count>& counts) {
  const auto budget = static_cast<double>(model.problem().limits.ram_budget_bytes);
  const auto add = [&](ProofColumn column, int i) {
    if (column < 0) return;
    const double share = static_cast<double>(model.node(i).bytes) / std::max(budget, 1.0);
    counts.push_back(
        {.kind = CountKind::one_column, .columns = {column}, .weight = kOfNoCost * share});
  };
  for (const ProofInterval& interval : model.intervals()) {
    for (int i = 0; i < interval.stage; ++i) {
      add(interval.in_ram[i], i);
      add(interval.first_written[i], i);
    }
  }
}

/// What the search for proofs branches on. A relaxation moves a recomputation from one moment to
/// the next at no cost, so that fixing a single column changes nothing; how often something happens
/// at all is what it cannot hide (docs/formulation.md, "Branching on counts"). They are the full
/// model's counts, over the columns of this one. Columns without a cost come last, so that a node
/// whose counts are all whole can still be divided.
std::vector<Count> proof_counts(const MomentModel& model) {
  CountCollector collector;
  const auto add = [&](const char* fact, const std::vector<ProofColumn>& columns) {
    if (columns.empty()) return;
    collector.add(fact, static_cast<double>(model.cost(columns.front())), columns);
  };
  for (int i = 0; i < model.graph().size(); ++i) {
    std::vector<ProofColumn> recomputed;
    std::vector<ProofColumn> paged_in;
    for (const ProofInterval& interval : model.intervals()) {
      if (i > interval.stage) continue;
      if (interval.recomputed[i] >= 0) recomputed.push_back(interval.recomputed[i]);
      if (interval.paged_in[i] >= 0) paged_in.push_back(interval.paged_in[i]);
    }
    add("R", recomputed);
    add("I", paged_in);
    if (model.ever_paged()[i] >= 0) add("P", {model.ever_paged()[i]});
  }
  std::vector<Count> counts = std::move(collector).all();
  add_without_cost(model, counts);
  return counts;
}

class ProofSearch {
 public:
  ProofSearch(const MomentModel& model, const ProofCosts& costs, std::vector<ProofRow> rows,
              const ProofSearchLimits& limits, const ProofReport& report,
              const PointTaker& take_point)
      : model_(model),
        costs_(costs),
        limits_(limits),
        report_(report),
        take_point_(take_point),
        program_(model, costs, std::move(rows), limits.seconds, limits.most_work),
        counts_(proof_counts(model)) {}

  ProofAttempt run() {
    visit(0, false);
    if (!costs_.proves_infeasible()) attempt_.target = program_.target();
    if (!given_up_) {
      attempt_.status = ProofAttempt::Status::proven;
      attempt_.proof = std::move(text_);
      attempt_.units = attempt_.target;
    } else if (attempt_.units > 0) {
      attempt_.status = ProofAttempt::Status::weaker;
    }
    attempt_.work = program_.work();
    return std::move(attempt_);
  }

 private:
  using Outcome = ProofProgram::Outcome;

  /// The node at the end of the present branches, and everything below it. `taken`: a point above
  /// it with the same costs has been looked at.
  void visit(int depth, bool taken) {
    std::optional<CountSplit> split;
    do {
      const Outcome outcome = relax(depth);
      if (outcome == Outcome::closed) return write_leaf(text_);
      if (outcome == Outcome::failed || program_.expired()) {
        given_up_ = true;
        return;
      }
      if (limits_.root_only) return give_up_at_point();
      split = choose_split();
      // A whole point has to fit to the byte.
    } while (!split && program_.add_violated_rows(true));
    const bool costs_nothing = split && counts_[split->count].weight <= kOfNoCost;
    // On the way down to the first leaf each point is another, and often a better schedule.
    if (!split || text_.leaves == 0 || (costs_nothing && !taken)) {
      take_point();
      if (program_.closes()) return write_leaf(text_);
      if (given_up_) return;
    }
    taken = costs_nothing;
    if (!split) {
      if (program_.closes_at_an_edge()) return write_leaf(text_);
      return give_up_at_point();
    }
    text_.tree += fmt::format("B {}", split->most);
    for (const ProofColumn column : counts_[split->count].columns) {
      text_.tree += fmt::format(";{}", model_.name(column));
    }
    text_.tree += '\n';
    const ProofProgram::Place place = program_.place();
    for (const bool up : {false, true}) {
      if (given_up_) return;
      if (up) program_.return_to(place);
      program_.push_branch(side(*split, up));
      visit(depth + 1, taken);
      program_.pop_branch();
    }
  }

  void give_up_at_point() {
    given_up_ = true;
    attempt_.point = schedule_of_moments(model_, program_.values());
  }

  void take_point() {
    if (!take_point_) return;
    const auto target = take_point_(schedule_of_moments(model_, program_.values()));
    if (!target) return;
    program_.lower_target(*target);
    given_up_ = costs_.proves_infeasible();
  }

  /// Solves the relaxation of a node, with rows as they are violated.
  Outcome relax(int depth) {
    std::vector<double> bounds;
    do {
      const Outcome outcome = program_.solve();
      if (outcome != Outcome::open) return outcome;
      bounds.push_back(program_.bound());
      if (depth == 0) note_root();
      if (bounds.size() % kRoundsToClean == 0) program_.remove_slack_rows();
    } while (!stalled(bounds, depth == 0 ? kAtRootOfProof : kInTreeOfProof) &&
             program_.add_violated_rows());
    return Outcome::open;
  }

  /// The best leaf at the root is a proof of its own.
  void note_root() {
    if (program_.units() <= attempt_.units) return;
    attempt_.units = program_.units();
    attempt_.proof = {};
    write_leaf(attempt_.proof);
    numbers_.clear();
    report_({.units = attempt_.units, .schedule = {}});
  }

  /// Of an infeasible problem nothing says how far it is.
  bool stalled(const std::vector<double>& bounds, const Patience& patience) const {
    const double missing = costs_.proves_infeasible() ? 1e-6 : program_.ceiling() - bounds.back();
    return patience.is_over(bounds, missing);
  }

  /// Strong branching: of the best counts the one whose sides gain most, by a few iterations. The
  /// first is taken unseen where the linear programs are large.
  std::optional<CountSplit> choose_split() {
    const bool looks = model_.size() <= kSmallModel;
    const std::vector<CountSplit> splits = best_splits(
        counts_, program_.values(), {.most = looks ? kMostLooks : 1, .distance = kWhole});
    if (splits.empty()) return std::nullopt;
    if (splits.size() == 1) return splits.front();
    std::optional<CountSplit> best;
    double most = -1;
    for (const CountSplit& split : splits) {
      const double worth = std::max(program_.gain(side(split, false)), kLeastGain) *
                           std::max(program_.gain(side(split, true)), kLeastGain);
      if (worth <= most) continue;
      most = worth;
      best = split;
    }
    return best;
  }

  ProofRow side(const CountSplit& split, bool up) const {
    ProofRow row{.line = ""};
    for (const ProofColumn column : counts_[split.count].columns) row.add(up ? 1 : -1, column);
    row.bound += up ? split.most + 1 : -split.most;
    row.finish();
    return row;
  }

  void write_leaf(ProofText& text) {
    const ProofProgram::Leaf& leaf = program_.leaf();
    text.tree += leaf.is_conflict ? "F" : fmt::format("L {}", leaf.prices.exponent);
    for (const auto& [row, price] : leaf.prices.of_rows) {
      if (row < 0) {
        text.tree += fmt::format(" b{} {}", -1 - row, price);
        continue;
      }
      const auto [number, is_new] = numbers_.try_emplace(row, static_cast<int>(text.rows.size()));
      if (is_new) text.rows.push_back(program_.line(row));
      text.tree += fmt::format(" {} {}", number->second, price);
    }
    text.tree += '\n';
    ++text.leaves;
  }

  const MomentModel& model_;
  const ProofCosts& costs_;
  const ProofSearchLimits& limits_;
  const ProofReport& report_;
  const PointTaker& take_point_;
  ProofProgram program_;
  std::vector<Count> counts_;
  std::map<int, int> numbers_;  // of rows in the certificate
  ProofText text_;
  bool given_up_ = false;
  ProofAttempt attempt_;
};

}  // namespace

ProofAttempt search_proof(const MomentModel& model, const ProofCosts& costs,
                          std::vector<ProofRow> rows, const ProofSearchLimits& limits,
                          const ProofReport& report, const PointTaker& take_point) {
  return ProofSearch(model, costs, std::move(rows), limits, report, take_point).run();
}

}  // namespace poet

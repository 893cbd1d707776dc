// Branch and bound whose tree is the certificate. The best node comes first, so that the worst
// leaf, which is what a tree proves that is given up, rises all the time. Leaves are nodes that
// reach the target, and in a tree that was given up all that are not divided.
//
// The rows of a leaf are numbered as the tree is written, so that a file has only rows with prices.

#include "solver/moments/proof_search.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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
constexpr std::size_t kMostLooks = 5;
constexpr double kLeastGain = 1e-3;
constexpr double kWhole = 1e-6;
/// How much worse than the best node a side may be to be next, as a share of what the best misses.
constexpr double kWorthADive = 0.25;
/// A tree ends if the most that its model can prove is this much of what is missing above it.
constexpr double kLeftByWhole = 0.1;
/// A tree that has closed this share of what its root missed may take longer; of fewer leaves, once
/// half of its time is over, a part in proportion is enough.
constexpr double kPromise = 0.1;
constexpr double kFewLeaves = 8;

/// Weight of a column that costs nothing, in units, if its tensor takes the whole budget.
constexpr double kOfNoCost = 1e-8;

/// Being in RAM, or being written out, decides what is computed, so that it is rarely a choice of
/// its own.
void add_without_cost(const MomentModel& model, std::vector<Count>& counts) {
  const auto budget = static_cast<double>(model.problem().limits.ram_budget_bytes);
  const auto add = [&](ProofColumn column, int i) {
    if (column < 0) return;
    const double share = static_cast<double>(model.node(i).bytes) / std::max(budget, 1.0);
    counts.push_back({.columns = {column}, .weight = kOfNoCost * share, .is_one_column = true});
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
  CountCollector collector(model.graph());
  const auto add = [&](const char* fact, int i, const std::vector<ProofColumn>& columns) {
    if (columns.empty()) return;
    collector.add(fact, i, static_cast<double>(model.cost(columns.front())), columns);
  };
  for (int i = 0; i < model.graph().size(); ++i) {
    std::vector<ProofColumn> recomputed;
    std::vector<ProofColumn> paged_in;
    for (const ProofInterval& interval : model.intervals()) {
      if (i > interval.stage) continue;
      if (interval.recomputed[i] >= 0) recomputed.push_back(interval.recomputed[i]);
      if (interval.paged_in[i] >= 0) paged_in.push_back(interval.paged_in[i]);
    }
    add("R", i, recomputed);
    add("I", i, paged_in);
    if (model.ever_paged()[i] >= 0) add("P", i, {model.ever_paged()[i]});
  }
  std::vector<Count> counts = std::move(collector).all();
  add_without_cost(model, counts);
  return counts;
}

/// A node of the tree. One that is not divided has prices that prove `units` of it.
struct TreeNode {
  std::int64_t units = 0;
  ProofProgram::Leaf leaf;
  ProofProgram::Place place;  ///< while it is open
  bool taken = false;         ///< a point above it with the same costs has been looked at
  std::optional<CountSplit> split{};
  std::array<int, 2> sides = {-1, -1};
};

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
    add_node({});
    look(0);
    root_ = least();
    for (int last = 0; !is_over();) {
      const int node = next(last);
      if (go_to(node)) divide(node);
      last = node;
      if (attempt_.is_promising || !is_promising()) continue;
      attempt_.is_promising = true;
      program_.allow(std::max(limits_.seconds, limits_.most_seconds));
    }
    finish();
    return std::move(attempt_);
  }

 private:
  using Outcome = ProofProgram::Outcome;

  bool is_over() const {
    if (failed_ || found_ || limits_.root_only || program_.expired()) return true;
    const auto missing = static_cast<double>(program_.target() - least());
    if (missing <= 0) return true;
    return whole_ >= 0 &&
           static_cast<double>(tree_[whole_].units - least()) <= kLeftByWhole * missing;
  }

  bool is_promising() const {
    const auto leaves = static_cast<double>(tree_.size() + 1) / 2;
    const double part = program_.is_late() ? std::min(1.0, leaves / kFewLeaves) : 1;
    const auto missing = static_cast<double>(program_.target() - root_);
    return static_cast<double>(least() - root_) >= kPromise * part * missing;
  }

  /// The units that the tree proves: of its worst leaf.
  std::int64_t least() const {
    std::int64_t units = program_.target();
    if (!open_.empty()) units = std::min(units, open_.begin()->first);
    if (whole_ >= 0) units = std::min(units, tree_[whole_].units);
    return units;
  }

  /// The better side of the last node while it is not much worse than the best node, as points of
  /// deep nodes become schedules; else the best node.
  int next(int last) const {
    const double worst = closed_ == 0 ? 1 : kWorthADive;
    const auto room = static_cast<double>(program_.target() - least());
    int best = -1;
    for (const int side : tree_[last].sides) {
      if (side < 0 || !open_.contains(key(side))) continue;
      if (static_cast<double>(tree_[side].units - least()) > worst * room) continue;
      if (best < 0 || tree_[side].units < tree_[best].units) best = side;
    }
    return best >= 0 ? best : -open_.begin()->second;
  }

  /// Returns false if the node is closed now, or the search has failed.
  bool go_to(int node) {
    if (node == at_) return true;
    program_.return_to(tree_[node].place);
    if (!keep(node, program_.solve())) return false;
    at_ = node;
    return true;
  }

  void divide(int node) {
    const std::optional<CountSplit> split = choose_split();
    if (!split) return look(node);  // another optimum than the first time
    tree_[node].split = split;
    const ProofProgram::Place place = program_.place();
    open_.erase(key(node));
    const TreeNode half{.units = tree_[node].units,
                        .leaf = std::move(tree_[node].leaf),
                        .taken = tree_[node].taken};
    const std::array<int, 2> sides = {add_node(half), add_node(half)};
    tree_[node].sides = sides;
    tree_[node].place = {};
    for (const bool up : {false, true}) {
      if (failed_ || found_) return;
      if (up) program_.return_to(place);
      program_.push_branch(side(*split, up));
      look(sides[up ? 1 : 0]);
    }
  }

  /// Relaxes the node that the program is at.
  void look(int node) {
    at_ = -1;
    std::vector<CountSplit> splits;
    do {
      if (!relax(node)) return;
      if (limits_.root_only) {
        attempt_.point = schedule_of_moments(model_, program_.values());
        return;
      }
      splits = best_splits(counts_, program_.values(), {.most = 1, .distance = kWhole});
      // A whole point has to fit to the byte.
    } while (splits.empty() && program_.add_violated_rows(true));
    const bool is_whole = splits.empty();
    const bool costs_nothing = !is_whole && counts_[splits.front().count].weight <= kOfNoCost;
    // On the way down to the first leaf each point is another, and often a better schedule.
    if (is_whole || closed_ == 0 || (costs_nothing && !tree_[node].taken)) {
      take_point();
      if (found_) return;
      if (program_.closes()) return close(node);
    }
    tree_[node].taken = costs_nothing;
    if (is_whole) return program_.closes_at_an_edge() ? close(node) : keep_whole(node);
    tree_[node].place = program_.place();
    at_ = node;
  }

  void close(int node) { keep(node, Outcome::closed); }

  /// The model proves no more of a node whose point is whole.
  void keep_whole(int node) {
    open_.erase(key(node));
    if (whole_ >= 0 && tree_[whole_].units <= tree_[node].units) return;
    whole_ = node;
    attempt_.point = schedule_of_moments(model_, program_.values());
  }

  void take_point() {
    if (!take_point_) return;
    const auto target = take_point_(schedule_of_moments(model_, program_.values()));
    if (!target) return;
    program_.lower_target(*target);
    found_ = costs_.proves_infeasible();
  }

  /// Solves the relaxation of a node, with rows as they are violated. Returns whether it is open.
  bool relax(int node) {
    const Patience& patience = node == 0 ? kAtRootOfProof : kInTreeOfProof;
    std::vector<double> bounds;
    do {
      if (!keep(node, program_.solve())) return false;
      bounds.push_back(program_.bound());
      if (bounds.size() % kRoundsToClean == 0) program_.remove_slack_rows();
    } while (!stalled(bounds, patience) && program_.add_violated_rows());
    return true;
  }

  /// Keeps what is proven of a node now. Returns whether it is open.
  bool keep(int number, Outcome outcome) {
    TreeNode& node = tree_[number];
    failed_ = outcome == Outcome::failed;
    if (failed_) return false;
    open_.erase(key(number));
    if (outcome == Outcome::closed || program_.units() > node.units) {
      node.units = program_.units();
      node.leaf = program_.leaf();
    }
    if (outcome == Outcome::closed) {
      node.place = {};
      ++closed_;
    } else {
      open_.insert(key(number));
    }
    if (!costs_.proves_infeasible() && least() > attempt_.units) {
      attempt_.units = least();
      report_({.units = attempt_.units, .schedule = {}});
    }
    return outcome == Outcome::open;
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

  void finish() {
    if (!costs_.proves_infeasible()) attempt_.target = program_.target();
    const bool proven = !found_ && least() >= program_.target();
    if (proven) {
      attempt_.status = ProofAttempt::Status::proven;
      attempt_.units = attempt_.target;
    } else if (attempt_.units > 0) {
      attempt_.status = ProofAttempt::Status::weaker;
    }
    if (attempt_.status != ProofAttempt::Status::nothing) {
      write(proven ? costs_.target : attempt_.units);
    }
    attempt_.work = program_.work();
  }

  /// The tree as a proof of so many units. Its model has no columns that cost more, and they count
  /// for nothing in a leaf. Only branches name columns.
  void write(std::int64_t units) {
    if (!tree_.front().split) return write(tree_.front(), {});
    ProofCosts costs = costs_;
    if (units < costs.target) costs = costs_for_less(model_.graph(), costs, units);
    std::vector<int> moments;
    for (const ProofInterval& interval : model_.intervals()) moments.push_back(interval.stage);
    const MomentModel model(model_.problem(), costs, moments, model_.writes());
    std::set<std::string_view> columns;
    for (std::size_t c = 0; c < model.size(); ++c) {
      columns.insert(model.name(static_cast<ProofColumn>(c)));
    }
    write(tree_.front(), columns);
  }

  void write(const TreeNode& node, const std::set<std::string_view>& columns) {
    ProofText& text = attempt_.proof;
    if (node.split) {
      std::string names;
      for (const ProofColumn column : counts_[node.split->count].columns) {
        if (columns.contains(model_.name(column))) names += ";" + model_.name(column);
      }
      // Without columns all points are on the lower side.
      const bool divides = !names.empty();
      if (divides) text.tree += fmt::format("B {}{}\n", node.split->most, names);
      depths_.push_back(divides ? depth_++ : -1);
      write(tree_[node.sides[0]], columns);
      if (divides) write(tree_[node.sides[1]], columns);
      depths_.pop_back();
      if (divides) --depth_;
      return;
    }
    text.tree += node.leaf.is_conflict ? "F" : fmt::format("L {}", node.leaf.prices.exponent);
    for (const auto& [row, price] : node.leaf.prices.of_rows) {
      if (row < 0) {
        const int depth = depths_[-1 - row];
        if (depth >= 0) text.tree += fmt::format(" b{} {}", depth, price);
        continue;
      }
      const auto [number, is_new] = numbers_.try_emplace(row, static_cast<int>(text.rows.size()));
      if (is_new) text.rows.push_back(program_.line(row));
      text.tree += fmt::format(" {} {}", number->second, price);
    }
    text.tree += '\n';
    ++text.leaves;
  }

  int add_node(TreeNode node) {
    tree_.push_back(std::move(node));
    const int number = static_cast<int>(tree_.size()) - 1;
    open_.insert(key(number));
    return number;
  }

  /// By what is proven; of equal nodes the last comes first.
  std::pair<std::int64_t, int> key(int node) const { return {tree_[node].units, -node}; }

  const MomentModel& model_;
  const ProofCosts& costs_;
  const ProofSearchLimits& limits_;
  const ProofReport& report_;
  const PointTaker& take_point_;
  ProofProgram program_;
  std::vector<Count> counts_;
  std::vector<TreeNode> tree_;
  std::set<std::pair<std::int64_t, int>> open_;  // keys
  int at_ = -1;                                  // the node that the program is at
  int whole_ = -1;                               // the worst node whose point is whole
  int closed_ = 0;
  std::int64_t root_ = 0;  // what the root proves
  bool failed_ = false;
  bool found_ = false;  // a schedule of what should have none
  // Of the certificate: numbers of rows, and on the way down the depths of branches (-1: left out).
  std::map<int, int> numbers_;
  std::vector<int> depths_;
  int depth_ = 0;
  ProofAttempt attempt_;
};

}  // namespace

ProofAttempt search_proof(const MomentModel& model, const ProofCosts& costs,
                          std::vector<ProofRow> rows, const ProofSearchLimits& limits,
                          const ProofReport& report, const PointTaker& take_point) {
  return ProofSearch(model, costs, std::move(rows), limits, report, take_point).run();
}

}  // namespace poet

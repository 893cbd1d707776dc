#include "certify/proof_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "certify/leaf.hpp"
#include "certify/moment_rows.hpp"
#include "certify/proof_counts.hpp"
#include "solver/milp/linear_program.hpp"
#include "solver/work.hpp"

namespace poet {
namespace {

/// The objective of the linear programs is 1e4 at the target.
constexpr double kTarget = 1e4;
/// A leaf of whole prices needs a little more than the target, which rounding takes.
constexpr double kCeiling = kTarget * (1 + 1e-6);
/// Of the prices of leaves, in units and in shares of the greatest: the first that proves counts,
/// as coarse prices are short. Prices of rows in bytes are small, and take the last.
constexpr int kExponents[] = {14, 6, -2, -10, -18, -26};
constexpr int kRayExponents[] = {-16, -32, -50};
constexpr double kRowViolation = 1e-4;     // of a row that is worth adding
constexpr std::size_t kFewViolated = 300;  // violated rows below which rows are separated
constexpr int kRoundsToClean = 5;          // rounds between removals of slack rows
constexpr double kFraction = 1e-6;         // of a count that is not whole
/// Strong branching: in models of so many columns, with so many counts and iterations, and what a
/// side counts for that gains nothing.
constexpr std::size_t kSmallModel = 3000;
constexpr std::size_t kMostLooks = 10;
constexpr int kLookIterations = 200;
constexpr double kLeastGain = 1e-3;
/// A node is left when so many rounds close less than a share of the distance to the target.
struct Patience {
  int rounds = 0;
  double gain = 0;
};
constexpr Patience kAtRoot{.rounds = 6, .gain = 0.02};
constexpr Patience kInTree{.rounds = 3, .gain = 0.04};

/// Coefficients in bytes or units of time are brought below 2^11, exactly.
double scale_of(const ProofRow& row) {
  constexpr int kBits = 10;
  std::int64_t greatest = 1;
  for (const auto& [column, coefficient] : row.terms) {
    greatest = std::max(greatest, std::abs(coefficient));
  }
  const int bits = std::ilogb(static_cast<double>(greatest));
  return bits > kBits + 1 ? std::ldexp(1.0, kBits - bits) : 1;
}

class ProofSearch {
 public:
  ProofSearch(const MomentModel& model, const ProofCosts& costs, const ProofSearchLimits& limits)
      : model_(model),
        costs_(costs),
        limits_(limits),
        unit_(costs.proves_infeasible() ? 1 : kTarget / static_cast<double>(costs.target)),
        program_(columns()),
        counts_(proof_counts(model)),
        clock_(limits.seconds) {
    pool_ = moment_rows(model);
    in_program_.assign(pool_.size(), false);
    std::vector<int> first;
    for (std::size_t r = 0; r < pool_.size(); ++r) {
      known_.insert(pool_[r].line);
      if (!pool_[r].rarely_tight) first.push_back(static_cast<int>(r));
    }
    enter(first);
  }

  ProofAttempt run() {
    visit();
    if (!given_up_) {
      attempt_.status = ProofAttempt::Status::proven;
      attempt_.proof = std::move(text_);
    } else if (conflict_) {
      attempt_.status = ProofAttempt::Status::conflict;
    } else if (attempt_.units > 0) {
      attempt_.status = ProofAttempt::Status::weaker;
    }
    return std::move(attempt_);
  }

 private:
  struct Branch {
    int count = 0;
    ProofRow row;
  };

  Milp columns() const {
    Milp milp;
    for (std::size_t c = 0; c < model_.size(); ++c) {
      const auto cost = static_cast<double>(model_.cost(static_cast<ProofColumn>(c)));
      milp.columns.push_back({.cost = costs_.proves_infeasible() ? 0 : unit_ * cost});
    }
    return milp;
  }

  /// The row behind a row of the program: of the pool, or of a branch, which are negative.
  const ProofRow& row(int entry) const { return entry >= 0 ? pool_[entry] : path_[-1 - entry].row; }

  void enter(std::span<const int> entries) {
    std::vector<MilpRow> rows;
    for (const int entry : entries) {
      const ProofRow& proof_row = row(entry);
      const double scale = scale_of(proof_row);
      MilpRow& added = rows.emplace_back();
      added.lower = scale * static_cast<double>(proof_row.bound);
      for (const auto& [column, coefficient] : proof_row.terms) {
        added.terms.push_back(
            {.column = column, .coefficient = scale * static_cast<double>(coefficient)});
      }
      if (entry >= 0) in_program_[entry] = true;
      entries_.push_back(entry);
    }
    if (!rows.empty()) program_.add_rows(rows);
  }

  void remove(const std::vector<int>& positions) {
    if (positions.empty()) return;
    program_.remove_rows(positions);
    std::vector<int> kept;
    auto next = positions.begin();
    for (std::size_t position = 0; position < entries_.size(); ++position) {
      if (next != positions.end() && *next == static_cast<int>(position)) {
        if (entries_[position] >= 0) in_program_[entries_[position]] = false;
        ++next;
      } else {
        kept.push_back(entries_[position]);
      }
    }
    entries_ = std::move(kept);
  }

  void remove_slack_rows() {
    std::vector<int> slack = program_.slack_rows();
    std::erase_if(slack, [this](int position) { return entries_[position] < 0; });
    remove(slack);
  }

  std::vector<const ProofRow*> rows_in_program() const {
    std::vector<const ProofRow*> rows;
    for (const int entry : entries_) rows.push_back(&row(entry));
    return rows;
  }

  /// The prices of the program's rows as prices of the rows behind them, times a factor.
  std::vector<double> of_proof_rows(std::span<const double> prices, double factor) const {
    std::vector<double> scaled;
    for (std::size_t r = 0; r < prices.size(); ++r) {
      scaled.push_back(prices[r] * scale_of(row(entries_[r])) * factor);
    }
    return scaled;
  }

  /// Writes the leaf if these prices, rounded, prove it.
  bool closes(std::span<const double> prices) {
    if (costs_.proves_infeasible()) return false;
    const std::vector<double> in_units = of_proof_rows(prices, 1 / unit_);
    const std::vector<const ProofRow*> rows = rows_in_program();
    for (const int exponent : kExponents) {
      const WholePrices whole = whole_prices(in_units, exponent);
      const std::int64_t units = proven_units(model_, rows, whole);
      const std::string kind = fmt::format("L {}", exponent);
      if (units >= costs_.target) {
        write_leaf(kind, whole, text_);
        return true;
      }
      if (path_.empty() && units > attempt_.units) {
        attempt_.units = units;
        write_alone(kind, whole);
      }
    }
    return false;
  }

  bool closes_as_conflict(std::span<const double> prices) {
    std::vector<double> relative = of_proof_rows(prices, 1);
    const double greatest =
        relative.empty() ? 0 : *std::max_element(relative.begin(), relative.end());
    if (!(greatest > 0)) return false;
    for (double& price : relative) price /= greatest;
    for (const int exponent : kRayExponents) {
      const WholePrices whole = whole_prices(relative, exponent);
      if (!proves_no_point(model_, rows_in_program(), whole)) continue;
      write_leaf("F", whole, text_);
      return true;
    }
    return false;
  }

  bool is_closed() {
    if (closes(program_.prices())) return true;
    if (!program_.ray().empty() && closes_as_conflict(program_.ray())) return true;
    const std::vector<double> prices = program_.prices_of_conflict(clock_.remaining());
    return !prices.empty() && closes_as_conflict(prices);
  }

  void write_leaf(const std::string& kind, const WholePrices& prices, ProofText& text) {
    text.tree += kind;
    for (const auto& [position, price] : prices.of_rows) {
      const int entry = entries_[position];
      if (entry < 0) {
        text.tree += fmt::format(" b{} {}", -1 - entry, price);
        continue;
      }
      const auto [number, is_new] = numbers_.try_emplace(entry, static_cast<int>(text.rows.size()));
      if (is_new) text.rows.push_back(pool_[entry].line);
      text.tree += fmt::format(" {} {}", number->second, price);
    }
    text.tree += '\n';
    ++text.leaves;
  }

  /// The best leaf at the root as a proof of its own.
  void write_alone(const std::string& kind, const WholePrices& prices) {
    numbers_.clear();
    attempt_.proof = {};
    write_leaf(kind, prices, attempt_.proof);
    numbers_.clear();
  }

  enum class Node { closed, open, failed };

  /// Solves the relaxation of a node, with rows as they are violated.
  Node relax() {
    const Patience patience = path_.empty() ? kAtRoot : kInTree;
    std::vector<double> bounds;
    do {
      const double ceiling = costs_.proves_infeasible() ? kInfinity : kCeiling;
      const auto status = program_.solve(ceiling, std::max(0.1, clock_.remaining()));
      if (clock_.expired()) return Node::failed;
      if (status != LinearProgram::Status::optimal) {
        if (is_closed()) return Node::closed;
        // Clp passed the ceiling, or found no point, on prices that do not prove it.
        if (program_.solve(kInfinity, clock_.remaining()) != LinearProgram::Status::optimal) {
          return is_closed() ? Node::closed : Node::failed;
        }
      }
      if (closes(program_.prices())) return Node::closed;
      bounds.push_back(program_.bound());
      if (path_.empty()) attempt_.root = std::max(attempt_.root, bounds.back() / kTarget);
      if (bounds.size() % kRoundsToClean == 0) remove_slack_rows();
    } while (!stalled(bounds, patience) && add_violated_rows());
    return Node::open;
  }

  bool stalled(const std::vector<double>& bounds, const Patience& patience) const {
    const auto rounds = static_cast<std::size_t>(patience.rounds);
    if (bounds.size() <= rounds) return false;
    const double gained = bounds.back() - bounds[bounds.size() - 1 - rounds];
    const double missing = costs_.proves_infeasible() ? 1e-6 : kTarget - bounds.back();
    return gained < patience.gain * missing;
  }

  bool add_violated_rows() {
    const std::span<const double> now = program_.values();
    const std::vector<double> values(now.begin(), now.end());
    std::vector<int> violated;
    for (std::size_t r = 0; r < pool_.size(); ++r) {
      if (in_program_[r]) continue;
      double sum = 0;
      for (const auto& [column, coefficient] : pool_[r].terms) {
        sum += static_cast<double>(coefficient) * values[column];
      }
      const double missing = static_cast<double>(pool_[r].bound) - sum;
      if (scale_of(pool_[r]) * missing > kRowViolation) violated.push_back(static_cast<int>(r));
    }
    if (violated.size() < kFewViolated) {
      for (ProofRow& row : violated_paths(model_, values)) take(std::move(row), violated);
      for (ProofRow& row : violated_ram(model_, values, roundings_)) take(std::move(row), violated);
    }
    enter(violated);
    return !violated.empty();
  }

  void take(ProofRow row, std::vector<int>& violated) {
    if (!known_.insert(row.line).second) return;
    violated.push_back(static_cast<int>(pool_.size()));
    pool_.push_back(std::move(row));
    in_program_.push_back(false);
  }

  /// The node at the end of the path, and everything below it.
  void visit() {
    ++nodes_;
    const Node node = relax();
    if (node == Node::closed) return;
    if (node == Node::failed || clock_.expired() || is_hopeless()) {
      given_up_ = true;
      return;
    }
    const std::vector<unsigned char> basis = program_.basis();
    const std::optional<CountSplit> split = choose_split(basis);
    if (!split) {
      given_up_ = conflict_ = true;
      return;
    }
    text_.tree += fmt::format("B {}", split->most);
    for (const ProofColumn column : counts_[split->count].columns) {
      text_.tree += fmt::format(";{}", model_.name(column));
    }
    text_.tree += '\n';
    const std::vector<int> entries = entries_;
    for (const bool up : {false, true}) {
      if (given_up_) return;
      if (up) return_to(entries, basis);
      path_.push_back({.count = split->count, .row = side(*split, up)});
      const int entry = -static_cast<int>(path_.size());
      enter(std::span(&entry, 1));
      visit();
      path_.pop_back();
    }
  }

  /// Strong branching: of the best counts the one whose worse side gains most, by a few iterations.
  /// The first is taken unseen where the linear programs are large.
  std::optional<CountSplit> choose_split(const std::vector<unsigned char>& basis) {
    const bool looks = model_.size() <= kSmallModel;
    const std::vector<CountSplit> splits =
        best_splits(counts_, program_.values(), looks ? kMostLooks : 1);
    if (splits.empty()) return std::nullopt;
    if (splits.size() == 1) return splits.front();
    const double bound = program_.bound();
    std::optional<CountSplit> best;
    double most = -1;
    for (const CountSplit& split : splits) {
      const double lower = gain(split, false, bound, basis);
      const double upper = gain(split, true, bound, basis);
      const double worth = std::max(lower, kLeastGain) * std::max(upper, kLeastGain);
      if (worth <= most) continue;
      most = worth;
      best = split;
    }
    return best;
  }

  /// What one side of a branch adds to the bound in a few iterations.
  double gain(const CountSplit& split, bool up, double bound,
              const std::vector<unsigned char>& basis) {
    const ProofRow row = side(split, up);
    MilpRow added{.lower = static_cast<double>(row.bound)};
    for (const auto& [column, coefficient] : row.terms) {
      added.terms.push_back({.column = column, .coefficient = static_cast<double>(coefficient)});
    }
    program_.add_rows(std::span(&added, 1));
    const auto status = program_.solve(kCeiling, clock_.remaining(), kLookIterations);
    double reached = bound;
    if (status == LinearProgram::Status::optimal) reached = program_.bound();
    if (status == LinearProgram::Status::infeasible) reached = kTarget;
    const int last = program_.rows() - 1;
    program_.remove_rows(std::span(&last, 1));
    program_.set_basis(basis);
    return std::clamp(reached - bound, 0.0, std::max(0.0, kTarget - bound));
  }

  bool is_hopeless() const {
    if (limits_.nodes > 0 && nodes_ >= limits_.nodes) return true;
    return path_.empty() && !costs_.proves_infeasible() && attempt_.root < limits_.least_root;
  }

  ProofRow side(const CountSplit& split, bool up) const {
    ProofRow row{.line = ""};
    for (const ProofColumn column : counts_[split.count].columns) row.add(up ? 1 : -1, column);
    row.bound += up ? split.most + 1 : -split.most;
    row.finish();
    return row;
  }

  /// The rows and the basis of a node whose lower side has been visited.
  void return_to(const std::vector<int>& entries, const std::vector<unsigned char>& basis) {
    std::vector<int> every(entries_.size());
    for (std::size_t position = 0; position < every.size(); ++position) {
      every[position] = static_cast<int>(position);
    }
    remove(every);
    enter(entries);
    program_.set_basis(basis);
  }

  const MomentModel& model_;
  const ProofCosts& costs_;
  const ProofSearchLimits& limits_;
  double unit_;  // of costs in the linear programs
  LinearProgram program_;
  std::vector<ProofCount> counts_;
  Countdown clock_;
  std::vector<ProofRow> pool_;  // every row ever made
  std::vector<bool> in_program_;
  std::unordered_set<std::string> known_;
  KnownRoundings roundings_;
  std::vector<int> entries_;  // by row of the program
  std::vector<Branch> path_;
  std::map<int, int> numbers_;  // of rows in the certificate
  ProofText text_;
  int nodes_ = 0;
  bool given_up_ = false;
  bool conflict_ = false;
  ProofAttempt attempt_;
};

}  // namespace

ProofAttempt search_proof(const MomentModel& model, const ProofCosts& costs,
                          const ProofSearchLimits& limits) {
  return ProofSearch(model, costs, limits).run();
}

}  // namespace poet

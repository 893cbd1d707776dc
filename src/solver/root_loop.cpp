#include "solver/root_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "process/child_process.hpp"
#include "solver/linear_program.hpp"

namespace poet {
namespace {

constexpr double kRowTolerance = 1e-5;        // violation by distance, worth a row
constexpr std::size_t kMostRows = 2000;       // that enter at once
constexpr std::size_t kNearlyFeasible = 600;  // violated rows below which cuts are separated
constexpr int kCleanInterval = 5;             // rounds between removals of slack rows
constexpr int kStallRounds = 12;
constexpr double kStallShare = 0.01;    // of the distance to the ceiling, in kStallRounds
constexpr double kFixingMargin = 1e-4;  // against Clp's tolerances, in scaled units
constexpr Seconds kGrace = 0.3;

/// The rows of the model, and which of them the linear program has.
class RowPool {
 public:
  explicit RowPool(const std::vector<MilpRow>& rows) : rows_(rows), active_(rows.size(), false) {
    norms_.reserve(rows.size());
    for (const MilpRow& row : rows) {
      double squares = 0;
      for (const MilpTerm& term : row.terms) squares += term.coefficient * term.coefficient;
      norms_.push_back(std::sqrt(std::max(squares, 1e-30)));
    }
  }

  /// Those that the first linear program has.
  std::vector<int> first() const {
    std::vector<int> rows;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (!rows_[r].rarely_tight) rows.push_back(static_cast<int>(r));
    }
    return rows;
  }

  /// Inactive rows violated at the point, most violated first.
  std::vector<int> violated(std::span<const double> values) const {
    std::vector<std::pair<double, int>> found;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (active_[r]) continue;
      double activity = 0;
      for (const MilpTerm& term : rows_[r].terms) {
        activity += term.coefficient * values[term.column];
      }
      const double excess = std::max(activity - rows_[r].upper, rows_[r].lower - activity);
      if (excess > kRowTolerance * norms_[r]) found.emplace_back(-excess / norms_[r], r);
    }
    std::sort(found.begin(), found.end());
    std::vector<int> chosen;
    chosen.reserve(found.size());
    for (const auto& [violation, r] : found) chosen.push_back(r);
    return chosen;
  }

  void set_active(int row, bool active) { active_[row] = active; }
  const MilpRow& operator[](int row) const { return rows_[row]; }

 private:
  const std::vector<MilpRow>& rows_;
  std::vector<bool> active_;
  std::vector<double> norms_;
};

/// The loop itself, in the child process.
class RootLoop {
 public:
  RootLoop(const Formulation& model, const Graph& graph, const Milp& milp,
           const RootOptions& options)
      : model_(model),
        graph_(graph),
        options_(options),
        pool_(milp.rows),
        program_(columns_only(milp)) {}

  RootResult run(const std::function<void(double)>& report) {
    RootResult result;
    add_pool_rows(pool_.first());
    add_cuts(options_.cuts);
    std::int64_t iterations = 0;
    for (int round = 0;; ++round) {
      const auto status = program_.solve(options_.ceiling, remaining());
      if (status == LinearProgram::Status::infeasible) {
        result.status = RootResult::Status::closed;
        result.bound = options_.ceiling;
        return result;
      }
      if (status != LinearProgram::Status::optimal) break;
      result.status = RootResult::Status::bounded;
      values_.assign(program_.values().begin(), program_.values().end());
      if (program_.objective() > result.bound) {
        result.bound = program_.objective();
        report(result.bound);
        fix_columns(result);
      }
      iterations += round == 0 ? 0 : program_.iterations();
      result.complete = stalled(round, result.bound);
      if (result.complete || iterations >= options_.iterations || remaining() <= 0) break;
      if (round % kCleanInterval == 0) remove_slack_rows();
      result.complete = !add_violated_rows();
      if (result.complete) break;
    }
    result.values = std::move(values_);
    for (const Origin& origin : origins_) {
      if (origin.pool_row < 0) result.active_cuts.push_back(cuts_[origin.cut]);
    }
    return result;
  }

 private:
  /// Where a row of the linear program came from.
  struct Origin {
    int pool_row = -1;
    int cut = -1;
  };

  static Milp columns_only(const Milp& milp) { return {.columns = milp.columns}; }

  Seconds remaining() const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
    return options_.time_limit_seconds - spent.count();
  }

  void add_pool_rows(const std::vector<int>& chosen) {
    std::vector<MilpRow> rows;
    for (const int r : chosen) {
      rows.push_back(pool_[r]);
      origins_.push_back({.pool_row = r});
      pool_.set_active(r, true);
    }
    program_.add_rows(rows);
  }

  bool add_violated_rows() {
    std::vector<int> violated = pool_.violated(program_.values());
    std::vector<PrecedenceCut> cuts;
    if (options_.techniques.precedence_cuts && violated.size() < kNearlyFeasible &&
        model_.scope.collapsed()) {
      cuts = separate_precedence(model_, graph_, program_.values(), {});
    }
    if (violated.size() > kMostRows) violated.resize(kMostRows);
    if (violated.empty() && cuts.empty()) return false;
    add_pool_rows(violated);
    add_cuts(std::move(cuts));
    return true;
  }

  void add_cuts(std::vector<PrecedenceCut> cuts) {
    std::vector<MilpRow> rows;
    for (PrecedenceCut& cut : cuts) {
      rows.push_back(to_row(model_, cut));
      origins_.push_back({.cut = static_cast<int>(cuts_.size())});
      cuts_.push_back(std::move(cut));
    }
    program_.add_rows(rows);
  }

  void remove_slack_rows() {
    const std::vector<int> removed = program_.remove_slack_rows(0);
    std::vector<Origin> kept;
    auto next = removed.begin();
    for (std::size_t r = 0; r < origins_.size(); ++r) {
      if (next != removed.end() && *next == static_cast<int>(r)) {
        ++next;
        if (origins_[r].pool_row >= 0) pool_.set_active(origins_[r].pool_row, false);
      } else {
        kept.push_back(origins_[r]);
      }
    }
    origins_ = std::move(kept);
  }

  bool stalled(int round, double bound) {
    bounds_.push_back(bound);
    if (round < 3 * kStallRounds || options_.ceiling == kInfinity) return round > 400;
    const double gained = bound - bounds_[bounds_.size() - 1 - kStallRounds];
    return gained < kStallShare * (options_.ceiling - bound);
  }

  /// Reduced-cost fixing: a column whose reduced cost lifts the bound to the ceiling is where it
  /// is in every solution below. Reduced costs of the relaxation, never bare costs, may be used.
  void fix_columns(RootResult& result) {
    if (options_.ceiling == kInfinity || !options_.techniques.cost_fixing) return;
    const double room = options_.ceiling - program_.objective() + kFixingMargin;
    const auto reduced = program_.reduced_costs();
    result.fixed.resize(reduced.size(), -1);
    for (std::size_t c = 0; c < reduced.size(); ++c) {
      if (reduced[c] > room) result.fixed[c] = 0;
      if (reduced[c] < -room) result.fixed[c] = 1;
    }
  }

  const Formulation& model_;
  const Graph& graph_;
  const RootOptions& options_;
  RowPool pool_;
  LinearProgram program_;
  std::vector<Origin> origins_;
  std::vector<PrecedenceCut> cuts_;
  std::vector<double> bounds_;
  std::vector<double> values_;  // at the last optimum
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// A flat record of integers and doubles, for the pipe.
class Packer {
 public:
  void put(double value) { values_.push_back(value); }
  Message message() const {
    Message bytes(values_.size() * sizeof(double));
    std::memcpy(bytes.data(), values_.data(), bytes.size());
    return bytes;
  }

 private:
  std::vector<double> values_;
};

class Unpacker {
 public:
  explicit Unpacker(const Message& message) : values_(message.size() / sizeof(double)) {
    std::memcpy(values_.data(), message.data(), values_.size() * sizeof(double));
  }
  double get() { return values_.at(at_++); }
  int get_int() { return static_cast<int>(get()); }

 private:
  std::vector<double> values_;
  std::size_t at_ = 0;
};

Message pack(const RootResult& result) {
  Packer packer;
  packer.put(static_cast<double>(result.status));
  packer.put(result.bound);
  packer.put(static_cast<double>(result.fixed.size()));
  for (const std::int8_t value : result.fixed) packer.put(value);
  packer.put(result.complete ? 1 : 0);
  packer.put(static_cast<double>(result.values.size()));
  for (const double value : result.values) packer.put(value);
  packer.put(static_cast<double>(result.active_cuts.size()));
  for (const PrecedenceCut& cut : result.active_cuts) {
    packer.put(cut.first);
    packer.put(cut.last);
    packer.put(static_cast<double>(cut.path.size()));
    for (std::size_t l = 0; l < cut.path.size(); ++l) {
      packer.put(cut.path[l]);
      packer.put(cut.by_copy[l] ? 1 : 0);
    }
  }
  return packer.message();
}

RootResult unpack(const Message& message) {
  Unpacker unpacker(message);
  RootResult result;
  result.status = static_cast<RootResult::Status>(unpacker.get_int());
  result.bound = unpacker.get();
  for (int left = unpacker.get_int(); left > 0; --left) {
    result.fixed.push_back(static_cast<std::int8_t>(unpacker.get_int()));
  }
  result.complete = unpacker.get_int() != 0;
  for (int left = unpacker.get_int(); left > 0; --left) result.values.push_back(unpacker.get());
  for (int left = unpacker.get_int(); left > 0; --left) {
    PrecedenceCut cut{.first = unpacker.get_int(), .last = unpacker.get_int()};
    for (int nodes = unpacker.get_int(); nodes > 0; --nodes) {
      cut.path.push_back(unpacker.get_int());
      cut.by_copy.push_back(unpacker.get_int() != 0);
    }
    result.active_cuts.push_back(std::move(cut));
  }
  return result;
}

}  // namespace

RootResult run_root_loop(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
                         const RootOptions& options, const std::function<bool(double)>& progress) {
  RootResult result;
  double bound = -kInfinity;
  const auto work = [&](const std::function<void(const Message&)>& send) {
    const auto report = [&](double now) {
      Packer packer;
      packer.put(now);
      send(packer.message());
    };
    send(pack(RootLoop(model, graph, scaled.milp, options).run(report)));
  };
  const auto receive = [&](const Message& message) {
    if (message.size() == sizeof(double)) {
      bound = std::max(bound, Unpacker(message).get());
      return progress(bound);
    }
    result = unpack(message);
    return true;
  };
  const ChildExit exit = run_in_child(
      work, receive, [&] { return progress(bound); }, options.time_limit_seconds + kGrace);
  result.bound = std::max(result.bound, bound);
  if (exit.killed && bound > -kInfinity) result.status = RootResult::Status::bounded;
  return result;
}

}  // namespace poet

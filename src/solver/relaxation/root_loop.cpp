#include "solver/relaxation/root_loop.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/process/call_messages.hpp"
#include "solver/formulation/rows_on_demand.hpp"
#include "solver/formulation/tail_cuts.hpp"
#include "solver/patience.hpp"
#include "solver/relaxation/fields.hpp"
#include "solver/relaxation/relaxation.hpp"
#include "solver/work.hpp"

namespace poet {

template <>
inline constexpr auto kLast<RootResult::Status> = RootResult::Status::failed;

template <>
inline constexpr auto kFields<RootResult> = std::tuple(
    Field<&RootResult::status>{}, Field<&RootResult::bound>{}, Field<&RootResult::fixed>{},
    Field<&RootResult::active_rows>{}, Field<&RootResult::active_cuts>{},
    Field<&RootResult::values>{}, Field<&RootResult::complete>{}, Field<&RootResult::work>{});

namespace {

/// Tables for tail cuts take some four seconds then, and a fifth of the time that is left at most.
constexpr double kMostTailSteps = 2e9;
constexpr double kTailStepsPerSecond = 5e8;
constexpr double kTailShare = 0.2;
constexpr std::int64_t kTailStepsPerMove = 200;

/// Many cuts at once, because most leave again in the next round: the program is as large as the
/// rows that are tight.
Separation root_separation() {
  return {.limits = {.per_target = 8, .total = 3000}, .inside = true};
}

class RootLoop {
 public:
  RootLoop(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
           const RootOptions& options)
      : model_(model),
        graph_(graph),
        options_(options),
        fixing_margin_(fixing_margin(scaled)),
        columns_(scaled.milp.columns.size()),
        nonzeros_(scaled.milp.nonzeros()),
        relaxation_(model, graph, scaled.milp, options.features, root_separation()) {}

  RootResult run(const std::function<void(double)>& report) {
    RootResult result;
    relaxation_.start(options_.rows, options_.cuts);
    const Patience& patience = options_.again ? kAtRootAgain : kAtRootOfModel;
    std::int64_t iterations = 0;
    while (!result.complete) {
      const auto status = relaxation_.solve(options_.ceiling, time_.remaining(),
                                            work_.iterations_until(options_.most_work, columns_));
      work_.add_iterations(relaxation_.iterations(), columns_);
      work_.add_round(nonzeros_);
      result.work = work_.moves();
      if (status == LinearProgram::Status::infeasible) {
        result.status = RootResult::Status::closed;
        result.bound = options_.ceiling;
        return result;
      }
      if (status != LinearProgram::Status::optimal) break;
      result.status = RootResult::Status::bounded;
      result.values.assign(relaxation_.values().begin(), relaxation_.values().end());
      if (relaxation_.bound() > result.bound) {
        result.bound = relaxation_.bound();
        report(result.bound);
        fix_columns(result);
      }
      iterations += bounds_.empty() ? 0 : relaxation_.iterations();
      bounds_.push_back(result.bound);
      bool rests = patience.is_over(bounds_, options_.ceiling - result.bound);
      const bool used_up =
          iterations >= options_.iterations || result.work >= options_.most_work || time_.expired();
      if (!rests && used_up) break;
      if (!rests) {
        relaxation_.remove_slack_rows();
        rests = !relaxation_.add_violated_rows();
      }
      const bool much_open = options_.ceiling - relaxation_.bound() > options_.open_for_tails;
      // Tables of tails take seconds, and the next loop, another process, would make them anew.
      if (rests && much_open && options_.iterations < kNoLimit) break;
      result.complete = rests && (used_up || !much_open || !add_tail_cut());
    }
    // What starts from these rows and cuts would solve each of its nodes with the slack ones.
    if (result.status == RootResult::Status::bounded) relaxation_.remove_slack_rows();
    result.work = work_.moves();  // with the tables of the last tail cut
    result.active_rows = relaxation_.active_rows();
    result.active_cuts = relaxation_.active_cuts();
    return result;
  }

 private:
  /// Returns false if none is worth it. After each the loop goes on until it rests again.
  bool add_tail_cut() {
    if (!tail_cuts_) {
      const double steps =
          std::min(kMostTailSteps, kTailShare * time_.remaining() * kTailStepsPerSecond);
      tail_cuts_.emplace(model_, graph_, relaxation_.values(), static_cast<std::int64_t>(steps));
      work_.add_moves(tail_cuts_->steps() / kTailStepsPerMove);
    }
    tail_bounds_.push_back(relaxation_.bound());
    if (kInTreeOfModel.is_over(tail_bounds_, options_.ceiling - tail_bounds_.back())) return false;
    std::optional<TailCut> cut = tail_cuts_->separate(relaxation_.values());
    if (!cut) return false;
    relaxation_.add_cuts({*std::move(cut)});
    bounds_.clear();
    return true;
  }

  /// Reduced-cost fixing: a column whose reduced cost lifts the bound to the ceiling keeps its
  /// value in every solution below. Only reduced costs of the relaxation prove that, never bare
  /// costs.
  void fix_columns(RootResult& result) {
    if (options_.ceiling == kInfinity || !options_.features.cost_fixing) return;
    const double room = options_.ceiling - relaxation_.bound() + fixing_margin_;
    const auto reduced = relaxation_.reduced_costs();
    result.fixed.resize(reduced.size(), -1);
    for (std::size_t c = 0; c < reduced.size(); ++c) {
      if (reduced[c] > room) result.fixed[c] = 0;
      if (reduced[c] < -room) result.fixed[c] = 1;
    }
  }

  const Formulation& model_;
  const Graph& graph_;
  const RootOptions& options_;
  double fixing_margin_;
  std::size_t columns_;
  std::size_t nonzeros_;
  Work work_;
  Relaxation relaxation_;
  std::vector<double> bounds_;  // after each round
  std::optional<TailCuts> tail_cuts_;
  std::vector<double> tail_bounds_;  // before each tail cut
  Countdown time_{options_.time_limit_seconds};
};

/// Throws MalformedMessage for a result that cannot be about this model.
void check(const RootResult& result, const Formulation& model, const Graph& graph) {
  const Milp& milp = model.milp;
  const std::size_t nodes = graph.nodes.size();
  const std::size_t known_rows = milp.rows.size() + RowsOnDemand(model, graph).size();
  const auto by_column = [&](const auto& list) {
    return list.empty() || list.size() == milp.columns.size();
  };
  const auto& rows = result.active_rows;
  const auto& cuts = result.active_cuts;
  if (!by_column(result.fixed) || !by_column(result.values) ||
      !std::all_of(rows.begin(), rows.end(), [&](int row) { return is_index(row, known_rows); }) ||
      !std::all_of(cuts.begin(), cuts.end(), [&](const Cut& cut) { return fits(cut, nodes); })) {
    throw MalformedMessage("the root loop's result does not fit the model");
  }
}

}  // namespace

double fixing_margin(const ScaledMilp& scaled) {
  constexpr double kMinMargin = 1e-4;
  return kMinMargin + scaled.rounding;
}

RootResult run_root_loop(const Formulation& model, const Graph& graph, const ScaledMilp& scaled,
                         const RootOptions& options, const std::function<bool(double)>& progress) {
  double bound = -kInfinity;
  ChildCall<double, RootResult> call;
  call.work = [&](const auto& report) {
    return RootLoop(model, graph, scaled, options).run(report);
  };
  call.on_report = [&](double now) { return progress(bound = std::max(bound, now)); };
  call.check = [&](const RootResult& result) { check(result, model, graph); };
  call.on_tick = [&] { return progress(bound); };
  call.seconds = options.time_limit_seconds + kGrace;
  call.memory_bytes = options.memory_bytes;
  const ChildAnswer<RootResult> answer = call.run();
  RootResult result = answer.result.value_or(RootResult{});
  // A bound that was reported counts even if nothing else came back.
  result.bound = std::max(result.bound, bound);
  if (answer.stopped && bound > -kInfinity) result.status = RootResult::Status::bounded;
  return result;
}

}  // namespace poet

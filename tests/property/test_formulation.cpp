// Every shortcut of the solver, held against the plain formulation on random graphs.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/formulation/schedule_of_point.hpp"
#include "solver/milp/mip_solver.hpp"
#include "solver/milp/scaling.hpp"
#include "solver/relaxation/root_loop.hpp"
#include "solver/search/local_search.hpp"
#include "support/cases.hpp"
#include "support/random_graphs.hpp"

namespace poet {
namespace {

constexpr double kRelative = 1e-8;  // CBC's tolerances after scaling

/// Extra energy at the optimum of a model; nothing where it is infeasible.
struct Optimum {
  std::optional<Joules> extra;
  std::vector<double> values;
  bool crashed = false;  ///< CBC, now and then: nothing is known then
};

Optimum optimum(const Milp& milp, Joules reference) {
  const ScaledMilp scaled = scale(milp, reference);
  const MipResult found =
      solve_mip(scaled.milp, {.time_limit_seconds = 60}, [](const MipProgress&) { return true; });
  if (found.status == MipResult::Status::failed) return {.crashed = true};
  EXPECT_EQ(found.status, MipResult::Status::finished) << found.message;
  if (!found.values) return {};
  Joules extra = 0;
  for (std::size_t c = 0; c < milp.columns.size(); ++c) {
    extra += milp.columns[c].cost * (*found.values)[c];
  }
  return {.extra = extra, .values = *found.values};
}

Milp with_root_result(const Formulation& model, const Graph& graph, const RootResult& root) {
  Milp milp = model.milp;
  for (std::size_t c = 0; c < root.fixed.size(); ++c) {
    if (root.fixed[c] >= 0) milp.columns[c].lower = milp.columns[c].upper = root.fixed[c];
  }
  for (const Cut& cut : root.active_cuts) milp.rows.push_back(to_row(model, graph, cut));
  return milp;
}

/// One random problem with the optimum of the plain formulation.
class Case {
 public:
  explicit Case(int seed) {
    Random random(seed);
    problem_ = test::random_problem(random, 7 + random.below(6));
    problem_.limits.techniques.paging = random.below(4) != 0;
    problem_.limits.techniques.remat = random.below(4) != 0;
    base_ = baseline(problem_.graph);
    plain_ = formulate(problem_, useful_windows(problem_, false, kInfinity));
    optimum_ = optimum(plain_->milp, base_.energy_joules);
  }

  bool known() const { return !optimum_.crashed; }
  bool feasible() const { return optimum_.extra.has_value(); }
  Joules tolerance() const { return kRelative * base_.energy_joules; }

  void expect_plain_optimum_replays() const {
    const Schedule schedule = schedule_of_point(*plain_, problem_.graph, optimum_.values);
    const Replay replay = simulate(problem_.graph, schedule, problem_.limits);
    ASSERT_TRUE(replay.valid()) << replay.violations.front().message;
    EXPECT_NEAR(replay.energy_joules - base_.energy_joules, *optimum_.extra, tolerance());
  }

  /// Columns left out for the cost of their chains are in no schedule that is as good.
  void expect_option_fixing_keeps_the_optimum() const {
    const UsefulWindows windows = useful_windows(problem_, false, ceiling());
    const Optimum fixed = optimum(formulate(problem_, windows).milp, base_.energy_joules);
    ASSERT_TRUE(fixed.extra.has_value());
    EXPECT_NEAR(*fixed.extra, *optimum_.extra, tolerance());
  }

  /// Nor do fixings and cuts lose the optimum of the full model.
  void expect_full_model_keeps_the_optimum() const {
    const Formulation model = formulate(problem_, useful_windows(problem_, false, ceiling()));
    expect_root_loop_keeps(model, *optimum_.extra);
  }

  /// The collapsed model, as built, with fixings and with cuts, is a relaxation.
  void expect_collapsed_model_bounds_from_below() const {
    const Formulation model = formulate(problem_, useful_windows(problem_, true, ceiling()));
    if (!model.windows.collapsed()) return;
    const Optimum relaxed = optimum(model.milp, base_.energy_joules);
    ASSERT_TRUE(relaxed.extra.has_value());
    EXPECT_LE(*relaxed.extra, *optimum_.extra + tolerance());
    expect_root_loop_keeps(model, *relaxed.extra);
  }

  void expect_local_search_stays_above() const {
    const auto schedule = local_search(problem_, {.moves = 20'000});
    if (!schedule) return;
    const Replay replay = simulate(problem_.graph, *schedule, problem_.limits);
    EXPECT_GE(replay.energy_joules - base_.energy_joules, *optimum_.extra - tolerance());
  }

  void expect_solver_agrees() const {
    const SolveResult result = solve(problem_, {.settings = {.gap = 0, .time_limit_seconds = 60}});
    ASSERT_EQ(result.status, feasible() ? Status::optimal : Status::infeasible) << result.reason;
    if (!feasible()) return;
    EXPECT_NEAR(result.energy_joules - base_.energy_joules, *optimum_.extra, tolerance());
    EXPECT_LE(result.lower_bound_joules, base_.energy_joules + *optimum_.extra + tolerance());
  }

 private:
  Joules ceiling() const { return *optimum_.extra + tolerance(); }

  void expect_root_loop_keeps(const Formulation& model, Joules relaxed) const {
    const ScaledMilp scaled = scale(model.milp, base_.energy_joules);
    // A little room, or the optimum itself would count as "nothing below".
    const double units = scaled.to_units(relaxed) + 1e-3;
    const RootResult root = run_root_loop(model, problem_.graph, scaled, {.ceiling = units},
                                          [](double) { return true; });
    ASSERT_EQ(root.status, RootResult::Status::bounded);
    EXPECT_LE(root.bound, units);
    const Optimum after =
        optimum(with_root_result(model, problem_.graph, root), base_.energy_joules);
    ASSERT_TRUE(after.extra.has_value());
    EXPECT_NEAR(*after.extra, relaxed, tolerance());
  }

  Problem problem_;
  Baseline base_;
  std::optional<Formulation> plain_;
  Optimum optimum_;
};

TEST(Formulation, ShortcutsAgreeWithThePlainModelOnRandomGraphs) {
  const test::CaseRange range = test::wanted_cases(50);
  int feasible = 0;
  int unknown = 0;
  for (int seed = range.first; seed < range.first + range.count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case random_case(seed);
    if (!random_case.known()) {
      ++unknown;
      continue;
    }
    random_case.expect_solver_agrees();
    if (!random_case.feasible()) continue;
    ++feasible;
    random_case.expect_plain_optimum_replays();
    random_case.expect_option_fixing_keeps_the_optimum();
    random_case.expect_full_model_keeps_the_optimum();
    random_case.expect_collapsed_model_bounds_from_below();
    random_case.expect_local_search_stays_above();
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(feasible, range.count / 3);
  EXPECT_LE(unknown, range.count / 100);
}

}  // namespace
}  // namespace poet

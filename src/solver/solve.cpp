#include "poet/solve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "solver/clock.hpp"
#include "solver/extract.hpp"
#include "solver/formulation.hpp"
#include "solver/greedy.hpp"
#include "solver/incumbent.hpp"
#include "solver/local_search.hpp"
#include "solver/mip_solver.hpp"
#include "solver/root_loop.hpp"
#include "solver/scaling.hpp"

namespace poet {
namespace {

/// In scaled units, 1e-4 of the baseline each: what CBC's cutoff increment and tolerances can
/// hide. A proof under a cutoff holds for the cutoff less this.
constexpr double kCutoffSlack = 4 * kCutoffIncrement;
/// Share of a time limit that the local search may use.
constexpr double kSearchShare = 0.3;
/// Share of what is left then that the root loop may use.
constexpr double kRootShare = 0.5;
/// What Effort::fast spends.
constexpr std::int64_t kFastMoves = 400'000;
constexpr Seconds kFastRoot = 2;

class Solve {
 public:
  Solve(const Problem& problem, const SolveOptions& options)
      : problem_(problem),
        options_(options),
        clock_(options.time_limit_seconds),
        base_(baseline(problem.graph)),
        incumbent_(problem, base_) {}

  SolveResult run() {
    result_.report.formulation = "none";
    const Verdict verdict = instant_verdict(problem_, base_);
    switch (verdict.kind) {
      case Verdict::Kind::optimal:
        offer(base_.schedule);
        if (!incumbent_.schedule()) throw InternalError("the baseline does not replay");
        result_.reason = verdict.reason;
        break;
      case Verdict::Kind::infeasible:
        declare_infeasible(verdict.reason, verdict.smallest_ram_bytes,
                           verdict.smallest_ram_is_exact);
        break;
      case Verdict::Kind::open:
        search();
        break;
    }
    return finish();
  }

 private:
  bool stopping() {
    if (!result_.interrupted && options_.interrupted && options_.interrupted()) {
      result_.interrupted = true;
    }
    return result_.interrupted || clock_.expired();
  }

  bool proven() const { return incumbent_.proven(options_.gap); }

  void tell(const std::string& phase, std::int64_t nodes = 0) {
    if (!options_.progress) return;
    options_.progress({.phase = phase,
                       .elapsed_seconds = clock_.elapsed(),
                       .nodes = nodes,
                       .incumbent_joules = incumbent_.energy(),
                       .bound_joules = incumbent_.bound()});
  }

  bool offer(const Schedule& schedule) {
    const bool first = !incumbent_.schedule();
    const bool better = incumbent_.offer(schedule);
    if (better && first) result_.report.first_schedule_seconds = clock_.elapsed();
    return better;
  }

  void search() {
    find_schedules();
    if (stopping() || proven()) return;
    if (problem_.graph.size() <= options_.small_graph || !options_.techniques.collapse) {
      solve_model("full model", false);
      return;
    }
    solve_model("relaxation", true);
    if (!stopping() && !proven() && !infeasible_ && !fast()) solve_model("full model", false);
  }

  void find_schedules() {
    const Seconds start = clock_.elapsed();
    if (options_.known_bound_joules > 0) incumbent_.raise_bound(options_.known_bound_joules);
    if (options_.start) offer(*options_.start);
    if (!options_.techniques.local_search) return;
    if (const auto plan = first_plan(problem_)) offer(plan->to_schedule());
    tell("greedy");
    if (proven()) return;
    const Seconds until = options_.time_limit_seconds > 0
                              ? start + kSearchShare * options_.time_limit_seconds
                              : kInfinity;
    LocalSearchOptions search{.seed = options_.seed};
    if (fast()) search.moves = kFastMoves;
    search.stop = [&] { return stopping() || proven() || clock_.elapsed() >= until; };
    search.improved = [&](const Plan& plan) {
      offer(plan.to_schedule());
      tell("local search");
    };
    local_search(problem_, search);
    result_.report.heuristic_seconds = clock_.elapsed() - start;
  }

  /// The cutoff under which a search without result proves the incumbent within the gap.
  double proof_cutoff(const ScaledMilp& scaled) const {
    if (!incumbent_.schedule()) return kInfinity;
    const Joules target = incumbent_.extra_energy() - options_.gap * incumbent_.energy();
    return scaled.to_units(target) + 2 * kCutoffSlack;
  }

  void solve_model(const std::string& phase, bool collapse_forward) {
    const Seconds start = clock_.elapsed();
    const Joules allowed = incumbent_.schedule() && options_.techniques.windows
                               ? incumbent_.extra_energy() + kProofTolerance * incumbent_.energy()
                               : kInfinity;
    const Scope scope = make_scope(problem_, collapse_forward, allowed);
    const Formulation model = formulate(problem_, scope, options_.techniques);
    ScaledMilp scaled = scale(model.milp, base_.energy_joules);
    note_model(model, start);

    if (stopping() || !strengthen(model, scaled, phase) || fast()) return;
    const MipOptions options{.cutoff = proof_cutoff(scaled),
                             .absolute_gap = scaled.to_units(gap_in_joules()),
                             .time_limit_seconds = clock_.remaining(),
                             .threads = options_.threads,
                             .seed = options_.seed,
                             .heuristics = !incumbent_.schedule()};
    const Seconds mip_start = clock_.elapsed();
    const MipResult mip = solve_mip(scaled.milp, options, [&](const MipProgress& now) {
      raise_bound(scaled, now.bound);
      tell(phase, result_.report.nodes + now.nodes);
      return !stopping();
    });
    result_.report.milp_seconds += clock_.elapsed() - mip_start;
    result_.report.nodes += mip.nodes;
    conclude(model, scaled, options, mip);
    tell(phase, result_.report.nodes);
  }

  /// The root loop: raises the bound, and leaves its fixings and its tight cuts in the model. False
  /// when nothing is left to search.
  bool strengthen(const Formulation& model, ScaledMilp& scaled, const std::string& phase) {
    if (!options_.techniques.root_loop) return true;
    if (problem_.graph.size() <= options_.small_graph || !incumbent_.schedule()) return true;
    const RootOptions options{.ceiling = proof_cutoff(scaled),
                              .techniques = options_.techniques,
                              .time_limit_seconds = root_seconds()};
    const Seconds start = clock_.elapsed();
    const RootResult root =
        run_root_loop(model, problem_.graph, scaled, options, [&](double bound) {
          raise_bound(scaled, bound);
          tell(phase);
          return !stopping();
        });
    result_.report.milp_seconds += clock_.elapsed() - start;
    if (root.status == RootResult::Status::failed) return !stopping();
    raise_bound(scaled, root.bound);
    if (root.status == RootResult::Status::closed || proven() || stopping()) return false;
    for (std::size_t c = 0; c < root.fixed.size(); ++c) {
      if (root.fixed[c] < 0) continue;
      MilpColumn& column = scaled.milp.columns[c];
      column.lower = column.upper = root.fixed[c];
    }
    for (const PrecedenceCut& cut : root.active_cuts) {
      scaled.milp.rows.push_back(to_row(model, cut));
    }
    return true;
  }

  bool fast() const { return options_.effort == Effort::fast; }

  Seconds root_seconds() const {
    const Seconds share = kRootShare * clock_.remaining();
    return fast() ? std::min(share, kFastRoot) : share;
  }

  Joules gap_in_joules() const {
    const Joules energy = incumbent_.schedule() ? incumbent_.energy() : base_.energy_joules;
    return options_.gap * energy;
  }

  void note_model(const Formulation& model, Seconds start) {
    SolverReport& report = result_.report;
    report.build_seconds += clock_.elapsed() - start;
    report.formulation = model.scope.collapsed() ? "poet-collapsed" : "poet-full";
    report.rows = static_cast<int>(model.milp.rows.size());
    report.columns = static_cast<int>(model.milp.columns.size());
    report.nonzeros = static_cast<std::int64_t>(model.milp.nonzeros());
  }

  void raise_bound(const ScaledMilp& scaled, double units) {
    if (!std::isfinite(units)) return;
    incumbent_.raise_bound(base_.energy_joules + scaled.to_joules(units - kCutoffSlack));
  }

  void conclude(const Formulation& model, const ScaledMilp& scaled, const MipOptions& options,
                const MipResult& mip) {
    if (mip.status == MipResult::Status::failed) {
      result_.reason = mip.message;
      return;
    }
    if (mip.values) take_solution(model, *mip.values);
    const bool nothing = mip.status == MipResult::Status::finished && !mip.values;
    if (nothing && options.cutoff == kInfinity) {
      confirm_infeasible(scaled, options);
      return;
    }
    raise_bound(scaled, mip.bound);
  }

  void take_solution(const Formulation& model, const std::vector<double>& values) {
    const Schedule schedule = extract(model, problem_.graph, values);
    if (offer(schedule)) return;
    // A relaxation's schedule can overrun RAM in the forward pass: mend it where that is cheap.
    Plan plan(problem_, schedule);
    descend(plan);
    if (plan.feasible()) offer(plan.to_schedule());
  }

  /// CBC has called feasible models infeasible: believed only when a search without presolve says
  /// the same.
  void confirm_infeasible(const ScaledMilp& scaled, MipOptions options) {
    options.presolve = false;
    options.time_limit_seconds = clock_.remaining();
    const MipResult again =
        solve_mip(scaled.milp, options, [&](const MipProgress&) { return !stopping(); });
    if (again.status != MipResult::Status::finished || again.values) return;
    infeasible_ = true;
    declare_infeasible(
        fmt::format("no schedule fits {} bytes of RAM within {} s of runtime with the techniques "
                    "allowed: two searches of the model found none",
                    problem_.limits.ram_budget_bytes, problem_.limits.runtime_budget_seconds),
        working_set(problem_.graph).bytes, false);
  }

  void declare_infeasible(std::string reason, std::optional<Bytes> smallest, bool exact) {
    result_.status = Status::infeasible;
    result_.reason = std::move(reason);
    result_.smallest_ram_bytes = smallest;
    result_.smallest_ram_is_exact = exact;
    infeasible_ = true;
    if (!smallest || exact || *smallest <= problem_.limits.ram_budget_bytes) return;
    // The bound is the answer where a schedule reaches it, which is cheap to try.
    Problem smaller = problem_;
    smaller.limits.ram_budget_bytes = *smallest;
    const auto plan = first_plan(smaller);
    result_.smallest_ram_is_exact =
        plan && simulate(smaller.graph, plan->to_schedule(), smaller.limits).valid();
  }

  SolveResult finish() {
    result_.report.wall_seconds = clock_.elapsed();
    if (infeasible_) return std::move(result_);
    result_.lower_bound_joules = incumbent_.bound();
    if (!incumbent_.schedule()) {
      result_.status = Status::unknown;
      if (result_.reason.empty()) {
        result_.reason =
            "no schedule was found before a limit was reached; "
            "the problem may be feasible or not";
      }
      return std::move(result_);
    }
    result_.schedule = incumbent_.schedule();
    result_.energy_joules = incumbent_.energy();
    result_.status = proven() ? Status::optimal : Status::feasible;
    return std::move(result_);
  }

  const Problem& problem_;
  const SolveOptions& options_;
  SolveClock clock_;
  Baseline base_;
  Incumbent incumbent_;
  SolveResult result_;
  bool infeasible_ = false;
};

}  // namespace

std::string_view status_name(Status status) {
  switch (status) {
    case Status::optimal:
      return "optimal";
    case Status::feasible:
      return "feasible";
    case Status::infeasible:
      return "infeasible";
    case Status::unknown:
      break;
  }
  return "unknown";
}

double relative_gap(Joules energy, Joules lower_bound) {
  return energy > 0 ? std::max(0.0, energy - lower_bound) / energy : 0;
}

SolveResult solve(const Problem& problem, const SolveOptions& options) {
  return Solve(problem, options).run();
}

}  // namespace poet

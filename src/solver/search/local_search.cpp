#include "solver/search/local_search.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "solver/search/anneal.hpp"
#include "solver/search/random.hpp"

namespace poet {
namespace {

constexpr double kOpeningShare = 0.25;  // of a chain's moves, for its first, global annealing
constexpr int kWindowMoves = 4000;
/// Moves for each pair of a stage and a node: a small graph has few plans, so more moves find no
/// more.
constexpr std::int64_t kMovesPerPair = 2000;

/// The plans from which chains start, the greedy one first.
struct Starts {
  std::vector<Plan> plans;
  GreedyTrace trace;
};

/// Calls take(plan) for each start as it is ready; ends early if that returns false.
template <typename Function>
Starts make_starts(const Problem& problem, const Stop& stop, Function take) {
  Starts starts;
  Plan greedy(problem);
  starts.trace = descend(greedy, stop);
  starts.plans.push_back(std::move(greedy));
  if (!take(starts.plans.back())) return starts;
  for (const bool by_paging : {true, false}) {
    if (!(by_paging ? problem.limits.paging : problem.limits.remat)) continue;
    Plan evicted(problem);
    evict_everything(evicted, by_paging, stop);
    descend(evicted, stop);
    starts.plans.push_back(std::move(evicted));
    if (!take(starts.plans.back())) return starts;
  }
  return starts;
}

/// The typical cost of changing one idle span, and the cost of removing violations that the greedy
/// descent has seen.
AnnealScales scales_of(const Problem& problem, const GreedyTrace& trace) {
  Joules option_sum = 0;
  Joules energy = 0;
  Seconds runtime = 0;
  for (const Node& node : problem.graph.nodes) {
    const Joules paging = node.page_in_energy_joules + node.page_out_energy_joules;
    option_sum += std::min(node.energy_joules, paging);
    energy += node.energy_joules;
    runtime += node.runtime_seconds;
  }
  const Joules option = option_sum / problem.graph.size();
  AnnealScales scales{.temperature = option};
  if (trace.steps > 0 && trace.energy > 0) {
    scales.temperature = std::min(option, 4 * trace.energy / trace.steps);
    scales.joules_per_byte = trace.energy / static_cast<double>(trace.bytes);
  }
  if (scales.joules_per_byte <= 0) {
    scales.joules_per_byte =
        std::max(option, 1e-300) / static_cast<double>(problem.limits.ram_budget_bytes);
  }
  scales.joules_per_second = runtime > 0 ? 2 * energy / runtime : 0;
  return scales;
}

AnnealWindow whole(const Problem& problem) {
  const int last = problem.graph.size() - 1;
  return {.first_stage = 0, .last_stage = last, .first_node = 0, .last_node = last};
}

/// 5 to 30 neighbouring nodes, or 8 to 38 neighbouring stages.
AnnealWindow random_window(const Problem& problem, Random& random) {
  AnnealWindow window = whole(problem);
  const int last = problem.graph.size() - 1;
  if (random.below(2) == 0) {
    window.first_node = random.below(last + 1);
    window.last_node = std::min(last, window.first_node + 4 + random.below(26));
  } else {
    window.first_stage = random.below(last + 1);
    window.last_stage = std::min(last, window.first_stage + 7 + random.below(31));
  }
  return window;
}

/// One chain: a global annealing, then windows around its best, each accepted if not worse.
class Chain {
 public:
  Chain(const AnnealScales& scales, const LocalSearchOptions& options, std::uint64_t seed)
      : scales_(scales), options_(options), random_(seed) {}

  std::optional<Plan> run(Plan start, std::int64_t moves) {
    const auto opening = static_cast<std::int64_t>(kOpeningShare * static_cast<double>(moves));
    const Problem& problem = start.problem();
    search(start, {.window = whole(problem), .moves = static_cast<int>(opening)});
    if (!best_) return std::nullopt;
    for (std::int64_t spent = opening; spent < moves && !options_.stop(); spent += kWindowMoves) {
      Plan trial = *best_;
      search(trial, {.window = random_window(problem, random_),
                     .moves = kWindowMoves,
                     .start = 0.3 * random_.uniform() + 0.02,
                     .end = 0.005});
    }
    return std::move(best_);
  }

 private:
  void search(Plan& plan, const AnnealSettings& settings) {
    std::optional<Plan> found = anneal(plan, settings, scales_, random_, options_.stop);
    if (!found) return;
    if (!best_ || found->extra_energy() <= best_->extra_energy()) best_ = std::move(found);
  }

  const AnnealScales& scales_;
  const LocalSearchOptions& options_;
  Random random_;
  std::optional<Plan> best_;
};

}  // namespace

std::optional<Plan> first_plan(const Problem& problem, const Stop& stop) {
  Starts starts =
      make_starts(problem, stop, [&](const Plan& plan) { return !plan.feasible() && !stop(); });
  if (!starts.plans.back().feasible()) return std::nullopt;
  return std::move(starts.plans.back());
}

std::optional<Plan> local_search(const Problem& problem, const LocalSearchOptions& options) {
  std::optional<Plan> best;
  const auto consider = [&](const Plan& plan) {
    if (best && plan.extra_energy() >= best->extra_energy()) return;
    best = plan;
    options.improved(plan);
  };
  const Starts starts = make_starts(problem, options.stop, [&](const Plan& plan) {
    if (plan.feasible()) consider(plan);
    return !options.stop();
  });
  const AnnealScales scales = scales_of(problem, starts.trace);
  const auto size = static_cast<std::int64_t>(problem.graph.size());
  const std::int64_t moves = std::min(options.moves, kMovesPerPair * size * size);
  for (int c = 0; c < options.chains && !options.stop(); ++c) {
    const Plan& start = starts.plans[c % starts.plans.size()];
    Chain chain(scales, options, (std::uint64_t{options.seed} << 32) + c);
    std::optional<Plan> found = chain.run(start, moves / options.chains);
    if (!found) continue;
    found->refresh();
    consider(*found);
  }
  return best;
}

}  // namespace poet

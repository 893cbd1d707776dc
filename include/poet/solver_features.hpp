#pragma once

#include <array>
#include <string>
#include <string_view>

namespace poet {

/// What the solver does beyond giving the plain model to CBC. All features are on by default. With
/// any of them off the answer is the same but takes longer: that is how each is measured (the
/// benchmark's ablation) and tested (against the plain formulation on random graphs).
struct SolverFeatures {
  bool local_search = true;
  bool glance = true;
  bool collapse = true;
  bool windows = true;
  bool root_loop = true;
  bool precedence_cuts = true;
  bool knapsack_cuts = true;
  bool tail_cuts = true;
  bool cost_fixing = true;
  bool moment_proofs = true;
  bool counts = true;
  bool cuts_in_cbc = true;
  bool polish = true;
  bool rebuild = true;

  bool operator==(const SolverFeatures&) const = default;
};

/// The name of a feature, as --disable takes it, and what it does.
struct FeatureSwitch {
  std::string_view name;
  bool SolverFeatures::*flag;
  std::string_view what;
};

inline constexpr std::array<FeatureSwitch, 14> kFeatureSwitches{{
    {"local-search", &SolverFeatures::local_search, "a threshold search for the first schedule"},
    {"glance", &SolverFeatures::glance, "a first bound from a few moments of the step"},
    {"collapse", &SolverFeatures::collapse, "prove the bound without the forward stages"},
    {"windows", &SolverFeatures::windows,
     "no columns for what costs more than the best schedule's extra energy"},
    {"root-loop", &SolverFeatures::root_loop, "the relaxation solved and tightened before CBC"},
    {"precedence-cuts", &SolverFeatures::precedence_cuts, "chains of inputs, cut in the root loop"},
    {"knapsack-cuts", &SolverFeatures::knapsack_cuts,
     "facets of what fits in RAM together, in the root loop"},
    {"tail-cuts", &SolverFeatures::tail_cuts, "exact costs of the last stages, in the root loop"},
    {"cost-fixing", &SolverFeatures::cost_fixing, "columns fixed by their reduced costs"},
    {"moment-proofs", &SolverFeatures::moment_proofs,
     "proofs in whole numbers, as certificates have, before branching on counts"},
    {"counts", &SolverFeatures::counts,
     "branching on how often nodes of a kind are recomputed or paged"},
    {"cuts-in-cbc", &SolverFeatures::cuts_in_cbc, "chains of inputs, cut at CBC's nodes too"},
    {"polish", &SolverFeatures::polish, "CBC on what incumbent and relaxation disagree about"},
    {"rebuild", &SolverFeatures::rebuild, "the model built anew for a better incumbent"},
}};

/// Every feature off: CBC solves the complete model of docs/formulation.md.
SolverFeatures no_features();

/// Switches a feature off. Older names still stand for what took their place: `coarse` for
/// `glance`, `row-rounding` and `sub-rows` for `knapsack-cuts`. Throws InputError for a name that
/// is not in the table.
void disable(SolverFeatures& features, std::string_view name);

/// The names of the features that are off, separated by commas, and the way back. The latter throws
/// as disable() does.
std::string disabled_features(const SolverFeatures& features);
SolverFeatures features_without(std::string_view names);

}  // namespace poet

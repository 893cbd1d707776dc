#pragma once

#include <array>
#include <string>
#include <string_view>

namespace poet {

/// What the solver does beyond handing the plain model to CBC. All are on by default; with any
/// of them off the answer is the same and takes longer, which is how each is measured (the
/// benchmark's ablation) and tested (against the plain formulation on random graphs).
struct Techniques {
  bool local_search = true;
  bool coarse = true;
  bool collapse = true;
  bool windows = true;
  bool row_rounding = true;
  bool sub_rows = true;
  bool root_loop = true;
  bool precedence_cuts = true;
  bool cost_fixing = true;
  bool counts = true;
  bool cuts_in_cbc = true;
  bool polish = true;
  bool rebuild = true;
};

/// A technique's name, as --disable takes it, and what it does.
struct TechniqueSwitch {
  std::string_view name;
  bool Techniques::*flag;
  std::string_view what;
};

inline constexpr std::array<TechniqueSwitch, 13> kTechniqueSwitches{{
    {"local-search", &Techniques::local_search, "annealing for the first schedule"},
    {"coarse", &Techniques::coarse, "a first bound from a few moments of the step"},
    {"collapse", &Techniques::collapse, "prove the bound without the forward stages"},
    {"windows", &Techniques::windows,
     "no columns for what costs more than the best schedule's extra energy"},
    {"row-rounding", &Techniques::row_rounding,
     "memory rows with the same 0/1 solutions and a tighter relaxation"},
    {"sub-rows", &Techniques::sub_rows, "memory rows over a part of the tensors, rounded"},
    {"root-loop", &Techniques::root_loop, "the relaxation solved and tightened before CBC"},
    {"precedence-cuts", &Techniques::precedence_cuts, "chains of inputs, cut in the root loop"},
    {"cost-fixing", &Techniques::cost_fixing, "columns fixed by their reduced costs"},
    {"counts", &Techniques::counts,
     "branching on how often nodes of a kind are recomputed or paged"},
    {"cuts-in-cbc", &Techniques::cuts_in_cbc, "chains of inputs, cut at CBC's nodes too"},
    {"polish", &Techniques::polish, "CBC on what incumbent and relaxation disagree about"},
    {"rebuild", &Techniques::rebuild, "the model built anew for a better incumbent"},
}};

/// Every technique off: CBC on the complete model as it is in docs/formulation.md.
Techniques no_techniques();

/// Switches a technique off. Throws InputError for a name that is not in the table.
void disable(Techniques& techniques, std::string_view name);

}  // namespace poet

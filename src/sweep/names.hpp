#pragma once

#include "poet/sweep.hpp"
#include "schedule/names.hpp"

namespace poet {

inline constexpr Names<TechniqueSet, 4> kTechniqueSetNames = {{
    {TechniqueSet::both, "both"},
    {TechniqueSet::remat, "remat"},
    {TechniqueSet::paging, "paging"},
    {TechniqueSet::none, "none"},
}};

inline constexpr Names<SweepOutcome::Origin, 3> kOriginNames = {{
    {SweepOutcome::Origin::solved, "solved"},
    {SweepOutcome::Origin::verdict, "verdict"},
    {SweepOutcome::Origin::reused, "reused"},
}};

}  // namespace poet

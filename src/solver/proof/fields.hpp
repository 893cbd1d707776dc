#pragma once

#include "base/fields.hpp"
#include "solver/proof/proof_search.hpp"

namespace poet {

template <>
inline constexpr auto kFields<ProofText> =
    kMembers<&ProofText::rows, &ProofText::tree, &ProofText::leaves>;

template <>
inline constexpr auto kLast<ProofAttempt::Status> = ProofAttempt::Status::nothing;

template <>
inline constexpr auto kFields<ProofAttempt> =
    kMembers<&ProofAttempt::status, &ProofAttempt::proof, &ProofAttempt::units, &ProofAttempt::root,
             &ProofAttempt::work>;

}  // namespace poet

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "poet/order.hpp"
#include "poet/problem.hpp"
#include "solver/proof/proof_search.hpp"

namespace poet {

/// What a certificate is about.
struct CertificateHead {
  std::optional<Joules> claim;  ///< absent: infeasibility
  NodeOrder order;              ///< empty: the given one
  int shift = 0;                ///< ProofCosts::shift
  std::vector<int> moments;
  bool writes = false;
};

/// The file of docs/certificate-format.md.
std::string certificate_text(const Problem& problem, const CertificateHead& head,
                             const ProofText& proof);

}  // namespace poet

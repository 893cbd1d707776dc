#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "poet/order.hpp"
#include "poet/problem.hpp"

namespace poet {

/// How far a search for a certificate is.
struct CertifyProgress {
  Seconds elapsed_seconds = 0;
  int moments = 0;  ///< of the model that is searched
};

struct CertifyOptions {
  /// The place of each node in its model's list; empty in the order of that list.
  NodeOrder order{};
  Seconds time_limit_seconds = 0;  ///< wall clock; 0: none
  Bytes memory_limit_bytes = 0;    ///< of all processes together; 0: no limit
  /// Called now and then; false ends the search.
  std::function<bool(const CertifyProgress&)> progress{};
};

/// A proof that anybody can check, as a text (docs/certificate-format.md).
struct Certificate {
  enum class Status {
    proven,  ///< `text` proves the claim
    weaker,  ///< `text` proves `claim_joules`, which is less than was asked for
    none,    ///< no text
  };
  Status status = Status::none;
  Joules claim_joules = 0;  ///< 0 for the claim of infeasibility
  std::string text;
  std::string reason;  ///< one sentence why the claim is not proven; empty if it is
  int moments = 0;     ///< of the model
  int rows = 0;
  int leaves = 0;
};

/// The claim for a schedule whose energy is bounded from below: the bound, or a little less if the
/// bound is so close to the energy that no proof in rounded prices can separate them.
Joules certifiable_claim(const Graph& graph, Joules energy, Joules lower_bound);

/// Searches a proof that no schedule of the problem has less than `claim` joules, or, without a
/// claim, that there is none. Tries models with 1, 4 and 16 moments, with the moments at which a
/// schedule is full, and with all moments, in turn. Only the checker, which shares no code with
/// this, decides what a text proves.
Certificate certify(const Problem& problem, std::optional<Joules> claim,
                    const CertifyOptions& options);

}  // namespace poet

#include "poet/certify.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "problem/fields.hpp"
#include "solver/moments/moment_model.hpp"
#include "solver/moments/prove.hpp"
#include "solver/work.hpp"

namespace poet {
namespace {

/// What a claim gives up of the extra energy that the bound states, to be provable in rounded
/// prices.
constexpr double kOfBound = 1e-7;
/// What the sum of a baseline's doubles may be above the exact one.
constexpr double kOfSum = 1e-12;

/// The digest of the graph in the order of the model.
std::string given_sha256(const Problem& problem, const NodeOrder& order) {
  const PagingTime paging_time = problem.limits.paging_time;
  if (order.empty()) return graph_sha256(problem.graph, paging_time);
  return graph_sha256(permuted(problem.graph, inverse(order)), paging_time);
}

/// The file of docs/certificate-format.md. `order`: empty in the given one. `claim`: absent for
/// infeasibility.
std::string certificate_text(const Problem& problem, const NodeOrder& order, int shift,
                             std::optional<Joules> claim, const Proof& proof) {
  const Limits& limits = problem.limits;
  fmt::memory_buffer text;
  const auto line = [&](std::string_view key, const auto& value) {
    fmt::format_to(std::back_inserter(text), "{} {}\n", key, value);
  };
  line("poet-certificate", 1);
  line("claim", claim ? fmt::format("{}", *claim) : "infeasible");
  line("graph_sha256", given_sha256(problem, order));
  line("order_sha256", graph_sha256(problem.graph, limits.paging_time));
  line("ram_budget_bytes", limits.ram_budget_bytes);
  line("runtime_budget_seconds", limits.runtime_budget_seconds);
  line("paging", limits.techniques.paging);
  line("remat", limits.techniques.remat);
  line("paging_time", name_of(limits.paging_time));
  if (write_budget(limits) < kMaxBytes) line("write_budget_bytes", write_budget(limits));
  if (!order.empty()) line("order", fmt::format("{}", fmt::join(order, " ")));
  line("nodes", problem.graph.size());
  text.append(graph_text(problem.graph, limits.paging_time != PagingTime::free));
  for (int i = 0; i < problem.graph.size() && !order.empty(); ++i) {
    const std::vector<int>& choices = problem.graph.nodes[i].in_place_choices;
    if (choices.empty()) continue;
    line("in_place_choices", fmt::format("{} {}", i, fmt::join(choices, " ")));
  }
  line("shift", shift);
  line("writes", proof.moments.writes);
  line("moments", fmt::format("{}", fmt::join(proof.moments.stages, " ")));
  line("rows", proof.attempt.proof.rows.size());
  for (const std::string& row : proof.attempt.proof.rows) {
    text.append(row);
    text.push_back('\n');
  }
  text.append(std::string_view("tree\n"));
  text.append(proof.attempt.proof.tree);
  text.append(std::string_view("end\n"));
  return fmt::to_string(text);
}

std::string why_not_proven(const Proof& proof) {
  if (proof.stopped) return "the search was interrupted";
  if (proof.expired) return "the time limit was reached";
  if (!proof.trouble.empty()) return "a search " + proof.trouble;
  return "the model that certificates rest on is too weak to prove it";
}

}  // namespace

Joules certifiable_claim(const Graph& graph, Joules energy, Joules lower_bound) {
  const Joules least = baseline(graph).energy_joules;
  const Joules claim = std::min(lower_bound - kOfBound * std::max(0.0, lower_bound - least),
                                energy - kUnprovable * std::max(0.0, energy - least));
  return claim * (1 - kOfSum);
}

Certificate certify(const Problem& problem, std::optional<Joules> claim,
                    const CertifyOptions& options) {
  const ProofCosts costs =
      claim ? costs_for_claim(problem.graph, *claim) : costs_for_infeasible(problem.graph);
  const SolveClock clock(options.time_limit_seconds);
  const Proof proof =
      prove(problem, costs,
            {.seconds = clock.remaining(),
             .memory_bytes = options.memory_limit_bytes,
             .progress = [&](int moments, std::int64_t /*units*/) {
               return !options.progress ||
                      options.progress({.elapsed_seconds = clock.elapsed(), .moments = moments});
             }});
  const bool proven = proof.attempt.status == ProofAttempt::Status::proven;
  Certificate certificate;
  if (!proven) {
    certificate.reason = why_not_proven(proof);
    if (proof.attempt.units <= 0) return certificate;
    claim = claim_of_bound(problem.graph, costs, proof.attempt.units);
  }
  certificate.status = proven ? Certificate::Status::proven : Certificate::Status::weaker;
  certificate.claim_joules = claim.value_or(0);
  certificate.text = certificate_text(problem, options.order, costs.shift, claim, proof);
  certificate.moments = static_cast<int>(proof.moments.stages.size());
  certificate.rows = static_cast<int>(proof.attempt.proof.rows.size());
  certificate.leaves = proof.attempt.proof.leaves;
  return certificate;
}

}  // namespace poet

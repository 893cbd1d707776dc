#include "certify/certificate_text.hpp"

#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "problem/fields.hpp"

namespace poet {
namespace {

/// The digest of the graph in the order of the model.
std::string given_sha256(const Problem& problem, const NodeOrder& order) {
  const Limits& limits = problem.limits;
  if (order.empty()) return graph_sha256(problem.graph, limits.paging_time);
  return graph_sha256(permuted(problem.graph, inverse(order)), limits.paging_time);
}

}  // namespace

std::string certificate_text(const Problem& problem, const CertificateHead& head,
                             const ProofText& proof) {
  const Limits& limits = problem.limits;
  fmt::memory_buffer text;
  const auto line = [&](std::string_view key, const auto& value) {
    fmt::format_to(std::back_inserter(text), "{} {}\n", key, value);
  };
  line("poet-certificate", 1);
  if (head.claim) {
    line("claim", *head.claim);
  } else {
    line("claim", "infeasible");
  }
  line("graph_sha256", given_sha256(problem, head.order));
  line("order_sha256", graph_sha256(problem.graph, limits.paging_time));
  line("ram_budget_bytes", limits.ram_budget_bytes);
  line("runtime_budget_seconds", limits.runtime_budget_seconds);
  line("paging", limits.techniques.paging);
  line("remat", limits.techniques.remat);
  line("paging_time", name_of(limits.paging_time));
  if (write_budget(limits) < kMaxBytes) line("write_budget_bytes", write_budget(limits));
  if (!head.order.empty()) line("order", fmt::format("{}", fmt::join(head.order, " ")));
  line("nodes", problem.graph.size());
  text.append(graph_text(problem.graph, limits.paging_time != PagingTime::free));
  for (int i = 0; i < problem.graph.size() && !head.order.empty(); ++i) {
    const std::vector<int>& choices = problem.graph.nodes[i].in_place_choices;
    if (choices.empty()) continue;
    line("in_place_choices", fmt::format("{} {}", i, fmt::join(choices, " ")));
  }
  line("shift", head.shift);
  line("writes", head.writes);
  line("moments", fmt::format("{}", fmt::join(head.moments, " ")));
  line("rows", proof.rows.size());
  for (const std::string& row : proof.rows) {
    text.append(row);
    text.push_back('\n');
  }
  text.append(std::string_view("tree\n"));
  text.append(proof.tree);
  text.append(std::string_view("end\n"));
  return fmt::to_string(text);
}

}  // namespace poet

// The part of the judge that adds up: rules 6 and 9 and the energy of docs/schedule-format.md. It
// does not ask whether what it charges is allowed; simulate.cpp does. Sums are added up in one
// order, so that a replay gives the same double on every machine.

#include "schedule/charges.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/text/figures.hpp"

namespace poet {
namespace {

/// Adds, but stays at the largest value instead of overflowing: a file may page a tensor of 2^53
/// bytes in every one of its stages.
Bytes add_clipped(Bytes total, Bytes bytes) {
  constexpr Bytes kMax = std::numeric_limits<Bytes>::max();
  return bytes > kMax - total ? kMax : total + bytes;
}

}  // namespace

Charges::Charges(const Graph& graph, PagingTime paging_time, Replay& sums)
    : graph_(graph), paging_time_(paging_time), sums_(sums), copies_(graph.size()) {}

void Charges::compute(int node, bool again) {
  sums_.compute_energy_joules += graph_.nodes[node].energy_joules;
  sums_.compute_seconds += graph_.nodes[node].runtime_seconds;
  computing_ += graph_.nodes[node].runtime_seconds;
  if (again) ++sums_.recompute_count;
}

void Charges::page_out(int node) {
  const Node& tensor = graph_.nodes[node];
  sums_.page_out_energy_joules += tensor.page_out_energy_joules;
  sums_.paging_seconds += tensor.page_out_seconds;
  paging_ += tensor.page_out_seconds;
  sums_.page_out_bytes = add_clipped(sums_.page_out_bytes, tensor.bytes);
  ++sums_.page_out_count;
  const Bytes written = bytes_in_storage(tensor);
  sums_.written_bytes = add_clipped(sums_.written_bytes, written);
  // A page-out of what has a copy already writes over it.
  if (copies_.insert(node)) sums_.storage_bytes = add_clipped(sums_.storage_bytes, written);
}

// A page-in leaves the copy where it is, so it frees no storage.
void Charges::page_in(int node) {
  const Node& tensor = graph_.nodes[node];
  sums_.page_in_energy_joules += tensor.page_in_energy_joules;
  sums_.paging_seconds += tensor.page_in_seconds;
  paging_ += tensor.page_in_seconds;
  sums_.page_in_bytes = add_clipped(sums_.page_in_bytes, tensor.bytes);
  ++sums_.page_in_count;
}

// Transfers run beside the computations of their own stage only, so each stage takes the longer of
// both.
void Charges::end_stage() {
  overlapped_ += std::max(computing_, paging_);
  computing_ = 0;
  paging_ = 0;
}

void Charges::finish() {
  sums_.energy_joules =
      sums_.compute_energy_joules + sums_.page_in_energy_joules + sums_.page_out_energy_joules;
  switch (paging_time_) {
    case PagingTime::free:
      sums_.runtime_seconds = sums_.compute_seconds;
      break;
    case PagingTime::blocking:
      sums_.runtime_seconds = sums_.compute_seconds + sums_.paging_seconds;
      break;
    case PagingTime::overlapped:
      sums_.runtime_seconds = overlapped_;
      break;
  }
}

void check_budgets(Findings& findings, const Replay& replay, const Limits& limits) {
  // Written so that no runtime fits a budget that is not a number.
  const Seconds seconds = limits.runtime_budget_seconds;
  if (!within_runtime_budget(replay.runtime_seconds, seconds)) {
    const auto [takes, allowed] = distinct(replay.runtime_seconds, seconds);
    const bool with_transfers = limits.paging_time != PagingTime::free;
    findings.add(Rule::runtime,
                 fmt::format("the computations{} take {} s; the budget is {} s",
                             with_transfers ? " and transfers" : "", takes, allowed));
  }
  const auto check = [&](Bytes bytes, const std::optional<Bytes>& budget, const char* what) {
    if (!budget || bytes <= *budget) return;
    findings.add(Rule::storage, fmt::format("{} bytes {} secondary storage; the budget is {} bytes",
                                            bytes, what, *budget));
  };
  check(replay.storage_bytes, limits.storage.storage_budget_bytes, "of copies are in");
  check(replay.written_bytes, limits.storage.page_out_budget_bytes, "are written to");
}

}  // namespace poet

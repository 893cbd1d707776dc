#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "poet/error.hpp"
#include "poet/problem.hpp"

namespace poet {
namespace {

/// The last node that reads i, or i itself where nobody does.
int last_use(const Graph& graph, int i) {
  return graph.users[i].empty() ? i : graph.users[i].back();
}

}  // namespace

Baseline baseline(const Graph& graph) {
  Baseline base;
  std::vector<int> held;
  Bytes held_bytes = 0;
  for (int t = 0; t < graph.size(); ++t) {
    base.schedule.stages.push_back({.resident = held, .compute = {t}});
    base.peak_ram_bytes = std::max(base.peak_ram_bytes, held_bytes + graph.nodes[t].bytes);
    base.energy_joules += graph.nodes[t].energy_joules;
    base.runtime_seconds += graph.nodes[t].runtime_seconds;
    held.push_back(t);
    std::erase_if(held, [&](int i) { return last_use(graph, i) <= t; });
    held_bytes = std::accumulate(held.begin(), held.end(), Bytes{0},
                                 [&](Bytes sum, int i) { return sum + graph.nodes[i].bytes; });
  }
  return base;
}

WorkingSet working_set(const Graph& graph) {
  WorkingSet largest;
  for (int k = 0; k < graph.size(); ++k) {
    Bytes bytes = graph.nodes[k].bytes;
    for (const int i : graph.nodes[k].inputs) bytes += graph.nodes[i].bytes;
    if (k == 0 || bytes > largest.bytes) largest = {.bytes = bytes, .node = k};
  }
  return largest;
}

Bytes resolve(const RamBudget& budget, const Baseline& base) {
  if (const Bytes* bytes = std::get_if<Bytes>(&budget)) return *bytes;
  const auto share = std::get<Ratio>(budget).value;
  const double wanted = share * static_cast<double>(base.peak_ram_bytes);
  if (wanted > static_cast<double>(kMaxBytes)) {
    throw InputError(fmt::format("{:g} % of the baseline's {} bytes is more than 2^53 bytes",
                                 share * 100, base.peak_ram_bytes));
  }
  // A budget never grows by rounding; 100 % must still hold the baseline exactly.
  const auto bytes = static_cast<Bytes>(wanted);
  if (bytes < 1) {
    throw InputError(fmt::format("{} % of the baseline's {} bytes is less than one byte",
                                 share * 100, base.peak_ram_bytes));
  }
  return bytes;
}

Seconds resolve(const RuntimeBudget& budget, const Baseline& base) {
  const Ratio* const ratio = std::get_if<Ratio>(&budget);
  const Seconds seconds =
      ratio != nullptr ? ratio->value * base.runtime_seconds : std::get<Seconds>(budget);
  if (!std::isfinite(seconds)) {
    throw InputError(fmt::format("{:g} times the baseline's {} s is more than a number can hold",
                                 ratio != nullptr ? ratio->value : 1, base.runtime_seconds));
  }
  // Answers state the budget as a multiple too.
  if (base.runtime_seconds > 0 && !std::isfinite(seconds / base.runtime_seconds)) {
    throw InputError(
        fmt::format("{:g} s, as a multiple of the baseline's {:g} s, is more than a "
                    "number can hold",
                    seconds, base.runtime_seconds));
  }
  return seconds;
}

}  // namespace poet

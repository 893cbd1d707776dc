#include <algorithm>
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
  // A budget never grows by rounding; 100 % must still hold the baseline exactly.
  const auto bytes = static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes));
  if (bytes < 1) {
    throw InputError(fmt::format("{} % of the baseline's {} bytes is less than one byte",
                                 share * 100, base.peak_ram_bytes));
  }
  return bytes;
}

Seconds resolve(const RuntimeBudget& budget, const Baseline& base) {
  if (const Ratio* ratio = std::get_if<Ratio>(&budget)) return ratio->value * base.runtime_seconds;
  return std::get<Seconds>(budget);
}

}  // namespace poet

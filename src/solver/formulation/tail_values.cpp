#include "solver/formulation/tail_values.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

namespace poet {
namespace {

constexpr TailValues::Set bit(std::size_t q) {
  return TailValues::Set{1} << q;
}

/// The forward tensors from which the stages from t on compute: what their nodes read, and what
/// those tensors are computed from. Inputs of the whole step are not computed.
std::vector<int> tensors_of_use(const Graph& graph, int t) {
  std::vector<bool> used(graph.size());
  for (int k = t; k < graph.size(); ++k) {
    for (const int i : graph.nodes[k].inputs) used[i] = true;
  }
  std::vector<int> tensors;
  for (int i = graph.first_backward - 1; i >= 0; --i) {
    const Node& node = graph.nodes[i];
    if (!used[i] || node.bytes == 0 || node.inputs.empty()) continue;
    tensors.push_back(i);
    for (const int j : node.inputs) used[j] = true;
  }
  std::reverse(tensors.begin(), tensors.end());
  return tensors;
}

}  // namespace

TailValues::TailValues(const Graph& graph, Bytes ram_bytes, std::size_t most_sets)
    : graph_(graph), ram_bytes_(ram_bytes), baseline_joules_(baseline(graph).energy_joules) {
  int too_early = graph.first_backward - 1;
  stage_ = graph.size();
  while (stage_ - too_early > 1) {
    const int t = (too_early + stage_) / 2;
    (find_sets(t, most_sets) ? stage_ : too_early) = t;
  }
  if (stage_ == graph.size() || !find_sets(stage_, most_sets)) sets_.clear();
  find_neighbours();
}

/// False if stage t has too many, or needs some for tensors in the place of others.
bool TailValues::find_sets(int t, std::size_t most_sets) {
  tensors_ = tensors_of_use(graph_, t);
  if (tensors_.size() > std::numeric_limits<Set>::digits) return false;
  const auto replaces_tensor = [this](int k) {
    const auto place = graph_.nodes[k].in_place;
    return place && std::ranges::binary_search(tensors_, *place);
  };
  if (std::ranges::any_of(tensors_, replaces_tensor)) return false;
  for (int k = t; k < graph_.size(); ++k) {
    if (replaces_tensor(k)) return false;
  }
  sets_ = {0};
  bytes_ = {0};
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    for (std::size_t q = std::bit_width(sets_[s]); q < tensors_.size(); ++q) {
      const Bytes bytes = bytes_[s] + graph_.nodes[tensors_[q]].bytes;
      if (bytes > ram_bytes_) continue;
      sets_.push_back(sets_[s] | bit(q));
      bytes_.push_back(bytes);
    }
    if (sets_.size() > most_sets) return false;
  }
  return true;
}

void TailValues::find_neighbours() {
  std::unordered_map<Set, int> index;
  for (std::size_t s = 0; s < sets_.size(); ++s) index.emplace(sets_[s], static_cast<int>(s));
  with_.assign(tensors_.size(), std::vector<int>(sets_.size(), -1));
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    first_part_.push_back(parts_.size());
    for_each_bit(sets_[s], [&](int q) {
      parts_.push_back(index.at(sets_[s] ^ bit(q)));
      with_[q][parts_.back()] = static_cast<int>(s);
    });
  }
  first_part_.push_back(parts_.size());
}

std::int64_t TailValues::steps() const {
  return std::ssize(sets_) * std::ssize(tensors_) * (graph_.size() - stage_);
}

TailValues::Set TailValues::inputs(int node) const {
  Set set = 0;
  for (std::size_t q = 0; q < tensors_.size(); ++q) {
    if (std::ranges::count(graph_.nodes[node].inputs, tensors_[q]) > 0) set |= bit(q);
  }
  return set;
}

/// In RAM while the node is computed, beside the tensors and its output.
Bytes TailValues::other_inputs(int node) const {
  Bytes bytes = graph_.nodes[node].workspace_bytes;
  for (const int i : graph_.nodes[node].inputs) {
    const bool counts =
        !std::ranges::binary_search(tensors_, i) && graph_.nodes[node].in_place != i;
    if (counts) bytes += graph_.nodes[i].bytes;
  }
  return bytes;
}

TailValues::Energy TailValues::energy(Joules joules) const {
  return static_cast<Energy>(std::min<double>(kMost, joules / part()));
}

TailValues::Energy TailValues::least_of_parts(std::span<const Energy> least,
                                              std::size_t set) const {
  Energy value = kMost;
  for (std::size_t p = first_part_[set]; p < first_part_[set + 1]; ++p) {
    value = std::min(value, least[parts_[p]]);
  }
  return value;
}

/// From the values after it to the values before tensor q may be computed from those needed, or
/// paged in. A set with more tensors never costs more, so one is left out only if q does not fit.
void TailValues::obtain(std::vector<Energy>& least, std::size_t q, Set needed, Bytes beside,
                        Energy pay) const {
  const Bytes room = ram_bytes_ - beside - graph_.nodes[tensors_[q]].bytes;
  bool gained = false;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    if ((sets_[s] & (needed | bit(q))) != needed) continue;
    Energy then = kMost;
    if (bytes_[s] <= room) {
      then = least[with_[q][s]] + pay;
    } else if (gained) {
      then = least_of_parts(least, s);
    }
    if (then >= least[s]) continue;
    least[s] = then;
    gained = true;
  }
}

/// The stage's own node comes last. What does not fit beside it has gone before.
std::vector<TailValues::Energy> TailValues::after_recomputations(int t,
                                                                 std::vector<Energy> least) const {
  const Set needed = inputs(t);
  const Bytes room = ram_bytes_ - graph_.nodes[t].bytes - other_inputs(t);
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    if ((sets_[s] & needed) != needed) {
      least[s] = kMost;
    } else if (bytes_[s] > room) {
      least[s] = least_of_parts(least, s);
    }
  }
  return least;
}

/// With so many bytes of gradients in RAM from the stage's start on.
void TailValues::before_recomputations(std::vector<Energy>& least, Bytes gradients) const {
  for (std::size_t q = tensors_.size(); q-- > 0;) {
    obtain(least, q, inputs(tensors_[q]), gradients + other_inputs(tensors_[q]),
           energy(graph_.nodes[tensors_[q]].energy_joules));
  }
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    if (bytes_[s] > ram_bytes_ - gradients) least[s] = least_of_parts(least, s);
  }
}

/// The gradients that the node t reads are in RAM all the while, or one of them is computed anew.
std::vector<TailValues::Energy> TailValues::at_start(int t, std::vector<Energy> at_end) const {
  Bytes gradients = 0;
  Energy anew = kMost;
  for (const int i : graph_.nodes[t].inputs) {
    if (i < graph_.first_backward) continue;
    gradients += graph_.nodes[i].bytes;
    anew = std::min(anew, energy(graph_.nodes[i].energy_joules));
  }
  std::vector<Energy> least = after_recomputations(t, std::move(at_end));
  std::vector<Energy> without = least;
  before_recomputations(least, gradients);
  if (gradients == 0) return least;
  before_recomputations(without, 0);
  for (std::size_t s = 0; s < sets_.size(); ++s) least[s] = std::min(least[s], without[s] + anew);
  return least;
}

std::vector<TailValues::Energy> TailValues::least(Set pageable) const {
  std::vector<Energy> least(sets_.size(), 0);
  for (int t = graph_.size() - 1; t >= stage_; --t) {
    least = at_start(t, std::move(least));
    for (std::size_t q = 0; q < tensors_.size() && t > stage_; ++q) {
      if ((pageable & bit(q)) == 0) continue;
      obtain(least, q, 0, 0, energy(graph_.nodes[tensors_[q]].page_in_energy_joules));
    }
  }
  return least;
}

}  // namespace poet

// Lagrange multipliers of the RAM of each stage, by subgradients, on a model in which tensors do
// not know each other: each is kept from use to use, or leaves RAM during its longest wait and
// comes back at a fixed price, or gradients read a copy of it. The prices are the mean of the later
// rounds, as single rounds jump between sets that are worth about the same.

#include <algorithm>
#include <limits>

#include "solver/copies/copy_choices.hpp"

namespace poet {
namespace {

constexpr int kRounds = 400;

/// What becomes of a tensor between two uses: stages `first` to `last`, both included.
struct Wait {
  int first = 0;
  int last = -1;
};

/// A tensor of the graph with all copies.
struct PricedTensor {
  double bytes = 0;
  int node = 0;
  int end = 0;               ///< its last use
  Wait wait{};               ///< its longest
  Joules return_joules = 0;  ///< to get it back once
};

class CopyPricing {
 public:
  explicit CopyPricing(const CopyChoices& choices)
      : all_(problem_of_set(choices, CopySet(choices.size(), true))), graph_(all_.problem.graph) {
    const double budget = static_cast<double>(all_.problem.limits.ram_budget_bytes);
    room_.assign(graph_.size(), budget);
    fixed_.assign(graph_.size(), true);
    double bytes = 0;
    for (int k = 0; k < graph_.size(); ++k) {
      room_[k] -= static_cast<double>(graph_.nodes[k].workspace_bytes);
      bytes += static_cast<double>(graph_.nodes[k].bytes);
    }
    for (int c = 0, number = 0, without = 0; number < graph_.size(); ++without, ++number) {
      if (c == choices.size() || choices.tensors[c] != without) continue;
      add_candidate(number);
      fixed_[number] = fixed_[number + 1] = false;
      ++number;
      ++c;
    }
    for (int k = 0; k < graph_.size(); ++k) {
      if (fixed_[k]) others_.push_back(priced(k, graph_.users[k]));
    }
    step_ = all_.base_joules / std::max(1.0, bytes) / graph_.size();
  }

  CopySet run() {
    std::vector<double> prices(graph_.size(), 0);
    std::vector<double> sum = prices;
    for (int round = 0; round < kRounds; ++round) {
      set_prices(prices);
      used_.assign(graph_.size(), 0);
      for (const PricedTensor& tensor : others_) use(tensor);
      choose(true);
      const double step = step_ / (1 + 0.05 * round);
      for (int t = 0; t < graph_.size(); ++t) {
        prices[t] = std::max(0.0, prices[t] + step * (used_[t] / room_[t] - 1) * kStepOfBudget);
        if (2 * round >= kRounds) sum[t] += prices[t] * 2 / kRounds;
      }
    }
    set_prices(sum);
    return choose(false);
  }

 private:
  static constexpr double kStepOfBudget = 2;

  struct Candidate {
    PricedTensor whole;    ///< the tensor if gradients read it
    PricedTensor forward;  ///< the tensor if they read its copy
    PricedTensor copy;
    Joules copy_joules = 0;
  };

  void add_candidate(int node) {
    const std::vector<int>& own = graph_.users[node];
    const std::vector<int>& of_copy = graph_.users[node + 1];
    std::vector<int> forward;
    std::copy_if(own.begin(), own.end(), std::back_inserter(forward),
                 [&](int user) { return user != node + 1; });
    std::vector<int> all = forward;
    all.insert(all.end(), of_copy.begin(), of_copy.end());
    std::sort(all.begin(), all.end());
    Candidate candidate{.whole = priced(node, all),
                        .forward = priced(node, forward),
                        .copy = priced(node + 1, of_copy),
                        .copy_joules = graph_.nodes[node + 1].energy_joules};
    candidate.copy.return_joules =
        std::min(page_joules(node + 1), candidate.forward.return_joules + candidate.copy_joules);
    candidates_.push_back(candidate);
  }

  Joules page_joules(int node) const {
    const Node& paged = graph_.nodes[node];
    if (!all_.problem.limits.techniques.paging || !paged.page) {
      return std::numeric_limits<Joules>::infinity();
    }
    return paged.page_in_energy_joules + paged.page_out_energy_joules;
  }

  PricedTensor priced(int node, const std::vector<int>& users) const {
    const Node& made = graph_.nodes[node];
    PricedTensor tensor{.bytes = static_cast<double>(made.bytes), .node = node, .end = node};
    for (const int user : users) {
      if (user - tensor.end > tensor.wait.last - tensor.wait.first + 2) {
        tensor.wait = {tensor.end + 1, user - 1};
      }
      tensor.end = user;
    }
    tensor.return_joules = page_joules(node);
    if (all_.problem.limits.techniques.remat && made.recompute) {
      tensor.return_joules = std::min(tensor.return_joules, made.energy_joules);
    }
    return tensor;
  }

  void set_prices(const std::vector<double>& prices) {
    prefix_.assign(1, 0);
    for (const double price : prices) prefix_.push_back(prefix_.back() + price);
  }

  double rent(const PricedTensor& tensor, int first, int last) const {
    return last < first ? 0 : tensor.bytes * (prefix_[last + 1] - prefix_[first]);
  }

  bool leaves(const PricedTensor& tensor) const {
    return tensor.return_joules < rent(tensor, tensor.wait.first, tensor.wait.last);
  }

  Joules cost(const PricedTensor& tensor) const {
    const double waiting = rent(tensor, tensor.wait.first, tensor.wait.last);
    return rent(tensor, tensor.node, tensor.end) - waiting +
           std::min(waiting, tensor.return_joules);
  }

  void use(const PricedTensor& tensor) {
    const bool is_gone = leaves(tensor);
    for (int t = tensor.node; t <= tensor.end; ++t) {
      if (is_gone && t >= tensor.wait.first && t <= tensor.wait.last) continue;
      used_[t] += tensor.bytes;
    }
  }

  CopySet choose(bool uses) {
    CopySet set;
    for (const Candidate& candidate : candidates_) {
      const Joules with = candidate.copy_joules + cost(candidate.forward) + cost(candidate.copy);
      set.push_back(with < cost(candidate.whole));
      if (!uses) continue;
      use(set.back() ? candidate.forward : candidate.whole);
      if (set.back()) use(candidate.copy);
    }
    return set;
  }

  CopyProblem all_;
  const Graph& graph_;
  std::vector<double> room_;  // by stage: for tensors
  std::vector<char> fixed_;   // by node: neither a candidate nor its copy
  std::vector<PricedTensor> others_;
  std::vector<Candidate> candidates_;
  std::vector<double> used_;    // by stage
  std::vector<double> prefix_;  // sums of prices
  double step_ = 0;
};

}  // namespace

CopySet set_by_prices(const CopyChoices& choices) {
  return CopyPricing(choices).run();
}

}  // namespace poet

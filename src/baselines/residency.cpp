// From what is kept to what is computed, which is what Checkmate does with the checkpoints of other
// methods (Jain et al., MLSys 2020, section 6.2): given the residents of every stage, the least set
// of recomputations follows from the inputs, and no choice is left. So a method is a rule for what
// is kept, and all of them share this file.

#include "baselines/residency.hpp"

#include <algorithm>

namespace poet {

Residency::Residency(const Graph& graph)
    : held(graph.size(), std::vector<bool>(graph.size(), false)),
      page_out(graph.size()),
      page_in(graph.size()) {}

void Residency::hold(int node, int first, int last) {
  for (int t = first; t <= last; ++t) held[t][node] = true;
}

void Residency::drop(int node, int first, int last) {
  for (int t = first; t <= last; ++t) held[t][node] = false;
}

Residency keep_everything(const Graph& graph) {
  Residency residency(graph);
  const std::vector<int> needed = needed_until(graph);
  for (int i = 0; i < graph.size(); ++i) {
    residency.hold(i, i + 1, is_computed_once(graph, i) ? needed[i] : last_use(graph, i));
  }
  return residency;
}

bool is_computed_once(const Graph& graph, int node) {
  return graph.last_stage[node] == node;
}

std::vector<int> recomputable_until(const Graph& graph) {
  std::vector<int> until = graph.last_stage;
  for (int i = 0; i < graph.size(); ++i) {
    for (const int input : graph.nodes[i].inputs) {
      if (!is_computed_once(graph, input)) until[i] = std::min(until[i], until[input]);
    }
  }
  return until;
}

std::vector<int> needed_until(const Graph& graph) {
  const std::vector<int> recomputable = recomputable_until(graph);
  std::vector<int> until(graph.size());
  for (int i = graph.size() - 1; i >= 0; --i) {
    until[i] = last_use(graph, i);
    for (const int user : graph.users[i]) {
      until[i] = std::max(until[i], std::min(until[user], recomputable[user]));
    }
  }
  return until;
}

std::vector<bool> can_be_dropped(const Graph& graph) {
  const std::vector<int> until = recomputable_until(graph);
  std::vector<bool> droppable(graph.size());
  for (int i = 0; i < graph.size(); ++i) {
    droppable[i] = !is_computed_once(graph, i) && until[i] >= last_use(graph, i);
  }
  return droppable;
}

namespace {

/// Builds the stages from the last to the first: what a stage needs to leave behind is known then.
class StageBuilder {
 public:
  StageBuilder(const Graph& graph, const Residency& residency)
      : graph_(graph), residency_(residency), wanted_(graph.size()), copy_wanted_(graph.size()) {
    schedule_.stages.resize(graph.size());
  }

  std::optional<Schedule> build() {
    for (int t = graph_.size() - 1; t >= 0; --t) {
      if (!build_stage(t)) return std::nullopt;
    }
    // What is still wanted was never made.
    const auto any = [](const std::vector<bool>& set) {
      return std::find(set.begin(), set.end(), true) != set.end();
    };
    if (any(wanted_) || any(copy_wanted_)) return std::nullopt;
    return std::move(schedule_);
  }

 private:
  bool build_stage(int t) {
    Stage& stage = schedule_.stages[t];
    const std::vector<bool>& held = residency_.held[t];
    std::vector<bool> arrives(graph_.size());
    for (const int i : residency_.page_in[t]) arrives[i] = wanted_[i] && !held[i];
    std::vector<bool> computed(graph_.size());
    computed[t] = true;
    for (int i = 0; i < graph_.size(); ++i) {
      if (wanted_[i] && !held[i] && !arrives[i]) computed[i] = true;
    }
    std::vector<bool> read(graph_.size());
    if (!add_inputs(t, held, computed, read)) return false;
    for (int i = 0; i < graph_.size(); ++i) {
      // A page-in of what the stage computes anyway is of no use.
      arrives[i] = arrives[i] && !computed[i];
      if (arrives[i]) stage.page_in.push_back(i);
      if (computed[i]) stage.compute.push_back(i);
    }
    std::vector<bool> written(graph_.size());
    for (const int i : residency_.page_out[t]) {
      if (!copy_wanted_[i]) continue;
      if (!held[i]) return false;
      written[i] = true;
      copy_wanted_[i] = false;
    }
    for (int i = 0; i < graph_.size(); ++i) {
      if (written[i]) stage.page_out.push_back(i);
      if (arrives[i]) copy_wanted_[i] = true;
      wanted_[i] = held[i] && (read[i] || wanted_[i] || written[i]);
      if (wanted_[i]) stage.resident.push_back(i);
    }
    return true;
  }

  /// Adds what the computations of stage t need and do not find. False if one of them is not
  /// possible.
  bool add_inputs(int t, const std::vector<bool>& held, std::vector<bool>& computed,
                  std::vector<bool>& read) const {
    for (int j = graph_.size() - 1; j >= 0; --j) {
      if (!computed[j]) continue;
      if (j > t || held[j] || t > graph_.last_stage[j]) return false;
      for (const int input : graph_.nodes[j].inputs) {
        read[input] = true;
        if (!held[input]) computed[input] = true;
      }
    }
    return true;
  }

  const Graph& graph_;
  const Residency& residency_;
  std::vector<bool> wanted_;       ///< resident when the next stage starts
  std::vector<bool> copy_wanted_;  ///< read back later
  Schedule schedule_;
};

}  // namespace

std::optional<Schedule> schedule_of(const Graph& graph, const Residency& residency) {
  return StageBuilder(graph, residency).build();
}

}  // namespace poet

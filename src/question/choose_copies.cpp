// The search over sets of copies shares the time limit with the solve of the set that it finds, as
// the search over orders does. It runs in this process: it calls no library that could hang.
//
// What can be said of all sets is little. The forward pass reads whole tensors with every set, and
// no gradient takes less time because it reads a copy; only these two make a problem infeasible
// here. A gradient may need less RAM with a copy than without.

#include "question/choose_copies.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "question/choose_order.hpp"
#include "solver/copies/copy_search.hpp"
#include "solver/least_runtime.hpp"
#include "solver/order/order_working_set.hpp"

namespace poet {
namespace {

/// Of the time limit. The solve with the copies has the rest.
constexpr double kCopiesShare = 0.5;

class ModelCopies {
 public:
  ModelCopies(const Subject& subject, const Limits& limits, const SolveSettings& settings)
      : none_(with_copies(subject, {})),
        limits_(limits),
        mode_(copy_mode(settings.copies)),
        names_(copy_candidates(none_.model, mode_)),
        is_timed_(settings.objective == Objective::runtime) {
    std::map<std::string, int> kinds;
    std::vector<std::string> in_order;
    for (int k = 0; k < none_.graph.size(); ++k) {
      const ModelNode& node = none_.model.nodes[k];
      if (std::find(names_.begin(), names_.end(), node.name) == names_.end()) continue;
      in_order.push_back(node.name);
      choices_.tensors.push_back(k);
      choices_.kinds.push_back(kinds.emplace(node.op, kinds.size()).first->second);
    }
    ordered_ = std::move(in_order);
    choices_.problem_of = [this](const CopySet& set) {
      Problem problem{.graph = subject_of(set).graph, .limits = limits_};
      return is_timed_ ? with_times_as_energies(std::move(problem)) : problem;
    };
  }

  const CopyChoices& choices() const { return choices_; }

  Subject subject_of(const CopySet& set) const {
    Copies copies{.mode = mode_};
    for (const std::string& name : names_) {
      const auto at = std::find(ordered_.begin(), ordered_.end(), name);
      if (set[at - ordered_.begin()]) copies.tensors.push_back(name);
    }
    return copies.tensors.empty() ? none_ : with_copies(none_, copies);
  }

  CopySet set_of(const Copies& copies) const {
    CopySet set;
    for (const std::string& name : ordered_) {
      set.push_back(std::find(copies.tensors.begin(), copies.tensors.end(), name) !=
                    copies.tensors.end());
    }
    return set;
  }

 private:
  Subject none_;
  Limits limits_;
  CopyMode mode_;
  std::vector<std::string> names_;    // in the given order
  std::vector<std::string> ordered_;  // in the subject's
  bool is_timed_;
  CopyChoices choices_;
};

double effort_of_copies(const SolveSettings& settings) {
  constexpr double kFast = 0.1;
  return settings.effort == Effort::fast ? kFast : 1;
}

}  // namespace

CopyMode copy_mode(CopyChoice choice) {
  switch (choice) {
    case CopyChoice::exact:
      return CopyMode::exact;
    case CopyChoice::int8:
      return CopyMode::int8;
    case CopyChoice::none:
      break;
  }
  return CopyMode::off;
}

CopiedSubject choose_copies(const Subject& subject, const Limits& limits,
                            const SolveSettings& settings, const AnswerOptions& options) {
  const Stopwatch watch;
  const ModelCopies copies(subject, limits, settings);
  CopySearchOptions search{
      .seed = settings.seed,
      .start_set = subject.copied ? copies.set_of(subject.model.copies) : CopySet(),
      .start = options.start,
      .effort = effort_of_copies(settings)};
  if (options.interrupted) search.stop = options.interrupted;
  if (settings.time_limit_seconds > 0) search.seconds = kCopiesShare * settings.time_limit_seconds;
  const bool is_timed = settings.objective == Objective::runtime;
  const Joules base = subject.stated_base().energy_joules;
  search.improved = [&](Joules energy) {
    if (!options.progress || is_timed) return;
    options.progress({.phase = "copies",
                      .elapsed_seconds = watch.elapsed(),
                      .incumbent_joules = energy,
                      .bound_joules = base,
                      .baseline_joules = base});
  };
  FoundCopies found = search_copies(copies.choices(), search);
  CopiedSubject chosen{
      .subject = found.schedule ? copies.subject_of(found.set) : with_copies(subject, {}),
      .start = std::move(found.schedule)};
  if (!is_timed) chosen.without_joules = found.without_joules;
  chosen.wall_seconds = watch.elapsed();
  return chosen;
}

CopiedSubject choose_order_and_copies(const Subject& given, const Limits& limits,
                                      SolveSettings settings, AnswerOptions options) {
  const Copies copies = std::exchange(options.start_copies, {});
  if (settings.order != OrderKind::search || given.chosen) {
    return choose_copies(with_copies(given, copies), limits, settings, options);
  }
  if (!copies.tensors.empty()) options.start.reset();  // it is for another graph
  ChosenSubject ordered = choose_order(given, limits, settings, options);
  options.start = std::move(ordered.start);
  settings.time_limit_seconds = rest_of_limit(settings.time_limit_seconds, ordered.wall_seconds);
  CopiedSubject chosen = choose_copies(ordered.subject, limits, settings, options);
  chosen.wall_seconds += ordered.wall_seconds;
  return chosen;
}

std::optional<SolveResult> infeasible_with_any_copies(const Subject& subject,
                                                      const Limits& limits) {
  SolveResult result{.status = Status::infeasible};
  Problem roomy{.graph = subject.graph, .limits = limits};
  roomy.limits.ram_budget_bytes = subject.base.peak_ram_bytes;
  const Verdict verdict = instant_verdict(roomy, subject.base);
  if (verdict.kind == Verdict::Kind::infeasible) {
    result.reason = verdict.reason;
    return result;
  }
  std::vector<Node> forward;
  for (const Node& node : subject.graph.nodes) {
    if (node.backward) break;
    forward.push_back(node);
  }
  const Graph pass = make_graph(std::move(forward));
  const OrderWorkingSet needed(pass);
  if (needed.of_any_order() <= limits.ram_budget_bytes) return std::nullopt;
  result.node = needed.largest_node();
  result.smallest_ram_bytes = needed.of_any_order();
  const Node& node = pass.nodes[*result.node];
  result.reason = fmt::format(
      "the RAM budget of {} bytes is below the {} bytes that node {} ('{}', {}) needs for its "
      "inputs and its output at once{}, with any copies for gradients",
      limits.ram_budget_bytes, needed.of_any_order(), *result.node, node.name, node.op,
      node.workspace_bytes > 0 ? ", its workspace" : "");
  return result;
}

SolveResult unknown_with_other_copies(const SolveResult& infeasible) {
  return {.status = Status::unknown,
          .reason = fmt::format("no schedule was found with the copies that were tried; without "
                                "copies there is none: {}",
                                infeasible.reason),
          .interrupted = infeasible.interrupted,
          .statistics = infeasible.statistics};
}

}  // namespace poet

// The search over sets of copies shares the time limit with the solve of the set that it finds, as
// the search over orders does. It runs in this process: it calls no library that could hang.
//
// What can be said of all sets is little. The forward pass reads whole tensors with every set, and
// no gradient takes less time because it reads a copy; only these two make a problem infeasible
// here. A gradient may need less RAM with a copy than without, and a norm whose gradient reads a
// copy of its input may be computed in place over it.

#include "question/choose_copies.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "model/exact/copy_nodes.hpp"
#include "question/any_choice.hpp"
#include "question/choose_order.hpp"
#include "solver/copies/copy_search.hpp"
#include "solver/least_runtime.hpp"

namespace poet {
namespace {

class ModelCopies {
 public:
  ModelCopies(const Subject& subject, const Limits& limits, const SolveSettings& settings)
      : none_(with_copies(subject, {})),
        limits_(limits),
        mode_(copy_mode(settings.copies)),
        is_timed_(settings.objective == Objective::runtime) {
    const std::vector<std::string> names = copy_candidates(none_.model, mode_);
    std::map<std::string, int> kinds;
    for (int k = 0; k < none_.graph.size(); ++k) {
      const ModelNode& node = none_.model.nodes[k];
      if (std::find(names.begin(), names.end(), node.name) == names.end()) continue;
      names_.push_back(node.name);
      choices_.tensors.push_back(k);
      choices_.kinds.push_back(kinds.emplace(node.op, kinds.size()).first->second);
    }
    choices_.problem_of = [this](const CopySet& set) {
      Problem problem{.graph = subject_of(set).graph, .limits = limits_};
      return is_timed_ ? with_times_as_energies(std::move(problem)) : problem;
    };
  }

  const CopyChoices& choices() const { return choices_; }

  Subject subject_of(const CopySet& set) const {
    Copies copies{.mode = mode_};
    for (std::size_t c = 0; c < names_.size(); ++c) {
      if (set[c]) copies.tensors.push_back(names_[c]);
    }
    return copies.tensors.empty() ? none_ : with_copies(none_, copies);
  }

  CopySet set_of(const Copies& copies) const {
    CopySet set;
    for (const std::string& name : names_) {
      set.push_back(std::find(copies.tensors.begin(), copies.tensors.end(), name) !=
                    copies.tensors.end());
    }
    return set;
  }

 private:
  Subject none_;
  Limits limits_;
  CopyMode mode_;
  std::vector<std::string> names_;  // in the subject's order
  bool is_timed_;
  CopyChoices choices_;
};

/// The forward pass without copies, in which every node takes over what it may with some copies.
Graph roomiest_forward_pass(const Subject& subject, CopyChoice choice) {
  const Model& none = subject.model;
  const CopyMode mode = copy_mode(choice);
  const Model all = with_copies(none, {mode, copyable_tensors(none, mode)});
  std::vector<Node> forward;
  std::vector<int> place;  // by node of `all`
  for (const ModelNode& node : all.nodes) {
    const auto k = static_cast<int>(forward.size());
    if (subject.graph.nodes[k].backward) break;
    place.push_back(k);
    if (node.copy_of) continue;
    forward.push_back(subject.graph.nodes[k]);
    if (node.in_place && !forward.back().in_place) forward.back().in_place = place[*node.in_place];
  }
  return make_graph(std::move(forward));
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
      .effort = effort_of_choice(settings)};
  if (options.interrupted) search.stop = options.interrupted;
  if (settings.time_limit_seconds > 0) search.seconds = kChoiceShare * settings.time_limit_seconds;
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

std::optional<SolveResult> infeasible_with_any_copies(const Subject& subject, const Limits& limits,
                                                      CopyChoice choice) {
  return infeasible_with_any_choice(subject, roomiest_forward_pass(subject, choice), limits,
                                    "with any copies for gradients");
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

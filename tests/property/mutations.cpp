#include "mutations.hpp"

#include <algorithm>
#include <utility>

#include "spots.hpp"

namespace poet::test {
namespace {

using Result = std::optional<Expected>;

/// Whether the stage computes a node that reads `node`.
bool is_read(const Case& made, const Stage& stage, int node) {
  return std::any_of(stage.compute.begin(), stage.compute.end(),
                     [&](int k) { return has(made.graph.nodes[k].inputs, node); });
}

Result drop_a_resident_input(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [&](int, const Stage& stage, int node) {
    return has(stage.resident, node) && is_read(made, stage, node);
  });
  if (!spot) return {};
  std::erase(made.schedule.stages[spot->stage].resident, spot->node);
  return Expected{Rule::inputs, spot->stage};
}

Result drop_a_recomputed_input(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [&](int t, const Stage& stage, int node) {
    return node != t && has(stage.compute, node) && is_read(made, stage, node);
  });
  if (!spot) return {};
  std::erase(made.schedule.stages[spot->stage].compute, spot->node);
  return Expected{Rule::inputs, spot->stage};
}

Result recompute_without_inputs(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [&](int t, const Stage& stage, int node) {
    if (node >= t || has(stage.resident, node) || has(stage.compute, node)) return false;
    const std::vector<int>& inputs = made.graph.nodes[node].inputs;
    return std::any_of(inputs.begin(), inputs.end(), [&](int input) {
      return !has(stage.resident, input) && !has(stage.compute, input);
    });
  });
  if (!spot) return {};
  insert_sorted(made.schedule.stages[spot->stage].compute, spot->node);
  return Expected{Rule::inputs, spot->stage};
}

Result hold_what_never_came(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [&](int t, const Stage&, int node) {
    if (t == 0) return true;
    const Stage& before = made.schedule.stages[t - 1];
    return !has(before.resident, node) && !has(before.compute, node) && !has(before.page_in, node);
  });
  if (!spot) return {};
  insert_sorted(made.schedule.stages[spot->stage].resident, spot->node);
  return Expected{Rule::residency, spot->stage};
}

Result forget_a_page_in(Random& random, Case& made) {
  const auto spot = find_spot(
      random, made, [](int, const Stage& stage, int node) { return has(stage.page_in, node); });
  if (!spot) return {};
  std::erase(made.schedule.stages[spot->stage].page_in, spot->node);
  return Expected{Rule::residency, spot->stage + 1};
}

Result page_out_what_is_not_resident(Random& random, Case& made) {
  const auto spot = find_spot(
      random, made, [](int, const Stage& stage, int node) { return !has(stage.resident, node); });
  insert_sorted(made.schedule.stages[spot->stage].page_out, spot->node);
  return Expected{Rule::page_out, spot->stage};
}

Result page_in_without_a_copy(Random& random, Case& made) {
  const auto spot = find_spot(
      random, made, [](int, const Stage& stage, int node) { return has(stage.page_in, node); });
  if (!spot) return {};
  for (Stage& stage : made.schedule.stages) std::erase(stage.page_out, spot->node);
  return Expected{Rule::page_in, spot->stage};
}

Result page_in_before_the_copy_is_made(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [&](int t, const Stage& stage, int node) {
    for (int earlier = 0; earlier < t; ++earlier) {
      if (has(made.schedule.stages[earlier].page_out, node)) return false;
    }
    return has(stage.page_out, node);
  });
  if (!spot) return {};
  const int t = draw(random, 0, spot->stage);
  if (has(made.schedule.stages[t].page_in, spot->node)) return {};
  insert_sorted(made.schedule.stages[t].page_in, spot->node);
  return Expected{Rule::page_in, t};
}

Result page_in_a_resident(Random& random, Case& made) {
  const auto spot = find_spot(
      random, made, [](int, const Stage& stage, int node) { return has(stage.resident, node); });
  if (!spot) return {};
  insert_sorted(made.schedule.stages[spot->stage].page_in, spot->node);
  return Expected{Rule::page_in, spot->stage};
}

Result page_in_what_the_stage_computes(Random& random, Case& made) {
  const int t = draw(random, 0, made.graph.size() - 1);
  Stage& stage = made.schedule.stages[t];
  insert_sorted(stage.page_in, pick(random, stage.compute));
  return Expected{Rule::page_in, t};
}

Result page_in_and_let_go(Random& random, Case& made) {
  const auto spot = find_spot(
      random, made, [](int, const Stage& stage, int node) { return has(stage.page_in, node); });
  if (!spot) return {};
  std::erase(made.schedule.stages[spot->stage + 1].resident, spot->node);
  return Expected{Rule::page_in, spot->stage};
}

Result page_in_during_the_last_stage(Random& random, Case& made) {
  const int last = made.graph.size() - 1;
  made.schedule.stages[last].page_in = {draw(random, 0, last)};
  return Expected{Rule::page_in, last};
}

Result take_one_byte_of_the_budget(Random&, Case& made) {
  made.limits.ram_budget_bytes -= 1;
  const Replay replay = simulate(made.graph, made.schedule, {});
  const std::vector<Bytes>& peaks = replay.stage_peak_ram_bytes;
  const auto worst = std::max_element(peaks.begin(), peaks.end());
  return Expected{Rule::ram, static_cast<int>(worst - peaks.begin())};
}

Result make_a_tensor_of_the_peak_heavier(Random& random, Case& made) {
  const Replay replay = simulate(made.graph, made.schedule, {});
  const std::vector<Bytes>& peaks = replay.stage_peak_ram_bytes;
  const int worst = static_cast<int>(std::max_element(peaks.begin(), peaks.end()) - peaks.begin());
  // What is computed at the peak is held there.
  std::vector<RamSample> at_peak;
  for (const RamSample& sample : ram_timeline(made.graph, made.schedule)) {
    if (sample.stage == worst && sample.ram_bytes == peaks[worst]) at_peak.push_back(sample);
  }
  made.graph.nodes[at_peak.front().node].bytes += draw(random, 1, 1000);
  return Expected{Rule::ram, worst};
}

Result take_some_of_the_runtime(Random& random, Case& made) {
  made.limits.runtime_budget_seconds *= 1 - 1e-7 * draw(random, 1, 1'000'000);
  return Expected{Rule::runtime, -1};
}

Result recompute_a_resident(Random& random, Case& made) {
  const auto spot = find_spot(
      random, made, [](int, const Stage& stage, int node) { return has(stage.resident, node); });
  if (!spot) return {};
  insert_sorted(made.schedule.stages[spot->stage].compute, spot->node);
  return Expected{Rule::structure, spot->stage};
}

Result compute_out_of_order(Random& random, Case& made) {
  std::vector<int> stages;
  for (int t = 0; t < made.graph.size(); ++t) {
    if (made.schedule.stages[t].compute.size() >= 2) stages.push_back(t);
  }
  if (stages.empty()) return {};
  const int t = pick(random, stages);
  std::vector<int>& compute = made.schedule.stages[t].compute;
  const int at = draw(random, 1, static_cast<int>(compute.size()) - 1);
  std::swap(compute[at - 1], compute[at]);
  return Expected{Rule::structure, t};
}

Result skip_the_stages_own_node(Random& random, Case& made) {
  const int t = draw(random, 0, made.graph.size() - 1);
  made.schedule.stages[t].compute.pop_back();
  return Expected{Rule::structure, t};
}

Result compute_a_node_before_its_stage(Random& random, Case& made) {
  const int t = draw(random, 0, made.graph.size() - 2);
  made.schedule.stages[t].compute.push_back(draw(random, t + 1, made.graph.size() - 1));
  return Expected{Rule::structure, t};
}

Result leave_out_or_add_a_stage(Random& random, Case& made) {
  if (chance(random, 50)) {
    made.schedule.stages.pop_back();
  } else {
    made.schedule.stages.push_back({});
  }
  return Expected{Rule::structure, -1};
}

Result swap_two_stages(Random& random, Case& made) {
  const int t = draw(random, 1, made.graph.size() - 1);
  std::swap(made.schedule.stages[t - 1], made.schedule.stages[t]);
  return Expected{Rule::structure, t};
}

std::vector<int>& random_list(Random& random, Stage& stage) {
  std::vector<int>* const lists[] = {&stage.resident, &stage.compute, &stage.page_out,
                                     &stage.page_in};
  return *lists[draw(random, 0, 3)];
}

Result repeat_an_entry(Random& random, Case& made) {
  const int t = draw(random, 0, made.graph.size() - 1);
  std::vector<int>& list = random_list(random, made.schedule.stages[t]);
  if (list.empty()) return {};
  list.push_back(pick(random, list));
  return Expected{Rule::structure, t};
}

Result name_a_node_that_does_not_exist(Random& random, Case& made) {
  const int t = draw(random, 0, made.graph.size() - 1);
  std::vector<int>& list = random_list(random, made.schedule.stages[t]);
  const int outside =
      chance(random, 50) ? -draw(random, 1, 1000) : made.graph.size() + draw(random, 0, 1000);
  list.insert(list.begin() + draw(random, 0, static_cast<int>(list.size())), outside);
  return Expected{Rule::structure, t};
}

Result forbid_the_paging_in_use(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [](int, const Stage& stage, int node) {
    return has(stage.page_out, node) || has(stage.page_in, node);
  });
  if (!spot) return {};
  made.limits.techniques.paging = false;
  return Expected{Rule::structure, spot->stage};
}

Result forbid_the_recomputation_in_use(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [](int t, const Stage& stage, int node) {
    return node != t && has(stage.compute, node);
  });
  if (!spot) return {};
  made.limits.techniques.remat = false;
  return Expected{Rule::structure, spot->stage};
}

#define POET_MUTATION(function) \
  { .name = #function, .apply = function }

constexpr Mutation kMutations[] = {
    POET_MUTATION(drop_a_resident_input),
    POET_MUTATION(drop_a_recomputed_input),
    POET_MUTATION(recompute_without_inputs),
    POET_MUTATION(hold_what_never_came),
    POET_MUTATION(forget_a_page_in),
    POET_MUTATION(page_out_what_is_not_resident),
    POET_MUTATION(page_in_without_a_copy),
    POET_MUTATION(page_in_before_the_copy_is_made),
    POET_MUTATION(page_in_a_resident),
    POET_MUTATION(page_in_what_the_stage_computes),
    {.name = "page_in_and_let_go", .apply = page_in_and_let_go, .known_to_checker = false},
    {.name = "page_in_during_the_last_stage",
     .apply = page_in_during_the_last_stage,
     .known_to_checker = false},
    POET_MUTATION(take_one_byte_of_the_budget),
    POET_MUTATION(make_a_tensor_of_the_peak_heavier),
    POET_MUTATION(take_some_of_the_runtime),
    POET_MUTATION(recompute_a_resident),
    POET_MUTATION(compute_out_of_order),
    POET_MUTATION(skip_the_stages_own_node),
    POET_MUTATION(compute_a_node_before_its_stage),
    POET_MUTATION(leave_out_or_add_a_stage),
    POET_MUTATION(swap_two_stages),
    POET_MUTATION(repeat_an_entry),
    POET_MUTATION(name_a_node_that_does_not_exist),
    POET_MUTATION(forbid_the_paging_in_use),
    POET_MUTATION(forbid_the_recomputation_in_use),
};

#undef POET_MUTATION

}  // namespace

std::span<const Mutation> mutations() {
  return kMutations;
}

std::optional<Corrupted> corrupt(Random& random, const Mutation& mutation) {
  constexpr int kTries = 5000;
  for (int tried = 0; tried < kTries; ++tried) {
    Case made = mutation.draw_case(random);
    if (const auto expected = mutation.apply(random, made)) return Corrupted{made, *expected};
  }
  return {};
}

}  // namespace poet::test

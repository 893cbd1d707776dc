#include "mutations.hpp"

#include <utility>

namespace poet::test {
namespace {

bool is_read(const Spot& spot) {
  const std::vector<int>& compute = spot.stage().compute;
  return std::any_of(compute.begin(), compute.end(),
                     [&](int k) { return has(spot.graph().nodes[k].inputs, spot.node); });
}

bool lacks_an_input(const Spot& spot) {
  const Stage& stage = spot.stage();
  const std::vector<int>& inputs = spot.costs().inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](int input) {
    return !has(stage.resident, input) && !has(stage.compute, input);
  });
}

bool came_before(const Spot& spot) {
  if (spot.t == 0) return false;
  const Stage& before = spot.stages()[spot.t - 1];
  return has(before.resident, spot.node) || has(before.compute, spot.node) ||
         has(before.page_in, spot.node);
}

/// Whether the first copy of the node is made in the stage or later.
bool is_first_copied_later(const Spot& spot) {
  const auto first = std::find_if(spot.stages().begin(), spot.stages().end(),
                                  [&](const Stage& each) { return has(each.page_out, spot.node); });
  return first != spot.stages().end() && first - spot.stages().begin() >= spot.t;
}

std::vector<int>& random_list(Spot& spot, Twister& random) {
  Stage& stage = spot.stage();
  std::vector<int>* const lists[] = {&stage.resident, &stage.compute, &stage.page_out,
                                     &stage.page_in};
  return *lists[draw(random, 0, 3)];
}

void repeat_an_entry(Spot& spot, Twister& random) {
  std::vector<int>* list = &random_list(spot, random);
  while (!has(*list, spot.node)) list = &random_list(spot, random);
  list->push_back(spot.node);
}

void name_a_node_that_does_not_exist(Spot& spot, Twister& random) {
  std::vector<int>& list = random_list(spot, random);
  const int outside =
      chance(random, 50) ? -draw(random, 1, 1000) : spot.graph().size() + draw(random, 0, 1000);
  list.insert(list.begin() + draw(random, 0, static_cast<int>(list.size())), outside);
}

void leave_out_or_add_a_stage(Spot& spot, Twister& random) {
  spot.stages().resize(spot.stages().size() + (chance(random, 50) ? 1 : -1));
  spot.t = -1;
}

void swap_with_the_stage_before(Spot& spot, Twister&) {
  std::swap(spot.stages()[spot.t - 1], spot.stage());
}

void swap_with_the_computation_before(Spot& spot, Twister&) {
  std::vector<int>& compute = spot.stage().compute;
  const auto at = std::find(compute.begin(), compute.end(), spot.node);
  std::iter_swap(at - 1, at);
}

ScheduleFile random_stage_file(Twister& random) {
  const Case made = random_case(random);
  return {.request = {.limits = made.limits}, .graph = made.graph, .schedule = made.schedule};
}

}  // namespace

std::vector<Mutation> stage_mutations() {
  std::vector<Mutation> all{
      {"drop_a_resident_input", Rule::inputs,
       [](const Spot& spot) { return in<&Stage::resident>(spot) && is_read(spot); },
       take_from<&Stage::resident>},
      {"drop_a_recomputed_input", Rule::inputs,
       [](const Spot& spot) { return is_recomputed(spot) && is_read(spot); },
       take_from<&Stage::compute>},
      {"recompute_without_inputs", Rule::inputs,
       [](const Spot& spot) {
         return spot.node < spot.t && !in<&Stage::resident>(spot) && !in<&Stage::compute>(spot) &&
                lacks_an_input(spot);
       },
       add_to<&Stage::compute>},
      {"hold_what_never_came", Rule::residency, [](const Spot& spot) { return !came_before(spot); },
       add_to<&Stage::resident>},
      {"forget_a_page_in", Rule::residency, in<&Stage::page_in>,
       [](Spot& spot, Twister&) {
         std::erase(spot.stage().page_in, spot.node);
         ++spot.t;
       }},
      {"page_out_what_is_not_resident", Rule::page_out,
       [](const Spot& spot) { return !in<&Stage::resident>(spot); }, add_to<&Stage::page_out>},
      {"page_in_without_a_copy", Rule::page_in, in<&Stage::page_in>,
       [](Spot& spot, Twister&) {
         for (Stage& stage : spot.stages()) std::erase(stage.page_out, spot.node);
       }},
      {"page_in_before_the_copy_is_made", Rule::page_in,
       [](const Spot& spot) { return !in<&Stage::page_in>(spot) && is_first_copied_later(spot); },
       add_to<&Stage::page_in>},
      {"page_in_a_resident", Rule::page_in, in<&Stage::resident>, add_to<&Stage::page_in>},
      {"page_in_what_the_stage_computes", Rule::page_in, in<&Stage::compute>,
       add_to<&Stage::page_in>},
      {"page_in_and_let_go", Rule::page_in, in<&Stage::page_in>,
       [](Spot& spot, Twister&) { std::erase(spot.stages()[spot.t + 1].resident, spot.node); },
       false},
      {"page_in_during_the_last_stage", Rule::page_in,
       [](const Spot& spot) { return spot.t + 1 == spot.graph().size(); },
       [](Spot& spot, Twister&) { spot.stage().page_in = {spot.node}; }, false},
      {"take_one_byte_of_the_budget", Rule::ram, is_worst_stage, take_one_byte},
      // What is computed at the peak is held there.
      {"make_a_tensor_of_the_peak_heavier", Rule::ram,
       [](const Spot& spot) { return at_peak(spot).has_value(); },
       [](Spot& spot, Twister& random) { spot.costs().bytes += draw(random, 1, 1000); }},
      {"take_some_of_the_runtime", Rule::runtime, anywhere, take_some_time},
      {"recompute_a_resident", Rule::structure, in<&Stage::resident>, add_to<&Stage::compute>},
      {"compute_out_of_order", Rule::structure,
       [](const Spot& spot) {
         return in<&Stage::compute>(spot) && spot.stage().compute.front() != spot.node;
       },
       swap_with_the_computation_before},
      {"skip_the_stages_own_node", Rule::structure, anywhere,
       [](Spot& spot, Twister&) { spot.stage().compute.pop_back(); }},
      {"compute_a_node_before_its_stage", Rule::structure,
       [](const Spot& spot) { return spot.node > spot.t; }, add_to<&Stage::compute>},
      {"leave_out_or_add_a_stage", Rule::structure, anywhere, leave_out_or_add_a_stage},
      {"swap_two_stages", Rule::structure, [](const Spot& spot) { return spot.t > 0; },
       swap_with_the_stage_before},
      {"repeat_an_entry", Rule::structure,
       [](const Spot& spot) {
         return in<&Stage::resident>(spot) || in<&Stage::compute>(spot) || is_transferred(spot);
       },
       repeat_an_entry},
      {"name_a_node_that_does_not_exist", Rule::structure, anywhere,
       name_a_node_that_does_not_exist},
      {"forbid_the_paging_in_use", Rule::structure, is_transferred,
       [](Spot& spot, Twister&) { spot.limits().techniques.paging = false; }},
      {"forbid_the_recomputation_in_use", Rule::structure, is_recomputed,
       [](Spot& spot, Twister&) { spot.limits().techniques.remat = false; }}};
  for (Mutation& each : all) each.draw_file = random_stage_file;
  return all;
}

}  // namespace poet::test

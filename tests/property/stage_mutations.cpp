// What the rules forbid in stages, in random schedules of POET's graphs and of others.
#include <utility>

#include "mutations.hpp"
#include "support/random_exact_schedules.hpp"

namespace poet::test {
namespace {

using List = std::vector<int> Stage::*;

Occasion in(List list) {
  return [list](const Spot& spot) { return has(spot.stage().*list, spot.node); };
}

const Occasion is_resident = in(&Stage::resident);
const Occasion is_computed = in(&Stage::compute);
const Occasion is_paged_out = in(&Stage::page_out);
const Occasion is_paged_in = in(&Stage::page_in);
const Occasion is_transferred = is_paged_out || is_paged_in;
const Occasion is_own_node = [](const Spot& spot) { return spot.node == spot.t; };
const Occasion is_earlier = [](const Spot& spot) { return spot.node < spot.t; };
const Occasion is_first_stage = [](const Spot& spot) { return spot.t == 0; };
const Occasion is_last_stage = [](const Spot& spot) { return spot.t + 1 == spot.graph().size(); };
const Occasion is_recomputed = is_computed && !is_own_node;
const Occasion is_read = [](const Spot& spot) {
  const auto reads = [&](int k) { return has(spot.graph().nodes[k].inputs, spot.node); };
  return std::ranges::any_of(spot.stage().compute, reads);
};
const Occasion lacks_an_input = [](const Spot& spot) {
  const Stage& stage = spot.stage();
  const auto is_absent = [&](int i) { return !has(stage.resident, i) && !has(stage.compute, i); };
  return std::ranges::any_of(spot.costs().inputs, is_absent);
};
const Occasion came_before = [](const Spot& spot) {
  const Spot before{spot.file, spot.t - 1, spot.node};
  return spot.t > 0 && (is_resident || is_computed || is_paged_in)(before);
};
/// The first copy of the node is made in the stage or later.
const Occasion is_first_copied_later = [](const Spot& spot) {
  const auto copies = [&](const Stage& each) { return has(each.page_out, spot.node); };
  const auto first = std::ranges::find_if(spot.stages(), copies);
  return first != spot.stages().end() && first - spot.stages().begin() >= spot.t;
};
const Occasion is_overlapped = [](const Spot& spot) {
  return spot.limits().paging_time == PagingTime::overlapped;
};

/// Where a replay has its highest peak first.
int worst_stage(const Replay& replay) {
  const std::vector<Bytes>& peaks = replay.stage_peak_ram_bytes;
  return static_cast<int>(std::max_element(peaks.begin(), peaks.end()) - peaks.begin());
}

/// RAM peaks in the stage for the first time; true of one place in it.
const Occasion is_in_worst_stage =
    is_own_node && [](const Spot& spot) { return spot.t == worst_stage(spot.replay()); };

/// The computation of the node, if RAM peaks there for the first stage that it peaks in.
std::optional<Instruction> at_peak(const Spot& spot) {
  if (!is_computed(spot)) return {};
  const Replay replay = spot.replay();
  if (spot.t != worst_stage(replay)) return {};
  const PagingTime time = spot.limits().paging_time;
  const std::vector<RamSample> samples = ram_timeline(spot.graph(), spot.file->schedule, time);
  auto sample = samples.begin();
  for (const Instruction& step : to_program(spot.graph(), spot.file->schedule, time)) {
    if (step.op != Instruction::Op::compute) continue;
    if (sample->stage == spot.t && step.node == spot.node &&
        sample->ram_bytes == replay.peak_ram_bytes) {
      return step;
    }
    ++sample;
  }
  return {};
}

const Occasion is_at_peak = [](const Spot& spot) { return at_peak(spot).has_value(); };

/// The input with bytes that a computation at the peak takes over.
std::optional<int> over_at_peak(const Spot& spot) {
  if (!spot.costs().in_place) return {};
  const std::optional<Instruction> step = at_peak(spot);
  if (!step || !step->over || spot.graph().nodes[*step->over].bytes == 0) return {};
  return step->over;
}

const Occasion takes_over = [](const Spot& spot) { return over_at_peak(spot).has_value(); };
/// What has another size is not taken over, which would be another mistake.
const Occasion is_not_taken_over = [](const Spot& spot) {
  const auto takes = [&](const Node& user) { return user.in_place == spot.node; };
  return std::ranges::none_of(spot.graph().nodes, takes);
};

void insert_sorted(std::vector<int>& list, int node) {
  list.insert(std::upper_bound(list.begin(), list.end(), node), node);
}

Change add_to(List list) {
  return [list](Spot& spot, Twister&) { insert_sorted(spot.stage().*list, spot.node); };
}

Change take_from(List list) {
  return [list](Spot& spot, Twister&) { std::erase(spot.stage().*list, spot.node); };
}

Change enlarge(Bytes Node::*member) {
  return [member](Spot& spot, Twister& random) { spot.costs().*member += draw(random, 1, 1000); };
}

Change forbid(bool TechniqueSet::*technique) {
  return [technique](Spot& spot, Twister&) { spot.limits().techniques.*technique = false; };
}

Change forbid(bool Node::*permission) {
  return [permission](Spot& spot, Twister&) { spot.costs().*permission = false; };
}

std::vector<int>& random_list(Spot& spot, Twister& random) {
  constexpr List kLists[] = {&Stage::resident, &Stage::compute, &Stage::page_out, &Stage::page_in};
  return spot.stage().*kLists[draw(random, 0, 3)];
}

const Change repeat_an_entry = [](Spot& spot, Twister& random) {
  std::vector<int>* list = &random_list(spot, random);
  while (!has(*list, spot.node)) list = &random_list(spot, random);
  list->push_back(spot.node);
};
const Change name_a_node_that_does_not_exist = [](Spot& spot, Twister& random) {
  std::vector<int>& list = random_list(spot, random);
  const int outside =
      chance(random, 50) ? -draw(random, 1, 1000) : spot.graph().size() + draw(random, 0, 1000);
  list.insert(list.begin() + draw(random, 0, static_cast<int>(list.size())), outside);
};
const Change leave_out_or_add_a_stage = [](Spot& spot, Twister& random) {
  spot.stages().resize(spot.stages().size() + (chance(random, 50) ? 1 : -1));
  spot.t = -1;
};
const Change swap_with_the_computation_before = [](Spot& spot, Twister&) {
  std::vector<int>& compute = spot.stage().compute;
  const auto at = std::find(compute.begin(), compute.end(), spot.node);
  std::iter_swap(at - 1, at);
};
const Change take_one_byte = [](Spot& spot, Twister&) { spot.limits().ram_budget_bytes -= 1; };
const Change take_some_time = [](Spot& spot, Twister& random) {
  spot.limits().runtime_budget_seconds *= 1 - 1e-7 * draw(random, 1, 1'000'000);
};
/// Beside computations a transfer is not charged before it takes longer than they do.
const Change slow_a_transfer_down = [](Spot& spot, Twister&) {
  Node& node = spot.costs();
  (is_paged_out(spot) ? node.page_out_seconds : node.page_in_seconds) += 1e6;
};
const Change update_what_is_read = [](Spot& spot, Twister& random) {
  const int writer = draw(random, spot.node + 1, spot.t - 1);
  spot.costs().reads_parameters.emplace_back("changed");
  spot.graph().nodes[writer].writes_parameters.emplace_back("changed");
};

ScheduleFile file_of(const Case& made) {
  return {.request = {.limits = made.limits}, .graph = made.graph, .schedule = made.schedule};
}

std::vector<Mutation> poet_rows() {
  return {
      {"drop_a_resident_input", is_resident && is_read, take_from(&Stage::resident), Rule::inputs},
      {"drop_a_recomputed_input", is_recomputed && is_read, take_from(&Stage::compute),
       Rule::inputs},
      {"recompute_without_inputs", is_earlier && !is_resident && !is_computed && lacks_an_input,
       add_to(&Stage::compute), Rule::inputs},
      {"hold_what_never_came", !came_before, add_to(&Stage::resident), Rule::residency},
      {"forget_a_page_in", is_paged_in,
       [](Spot& spot, Twister&) { std::erase(spot.stages()[spot.t++].page_in, spot.node); },
       Rule::residency},
      {"page_out_what_is_not_resident", !is_resident, add_to(&Stage::page_out), Rule::page_out},
      {"page_in_without_a_copy", is_paged_in,
       [](Spot& spot, Twister&) {
         for (Stage& stage : spot.stages()) std::erase(stage.page_out, spot.node);
       },
       Rule::page_in},
      {"page_in_before_the_copy_is_made", !is_paged_in && is_first_copied_later,
       add_to(&Stage::page_in), Rule::page_in},
      {"page_in_a_resident", is_resident, add_to(&Stage::page_in), Rule::page_in},
      {"page_in_what_the_stage_computes", is_computed, add_to(&Stage::page_in), Rule::page_in},
      {"page_in_and_let_go", is_paged_in,
       [](Spot& spot, Twister&) { std::erase(spot.stages()[spot.t + 1].resident, spot.node); },
       Rule::page_in, false},
      {"page_in_during_the_last_stage", is_last_stage,
       [](Spot& spot, Twister&) { spot.stage().page_in = {spot.node}; }, Rule::page_in, false},
      {"take_one_byte_of_the_budget", is_in_worst_stage, take_one_byte, Rule::ram},
      // What is computed at the peak is held there.
      {"make_a_tensor_of_the_peak_heavier", is_at_peak, enlarge(&Node::bytes), Rule::ram},
      {"take_some_of_the_runtime", anywhere, take_some_time, Rule::runtime},
      {"recompute_a_resident", is_resident, add_to(&Stage::compute), Rule::structure},
      {"compute_out_of_order",
       is_computed && [](const Spot& spot) { return spot.stage().compute.front() != spot.node; },
       swap_with_the_computation_before, Rule::structure},
      {"skip_the_stages_own_node", anywhere,
       [](Spot& spot, Twister&) { spot.stage().compute.pop_back(); }, Rule::structure},
      {"compute_a_node_before_its_stage", !is_earlier && !is_own_node, add_to(&Stage::compute),
       Rule::structure},
      {"leave_out_or_add_a_stage", anywhere, leave_out_or_add_a_stage, Rule::structure},
      {"swap_two_stages", !is_first_stage,
       [](Spot& spot, Twister&) { std::swap(spot.stages()[spot.t - 1], spot.stage()); },
       Rule::structure},
      {"repeat_an_entry", is_resident || is_computed || is_transferred, repeat_an_entry,
       Rule::structure},
      {"name_a_node_that_does_not_exist", anywhere, name_a_node_that_does_not_exist,
       Rule::structure},
      {"forbid_the_paging_in_use", is_transferred, forbid(&TechniqueSet::paging), Rule::structure},
      {"forbid_the_recomputation_in_use", is_recomputed, forbid(&TechniqueSet::remat),
       Rule::structure}};
}

std::vector<Mutation> exact_rows() {
  const auto limit_storage = [](auto budget, auto used, int less) {
    return
        [=](Spot& spot, Twister&) { spot.limits().storage.*budget = spot.replay().*used - less; };
  };
  const Change limit_writing =
      limit_storage(&StorageBudgets::page_out_budget_bytes, &Replay::written_bytes, 0);
  return {
      {"forbid_to_take_over", takes_over,
       [](Spot& spot, Twister&) { spot.costs().in_place.reset(); }, Rule::ram},
      {"keep_what_is_taken_over", !is_last_stage && takes_over,
       [](Spot& spot, Twister&) {
         insert_sorted(spot.stages()[spot.t + 1].resident, *over_at_peak(spot));
       },
       Rule::ram},
      {"write_out_what_is_taken_over",
       is_overlapped && takes_over &&
           [](const Spot& spot) { return has(spot.stage().resident, *over_at_peak(spot)); },
       [](Spot& spot, Twister&) { insert_sorted(spot.stage().page_out, *over_at_peak(spot)); },
       Rule::ram},
      {"enlarge_the_workspace_at_the_peak", is_at_peak, enlarge(&Node::workspace_bytes), Rule::ram},
      {"take_one_byte_of_ram",
       is_in_worst_stage && [](const Spot& spot) { return spot.limits().ram_budget_bytes > 0; },
       take_one_byte, Rule::ram},
      {"enlarge_what_arrives_at_the_peak",
       is_overlapped && is_paged_in && is_not_taken_over &&
           [](const Spot& spot) {
             return is_in_worst_stage({spot.file, spot.t, spot.t});
           },
       [](Spot& spot, Twister& random) {
         spot.costs().in_place.reset();
         spot.costs().bytes += draw(random, 1, 1000);
       },
       Rule::ram},
      {"recompute_what_is_computed_once", is_recomputed, forbid(&Node::recompute), Rule::once},
      {"read_parameters_after_their_update",
       is_computed && [](const Spot& spot) { return spot.node + 1 < spot.t; }, update_what_is_read,
       Rule::once},
      {"page_out_what_may_not_be_paged", is_paged_out, forbid(&Node::page), Rule::once},
      {"page_in_what_may_not_be_paged", is_paged_in, forbid(&Node::page), Rule::once},
      {"slow_a_transfer_down",
       is_transferred &&
           [](const Spot& spot) { return spot.limits().paging_time != PagingTime::free; },
       slow_a_transfer_down, Rule::runtime},
      {"take_some_of_the_time", anywhere, take_some_time, Rule::runtime},
      {"take_one_byte_of_storage",
       is_transferred && [](const Spot& spot) { return spot.replay().storage_bytes > 0; },
       limit_storage(&StorageBudgets::storage_budget_bytes, &Replay::storage_bytes, 1),
       Rule::storage},
      {"take_one_byte_of_what_may_be_written",
       is_transferred && [](const Spot& spot) { return spot.replay().written_bytes > 0; },
       limit_storage(&StorageBudgets::page_out_budget_bytes, &Replay::written_bytes, 1),
       Rule::storage},
      {"write_out_once_more",
       is_resident && !is_paged_out &&
           [](const Spot& spot) { return bytes_in_storage(spot.costs()) > 0; },
       [=](Spot& spot, Twister& random) {
         limit_writing(spot, random);
         insert_sorted(spot.stage().page_out, spot.node);
       },
       Rule::storage}};
}

}  // namespace

std::vector<Mutation> stage_mutations() {
  std::vector<Mutation> all = poet_rows();
  for (Mutation& each : all) {
    each.draw_file = [](Twister& random) { return file_of(random_case(random)); };
  }
  for (Mutation& each : exact_rows()) {
    each.draw_file = [](Twister& random) { return file_of(random_exact_case(random)); };
    all.push_back(std::move(each));
  }
  return all;
}

}  // namespace poet::test

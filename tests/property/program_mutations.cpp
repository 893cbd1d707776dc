// Changes that know nothing of rules, so a program may mean the same afterwards.
#include "mutations.hpp"

#include <utility>

namespace poet::test {
namespace {

using Op = Instruction::Op;

std::size_t draw_place(Twister& random, std::size_t first, std::size_t last) {
  return static_cast<std::size_t>(draw(random, static_cast<int>(first), static_cast<int>(last)));
}

const Occasion first_step = [](const Spot& spot) { return spot.at == 0; };
const Occasion last_step = [](const Spot& spot) { return spot.at + 1 == spot.program().size(); };

std::size_t last_of(const Spot& spot) {
  return spot.program().size() - 1;
}

int draw_node(const Spot& spot, Twister& random) {
  return draw(random, 0, spot.graph().size() - 1);
}

/// Moves the instruction to another place of the program.
void shift(const Spot& spot, std::size_t to) {
  const Instruction step = spot.step();
  spot.program().erase(iterator_at(spot, spot.at));
  spot.program().insert(iterator_at(spot, to), step);
}

const Change name_another_node = [](Spot& spot, Twister& random) {
  spot.step().node = draw_node(spot, random);
};

const Occasion repeats_a_computation = is(Op::compute) && [](const Spot& spot) {
  return std::any_of(spot.program().begin(), iterator_at(spot, spot.at), [&](const auto& earlier) {
    return earlier.op == Op::compute && earlier.node == spot.step().node;
  });
};

const Change free_early = [](Spot& spot, Twister& random) {
  const std::size_t last = spot.at - 1;
  const std::size_t near = last - std::min<std::size_t>(last, draw_place(random, 0, 3));
  shift(spot, chance(random, 70) ? near : draw_place(random, 0, last));
};

const Change swap_two_computations = [](Spot& spot, Twister& random) {
  std::vector<std::size_t> others;
  for (std::size_t at = 0; at < spot.program().size(); ++at) {
    if (spot.program()[at].op == Op::compute && at != spot.at) others.push_back(at);
  }
  std::swap(spot.step(), spot.program()[pick(random, others)]);
};

/// The last computation before this one that reads the parameters which this one changes.
std::optional<std::size_t> earlier_reader(const Spot& spot) {
  const auto& written = spot.computed().writes_parameters;
  for (std::size_t at = spot.at; at-- > 0;) {
    const Instruction& step = spot.program()[at];
    const auto& read = spot.graph().nodes[step.node].reads_parameters;
    const bool shares =
        std::find_first_of(read.begin(), read.end(), written.begin(), written.end()) != read.end();
    if (step.op == Op::compute && shares) return at;
  }
  return {};
}

/// Where the tensor that is paged out leaves RAM.
std::optional<std::size_t> leaves_ram(const Spot& spot) {
  const int node = spot.step().node;
  for (std::size_t at = spot.at; at < spot.program().size(); ++at) {
    const Instruction& step = spot.program()[at];
    if ((step.op == Op::free && step.node == node) || step.over == node) return at;
  }
  return {};
}

Bytes room_for(const Spot& spot, Bytes bytes) {
  return *spot.arena().arena_bytes - bytes;
}

Bytes draw_offset(Twister& random, Bytes end) {
  return 4 * draw(random, 0, static_cast<int>(end) / 4);
}

const Change place_on_another_tensor = [](Spot& spot, Twister& random) {
  std::vector<Bytes> offsets;
  for (const Instruction& step : spot.program()) {
    if (step.offset && step.offset != spot.step().offset) offsets.push_back(*step.offset);
  }
  if (!offsets.empty()) spot.step().offset = pick(random, offsets);
};

}  // namespace

std::vector<Mutation> program_mutations() {
  const Occasion placed = states(&Instruction::offset);
  return {
      {"drop_a_page_in", is(Op::page_in), drop_step},
      {"drop_a_page_out", is(Op::page_out), drop_step},
      {"drop_a_computation", is(Op::compute), drop_step},
      {"drop_a_recomputation", repeats_a_computation, drop_step},
      {"free_early", is(Op::free) && !first_step, free_early},
      {"free_late", is(Op::free) && !last_step,
       [](Spot& spot, Twister& random) {
         shift(spot, draw_place(random, spot.at + 1, last_of(spot)));
       }},
      {"free_another_tensor", is(Op::free), name_another_node},
      {"compute_another_node", is(Op::compute), name_another_node},
      {"swap_neighbours", !first_step, swap_with_the_step_before},
      {"swap_two_computations", is(Op::compute), swap_two_computations},
      {"update_early",
       is(Op::compute) && [](const Spot& spot) { return earlier_reader(spot).has_value(); },
       [](Spot& spot, Twister&) { shift(spot, *earlier_reader(spot)); }},
      {"repeat_an_instruction", anywhere,
       [](Spot& spot, Twister& random) {
         const Instruction step = spot.step();
         spot.program().insert(iterator_at(spot, draw_place(random, 0, last_of(spot))), step);
       }},
      {"page_out_after_the_free",
       is(Op::page_out) && [](const Spot& spot) { return leaves_ram(spot).has_value(); },
       [](Spot& spot, Twister&) { shift(spot, *leaves_ram(spot)); }},
      {"page_in_another_tensor", is(Op::page_in), name_another_node},
      {"page_in_early", is(Op::page_in) && !first_step,
       [](Spot& spot, Twister& random) { shift(spot, draw_place(random, 0, spot.at - 1)); }},
      {"take_over_another_tensor", is(Op::compute),
       [](Spot& spot, Twister& random) { spot.step().over = draw_node(spot, random); }},
      {"take_over_an_input",
       is(Op::compute) && !states(&Instruction::over) &&
           [](const Spot& spot) { return !spot.computed().inputs.empty(); },
       [](Spot& spot, Twister& random) {
         spot.step().over = pick(random, spot.computed().inputs);
       }},
      {"take_nothing_over", states(&Instruction::over), leave_out(&Instruction::over)},
      {"place_on_another_tensor", placed, place_on_another_tensor},
      {"place_a_little_aside", placed,
       [](Spot& spot, Twister& random) {
         Bytes& offset = *spot.step().offset;
         offset += offset > 0 && chance(random, 50) ? -4 : 4;
       }},
      {"place_by_one_byte_aside", placed, [](Spot& spot, Twister&) { *spot.step().offset += 1; }},
      {"place_anywhere", placed,
       [](Spot& spot, Twister& random) {
         spot.step().offset = draw_offset(random, room_for(spot, spot.computed().bytes));
       }},
      {"place_beyond_the_arena", placed,
       [](Spot& spot, Twister& random) {
         spot.step().offset = room_for(spot, spot.computed().bytes) + 4 * draw(random, 1, 9);
       }},
      {"place_in_front_of_the_arena", placed,
       [](Spot& spot, Twister& random) { spot.step().offset = -4 * draw(random, 1, 9); }},
      {"leave_out_an_offset", placed, leave_out(&Instruction::offset)},
      {"place_the_workspace_anywhere", states(&Instruction::workspace_offset),
       [](Spot& spot, Twister& random) {
         const Bytes room = room_for(spot, spot.computed().workspace_bytes);
         spot.step().workspace_offset = draw_offset(random, room);
       }},
      {"move_to_another_place", is(Op::move),
       [](Spot& spot, Twister& random) {
         spot.step().offset = draw_offset(random, *spot.arena().arena_bytes);
       }},
      {"drop_a_move", is(Op::move), drop_step},
      {"move_another_tensor", is(Op::move), name_another_node},
  };
}

}  // namespace poet::test

// Changes that know nothing of rules, so a program may mean the same afterwards.
#include "mutations.hpp"

#include <utility>

namespace poet::test {
namespace {

using Op = Instruction::Op;

int draw_node(const Spot& spot, Twister& random) {
  return draw(random, 0, spot.graph().size() - 1);
}

std::size_t draw_place(Twister& random, std::size_t first, std::size_t last) {
  return static_cast<std::size_t>(draw(random, static_cast<int>(first), static_cast<int>(last)));
}

bool is_first(const Spot& spot) {
  return spot.at == 0;
}

std::size_t last_of(const Spot& spot) {
  return spot.program().size() - 1;
}

/// Moves the instruction to another place of the program.
void shift(const Spot& spot, std::size_t to) {
  const Instruction step = spot.step();
  spot.program().erase(iterator_at(spot, spot.at));
  spot.program().insert(iterator_at(spot, to), step);
}

void name_another_node(Spot& spot, Twister& random) {
  spot.step().node = draw_node(spot, random);
}

bool repeats_a_computation(const Spot& spot) {
  return is<Op::compute>(spot) && std::any_of(spot.program().begin(), iterator_at(spot, spot.at),
                                              [&](const Instruction& earlier) {
                                                return earlier.op == Op::compute &&
                                                       earlier.node == spot.step().node;
                                              });
}

void free_early(Spot& spot, Twister& random) {
  const std::size_t last = spot.at - 1;
  const std::size_t near = last - std::min<std::size_t>(last, draw_place(random, 0, 3));
  shift(spot, chance(random, 70) ? near : draw_place(random, 0, last));
}

void swap_two_computations(Spot& spot, Twister& random) {
  std::vector<std::size_t> others;
  for (std::size_t at = 0; at < spot.program().size(); ++at) {
    if (spot.program()[at].op == Op::compute && at != spot.at) others.push_back(at);
  }
  std::swap(spot.step(), spot.program()[pick(random, others)]);
}

/// The last computation before this one that reads the parameters which this one changes.
std::optional<std::size_t> earlier_reader(const Spot& spot) {
  if (!is<Op::compute>(spot)) return {};
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
  if (!is<Op::page_out>(spot)) return {};
  const int node = spot.step().node;
  for (std::size_t at = spot.at; at < spot.program().size(); ++at) {
    const Instruction& step = spot.program()[at];
    if ((step.op == Op::free && step.node == node) || step.over == node) return at;
  }
  return {};
}

// With offsets.

bool is_placed(const Spot& spot) {
  return spot.step().offset.has_value();
}

Bytes room_for(const Spot& spot, Bytes bytes) {
  return *spot.arena().arena_bytes - bytes;
}

Bytes draw_offset(Twister& random, Bytes end) {
  return 4 * draw(random, 0, static_cast<int>(end) / 4);
}

void place_on_another_tensor(Spot& spot, Twister& random) {
  std::vector<Bytes> offsets;
  for (const Instruction& step : spot.program()) {
    if (step.offset && step.offset != spot.step().offset) offsets.push_back(*step.offset);
  }
  if (!offsets.empty()) spot.step().offset = pick(random, offsets);
}

void place_a_little_aside(Spot& spot, Twister& random) {
  Bytes& offset = *spot.step().offset;
  offset += offset > 0 && chance(random, 50) ? -4 : 4;
}

}  // namespace

std::vector<Mutation> program_mutations() {
  return {
      {"drop_a_page_in", {}, is<Op::page_in>, drop_step},
      {"drop_a_page_out", {}, is<Op::page_out>, drop_step},
      {"drop_a_computation", {}, is<Op::compute>, drop_step},
      {"drop_a_recomputation", {}, repeats_a_computation, drop_step},
      {"free_early",
       {},
       [](const Spot& spot) { return is<Op::free>(spot) && !is_first(spot); },
       free_early},
      {"free_late",
       {},
       [](const Spot& spot) { return is<Op::free>(spot) && spot.at < last_of(spot); },
       [](Spot& spot, Twister& random) {
         shift(spot, draw_place(random, spot.at + 1, last_of(spot)));
       }},
      {"free_another_tensor", {}, is<Op::free>, name_another_node},
      {"compute_another_node", {}, is<Op::compute>, name_another_node},
      {"swap_neighbours",
       {},
       std::not_fn(is_first),
       [](Spot& spot, Twister&) { std::swap(spot.program()[spot.at - 1], spot.step()); }},
      {"swap_two_computations", {}, is<Op::compute>, swap_two_computations},
      {"update_early",
       {},
       [](const Spot& spot) { return earlier_reader(spot).has_value(); },
       [](Spot& spot, Twister&) { shift(spot, *earlier_reader(spot)); }},
      {"repeat_an_instruction",
       {},
       anywhere,
       [](Spot& spot, Twister& random) {
         const Instruction step = spot.step();
         spot.program().insert(iterator_at(spot, draw_place(random, 0, last_of(spot))), step);
       }},
      {"page_out_after_the_free",
       {},
       [](const Spot& spot) { return leaves_ram(spot).has_value(); },
       [](Spot& spot, Twister&) { shift(spot, *leaves_ram(spot)); }},
      {"page_in_another_tensor", {}, is<Op::page_in>, name_another_node},
      {"page_in_early",
       {},
       [](const Spot& spot) { return is<Op::page_in>(spot) && !is_first(spot); },
       [](Spot& spot, Twister& random) { shift(spot, draw_place(random, 0, spot.at - 1)); }},
      {"take_over_another_tensor",
       {},
       is<Op::compute>,
       [](Spot& spot, Twister& random) { spot.step().over = draw_node(spot, random); }},
      {"take_over_an_input",
       {},
       [](const Spot& spot) {
         return is<Op::compute>(spot) && !spot.step().over && !spot.computed().inputs.empty();
       },
       [](Spot& spot, Twister& random) {
         spot.step().over = pick(random, spot.computed().inputs);
       }},
      {"take_nothing_over",
       {},
       [](const Spot& spot) { return spot.step().over.has_value(); },
       [](Spot& spot, Twister&) { spot.step().over.reset(); }},
      {"place_on_another_tensor", {}, is_placed, place_on_another_tensor},
      {"place_a_little_aside", {}, is_placed, place_a_little_aside},
      {"place_by_one_byte_aside",
       {},
       is_placed,
       [](Spot& spot, Twister&) { *spot.step().offset += 1; }},
      {"place_anywhere",
       {},
       is_placed,
       [](Spot& spot, Twister& random) {
         spot.step().offset = draw_offset(random, room_for(spot, spot.computed().bytes));
       }},
      {"place_beyond_the_arena",
       {},
       is_placed,
       [](Spot& spot, Twister& random) {
         spot.step().offset = room_for(spot, spot.computed().bytes) + 4 * draw(random, 1, 9);
       }},
      {"place_in_front_of_the_arena",
       {},
       is_placed,
       [](Spot& spot, Twister& random) { spot.step().offset = -4 * draw(random, 1, 9); }},
      {"leave_out_an_offset",
       {},
       is_placed,
       [](Spot& spot, Twister&) { spot.step().offset.reset(); }},
      {"place_the_workspace_anywhere",
       {},
       [](const Spot& spot) { return spot.step().workspace_offset.has_value(); },
       [](Spot& spot, Twister& random) {
         const Bytes room = room_for(spot, spot.computed().workspace_bytes);
         spot.step().workspace_offset = draw_offset(random, room);
       }},
      {"move_to_another_place",
       {},
       is<Op::move>,
       [](Spot& spot, Twister& random) {
         spot.step().offset = draw_offset(random, *spot.arena().arena_bytes);
       }},
      {"drop_a_move", {}, is<Op::move>, drop_step},
      {"move_another_tensor", {}, is<Op::move>, name_another_node},
  };
}

}  // namespace poet::test

#include "program_mutations.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace poet::test {
namespace {

using Op = Instruction::Op;
using Program = std::vector<Instruction>;

/// A random instruction for which the condition on its place holds.
template <typename Condition>
std::optional<std::size_t> find_step(Random& random, const Program& program, Condition condition) {
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (condition(at)) found.push_back(at);
  }
  if (found.empty()) return {};
  return pick(random, found);
}

std::optional<std::size_t> find_op(Random& random, const Program& program, Op op) {
  return find_step(random, program, [&](std::size_t at) { return program[at].op == op; });
}

Program::iterator iterator_at(Program& program, std::size_t at) {
  return program.begin() + static_cast<std::ptrdiff_t>(at);
}

bool erase_one(Random& random, ScheduleFile& file, Op op) {
  const auto at = find_op(random, file.program, op);
  if (at) file.program.erase(iterator_at(file.program, *at));
  return at.has_value();
}

/// Moves an instruction by some places, to the front of the program or to its end.
void shift(Program& program, std::size_t from, std::size_t to) {
  const Instruction step = program[from];
  program.erase(iterator_at(program, from));
  program.insert(iterator_at(program, to), step);
}

bool drop_a_page_in(Random& random, ScheduleFile& file) {
  return erase_one(random, file, Op::page_in);
}

bool drop_a_page_out(Random& random, ScheduleFile& file) {
  return erase_one(random, file, Op::page_out);
}

bool drop_a_computation(Random& random, ScheduleFile& file) {
  return erase_one(random, file, Op::compute);
}

bool drop_a_recomputation(Random& random, ScheduleFile& file) {
  const Program& program = file.program;
  const auto at = find_step(random, program, [&](std::size_t each) {
    const auto before = program.begin() + static_cast<std::ptrdiff_t>(each);
    return program[each].op == Op::compute &&
           std::any_of(program.begin(), before, [&](const Instruction& earlier) {
             return earlier.op == Op::compute && earlier.node == program[each].node;
           });
  });
  if (at) file.program.erase(iterator_at(file.program, *at));
  return at.has_value();
}

bool free_early(Random& random, ScheduleFile& file) {
  const auto at = find_op(random, file.program, Op::free);
  if (!at || *at == 0) return false;
  const int last = static_cast<int>(*at) - 1;
  const int to =
      chance(random, 70) ? std::max(0, last - draw(random, 0, 3)) : draw(random, 0, last);
  shift(file.program, *at, static_cast<std::size_t>(to));
  return true;
}

bool free_late(Random& random, ScheduleFile& file) {
  const auto at = find_op(random, file.program, Op::free);
  const int last = static_cast<int>(file.program.size()) - 1;
  if (!at || static_cast<int>(*at) == last) return false;
  shift(file.program, *at, static_cast<std::size_t>(draw(random, static_cast<int>(*at) + 1, last)));
  return true;
}

bool free_another_tensor(Random& random, ScheduleFile& file) {
  const auto at = find_op(random, file.program, Op::free);
  if (at) file.program[*at].node = draw(random, 0, file.graph.size() - 1);
  return at.has_value();
}

bool compute_another_node(Random& random, ScheduleFile& file) {
  const auto at = find_op(random, file.program, Op::compute);
  if (at) file.program[*at].node = draw(random, 0, file.graph.size() - 1);
  return at.has_value();
}

bool swap_neighbours(Random& random, ScheduleFile& file) {
  const int at = draw(random, 1, static_cast<int>(file.program.size()) - 1);
  std::swap(file.program[static_cast<std::size_t>(at) - 1],
            file.program[static_cast<std::size_t>(at)]);
  return true;
}

bool swap_two_computations(Random& random, ScheduleFile& file) {
  const auto a = find_op(random, file.program, Op::compute);
  const auto b = find_op(random, file.program, Op::compute);
  if (!a || !b || *a == *b) return false;
  std::swap(file.program[*a], file.program[*b]);
  return true;
}

/// Changes parameters before a computation that reads them as they were.
bool update_early(Random& random, ScheduleFile& file) {
  const auto shares = [&](const Instruction& step, const Instruction& other) {
    const auto& written = file.graph.nodes[static_cast<std::size_t>(step.node)].writes_parameters;
    const auto& read = file.graph.nodes[static_cast<std::size_t>(other.node)].reads_parameters;
    return std::find_first_of(read.begin(), read.end(), written.begin(), written.end()) !=
           read.end();
  };
  const auto computes = [&](std::size_t at) { return file.program[at].op == Op::compute; };
  const auto at = find_step(random, file.program, [&](std::size_t each) {
    return computes(each) && !file.graph.nodes[static_cast<std::size_t>(file.program[each].node)]
                                  .writes_parameters.empty();
  });
  if (!at) return false;
  for (std::size_t to = *at; to-- > 0;) {
    if (!computes(to) || !shares(file.program[*at], file.program[to])) continue;
    shift(file.program, *at, to);
    return true;
  }
  return false;
}

bool repeat_an_instruction(Random& random, ScheduleFile& file) {
  const int last = static_cast<int>(file.program.size()) - 1;
  const Instruction step = file.program[static_cast<std::size_t>(draw(random, 0, last))];
  file.program.insert(iterator_at(file.program, static_cast<std::size_t>(draw(random, 0, last))),
                      step);
  return true;
}

bool page_out_after_the_free(Random& random, ScheduleFile& file) {
  Program& program = file.program;
  const auto at = find_op(random, program, Op::page_out);
  if (!at) return false;
  const auto freed = std::find_if(iterator_at(program, *at), program.end(), [&](const auto& step) {
    return (step.op == Op::free && step.node == program[*at].node) ||
           step.over == program[*at].node;
  });
  if (freed == program.end()) return false;
  shift(program, *at, static_cast<std::size_t>(freed - program.begin()));
  return true;
}

bool page_in_another_tensor(Random& random, ScheduleFile& file) {
  const auto at = find_op(random, file.program, Op::page_in);
  if (at) file.program[*at].node = draw(random, 0, file.graph.size() - 1);
  return at.has_value();
}

bool page_in_early(Random& random, ScheduleFile& file) {
  const auto at = find_op(random, file.program, Op::page_in);
  if (!at || *at == 0) return false;
  shift(file.program, *at, static_cast<std::size_t>(draw(random, 0, static_cast<int>(*at) - 1)));
  return true;
}

bool take_over_another_tensor(Random& random, ScheduleFile& file) {
  const auto at = find_op(random, file.program, Op::compute);
  if (at) file.program[*at].over = draw(random, 0, file.graph.size() - 1);
  return at.has_value();
}

bool take_over_an_input(Random& random, ScheduleFile& file) {
  const auto at = find_step(random, file.program, [&](std::size_t each) {
    const Instruction& step = file.program[each];
    return step.op == Op::compute && !step.over &&
           !file.graph.nodes[static_cast<std::size_t>(step.node)].inputs.empty();
  });
  if (!at) return false;
  Instruction& step = file.program[*at];
  step.over = pick(random, file.graph.nodes[static_cast<std::size_t>(step.node)].inputs);
  return true;
}

bool take_nothing_over(Random& random, ScheduleFile& file) {
  const auto at = find_step(random, file.program,
                            [&](std::size_t each) { return file.program[each].over.has_value(); });
  if (at) file.program[*at].over.reset();
  return at.has_value();
}

// With offsets.

std::optional<std::size_t> find_placed(Random& random, const ScheduleFile& file) {
  return find_step(random, file.program,
                   [&](std::size_t at) { return file.program[at].offset.has_value(); });
}

Bytes bytes_at(const ScheduleFile& file, std::size_t at) {
  return file.graph.nodes[static_cast<std::size_t>(file.program[at].node)].bytes;
}

bool place_on_another_tensor(Random& random, ScheduleFile& file) {
  const auto at = find_placed(random, file);
  const auto other = find_placed(random, file);
  if (!at || *at == *other || file.program[*at].offset == file.program[*other].offset) return false;
  file.program[*at].offset = file.program[*other].offset;
  return true;
}

bool place_a_little_aside(Random& random, ScheduleFile& file) {
  const auto at = find_placed(random, file);
  if (!at) return false;
  Bytes& offset = *file.program[*at].offset;
  offset += offset > 0 && chance(random, 50) ? -4 : 4;
  return true;
}

bool place_by_one_byte_aside(Random& random, ScheduleFile& file) {
  const auto at = find_placed(random, file);
  if (at) *file.program[*at].offset += 1;
  return at.has_value();
}

bool place_anywhere(Random& random, ScheduleFile& file) {
  const auto at = find_placed(random, file);
  if (!at) return false;
  const auto room = static_cast<int>(*file.arena.arena_bytes - bytes_at(file, *at));
  file.program[*at].offset = 4 * draw(random, 0, room / 4);
  return true;
}

bool place_beyond_the_arena(Random& random, ScheduleFile& file) {
  const auto at = find_placed(random, file);
  if (!at) return false;
  file.program[*at].offset = *file.arena.arena_bytes - bytes_at(file, *at) + 4 * draw(random, 1, 9);
  return true;
}

bool place_in_front_of_the_arena(Random& random, ScheduleFile& file) {
  const auto at = find_placed(random, file);
  if (at) file.program[*at].offset = -4 * draw(random, 1, 9);
  return at.has_value();
}

bool leave_out_an_offset(Random& random, ScheduleFile& file) {
  const auto at = find_placed(random, file);
  if (at) file.program[*at].offset.reset();
  return at.has_value();
}

bool place_the_workspace_anywhere(Random& random, ScheduleFile& file) {
  const auto at = find_step(random, file.program, [&](std::size_t each) {
    return file.program[each].workspace_offset.has_value();
  });
  if (!at) return false;
  const Node& node = file.graph.nodes[static_cast<std::size_t>(file.program[*at].node)];
  const auto room = static_cast<int>(*file.arena.arena_bytes - node.workspace_bytes);
  file.program[*at].workspace_offset = 4 * draw(random, 0, room / 4);
  return true;
}

bool move_to_another_place(Random& random, ScheduleFile& file) {
  const auto at = find_op(random, file.program, Op::move);
  if (!at) return false;
  const auto end = static_cast<int>(*file.arena.arena_bytes / 4);
  file.program[*at].offset = 4 * draw(random, 0, end);
  return true;
}

bool drop_a_move(Random& random, ScheduleFile& file) {
  return erase_one(random, file, Op::move);
}

bool move_another_tensor(Random& random, ScheduleFile& file) {
  const auto at = find_op(random, file.program, Op::move);
  if (at) file.program[*at].node = draw(random, 0, file.graph.size() - 1);
  return at.has_value();
}

#define POET_MUTATION(function) \
  { .name = #function, .apply = function }

constexpr ProgramMutation kMutations[] = {
    POET_MUTATION(drop_a_page_in),
    POET_MUTATION(drop_a_page_out),
    POET_MUTATION(drop_a_computation),
    POET_MUTATION(drop_a_recomputation),
    POET_MUTATION(free_early),
    POET_MUTATION(free_late),
    POET_MUTATION(free_another_tensor),
    POET_MUTATION(compute_another_node),
    POET_MUTATION(swap_neighbours),
    POET_MUTATION(swap_two_computations),
    POET_MUTATION(update_early),
    POET_MUTATION(repeat_an_instruction),
    POET_MUTATION(page_out_after_the_free),
    POET_MUTATION(page_in_another_tensor),
    POET_MUTATION(page_in_early),
    POET_MUTATION(take_over_another_tensor),
    POET_MUTATION(take_over_an_input),
    POET_MUTATION(take_nothing_over),
    POET_MUTATION(place_on_another_tensor),
    POET_MUTATION(place_a_little_aside),
    POET_MUTATION(place_by_one_byte_aside),
    POET_MUTATION(place_anywhere),
    POET_MUTATION(place_beyond_the_arena),
    POET_MUTATION(place_in_front_of_the_arena),
    POET_MUTATION(leave_out_an_offset),
    POET_MUTATION(place_the_workspace_anywhere),
    POET_MUTATION(move_to_another_place),
    POET_MUTATION(drop_a_move),
    POET_MUTATION(move_another_tensor),
};

#undef POET_MUTATION

}  // namespace

std::span<const ProgramMutation> program_mutations() {
  return kMutations;
}

}  // namespace poet::test

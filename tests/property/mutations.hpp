#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "poet/schedule_file.hpp"
#include "support/random_schedules.hpp"

namespace poet::test {

/// A place in a schedule file that a mutation may change: a node in a stage, or an instruction.
struct Spot {
  ScheduleFile* file = nullptr;
  int t = 0;           ///< the stage; after a change, where its rule is broken
  int node = 0;        ///< in the stage
  std::size_t at = 0;  ///< in the program

  Graph& graph() const { return file->graph; }
  Limits& limits() const { return file->request.limits; }
  std::vector<Stage>& stages() const { return file->schedule.stages; }
  Stage& stage() const { return stages()[t]; }
  /// The node in the stage, and the node of the instruction.
  Node& costs() const { return graph().nodes[node]; }
  Node& computed() const { return graph().nodes[step().node]; }

  std::vector<Instruction>& program() const { return file->program; }
  Instruction& step() const { return program()[at]; }
  ArenaFigures& arena() const { return file->arena; }
};

/// One way to corrupt a valid schedule or program.
struct Mutation {
  /// A rule that the stages must be found to break, where the change leaves `t` (storage and the
  /// time of the step: as a whole); or what must be said of the program; or neither, where an
  /// oracle decides whether a program means the same afterwards.
  using Expected = std::variant<std::monostate, Rule, std::string_view>;

  std::string_view name;
  Expected expected;
  std::function<bool(const Spot&)> applies;
  std::function<void(Spot&, Twister&)> change;
  /// Whether the independent checker looks for this kind of mistake.
  bool known_to_checker = true;
  ScheduleFile (*draw_file)(Twister&) = nullptr;
};

/// What the rules of POET's graphs forbid, in random schedules of such.
std::vector<Mutation> stage_mutations();
/// What only the rules of graphs beyond POET's forbid.
std::vector<Mutation> exact_mutations();
/// Mistakes in the offsets, moves and slots of a file.
std::vector<Mutation> placed_mutations();
/// Mistakes in what a file says of banks.
std::vector<Mutation> banked_mutations();
/// Changes to programs with and without offsets, which an oracle judges.
std::vector<Mutation> program_mutations();

/// Changes the file at a random place to which the mutation applies; nothing if there is none.
std::optional<Spot> mutate(Twister& random, const Mutation& mutation, ScheduleFile& file);

/// A corrupted file, and what must be among its findings.
struct Corrupted {
  ScheduleFile file;
  std::string finding;
};

/// Draws files until one offers a place; nothing where none of many does.
std::optional<Corrupted> corrupt(Twister& random, const Mutation& mutation);

/// What the judge of the mutation finds: the simulator for a rule, verification for the others.
std::vector<std::string> findings(const Mutation& mutation, const ScheduleFile& file);

/// A valid file with offsets, and with many moves in every other one.
ScheduleFile random_placed_file(Twister& random);

/// POET_SEED repeats a run; every failure names the seed that was in use.
std::uint64_t seed_of_run();

inline bool has(const std::vector<int>& list, int node) {
  return std::find(list.begin(), list.end(), node) != list.end();
}

inline void insert_sorted(std::vector<int>& list, int node) {
  list.insert(std::upper_bound(list.begin(), list.end(), node), node);
}

// Where mutations apply, and what they change, for several of them.

inline bool anywhere(const Spot&) {
  return true;
}

template <auto list>
bool in(const Spot& spot) {
  return has(spot.stage().*list, spot.node);
}

template <auto list>
void add_to(Spot& spot, Twister&) {
  insert_sorted(spot.stage().*list, spot.node);
}

template <auto list>
void take_from(Spot& spot, Twister&) {
  std::erase(spot.stage().*list, spot.node);
}

inline bool is_recomputed(const Spot& spot) {
  return spot.node != spot.t && in<&Stage::compute>(spot);
}

inline bool is_transferred(const Spot& spot) {
  return in<&Stage::page_out>(spot) || in<&Stage::page_in>(spot);
}

/// The computation of the node, if RAM peaks there for the first stage that it peaks in.
std::optional<Instruction> at_peak(const Spot& spot);
/// Whether RAM peaks in the stage for the first time; true of one place in it.
bool is_worst_stage(const Spot& spot);

inline void take_one_byte(Spot& spot, Twister&) {
  spot.limits().ram_budget_bytes -= 1;
}

inline void take_some_time(Spot& spot, Twister& random) {
  spot.limits().runtime_budget_seconds *= 1 - 1e-7 * draw(random, 1, 1'000'000);
}

template <Instruction::Op op>
bool is(const Spot& spot) {
  return spot.step().op == op;
}

inline std::vector<Instruction>::iterator iterator_at(const Spot& spot, std::size_t at) {
  return spot.program().begin() + static_cast<std::ptrdiff_t>(at);
}

inline void drop_step(Spot& spot, Twister&) {
  spot.program().erase(iterator_at(spot, spot.at));
}

}  // namespace poet::test

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
  Replay replay() const { return simulate(graph(), file->schedule, limits()); }

  std::vector<Instruction>& program() const { return file->program; }
  Instruction& step() const { return program()[at]; }
  ArenaFigures& arena() const { return file->arena; }
};

using Change = std::function<void(Spot&, Twister&)>;

/// What a place has to be for a change.
struct Occasion : std::function<bool(const Spot&)> {
  using function::function;
};

inline Occasion operator!(const Occasion& one) {
  return [one](const Spot& spot) { return !one(spot); };
}

inline Occasion operator&&(const Occasion& one, const Occasion& other) {
  return [one, other](const Spot& spot) { return one(spot) && other(spot); };
}

inline Occasion operator||(const Occasion& one, const Occasion& other) {
  return !(!one && !other);
}

/// One way to corrupt a valid schedule or program.
struct Mutation {
  std::string_view name;
  Occasion occasion;
  Change change;
  /// A rule that the stages must be found to break, where the change leaves `t` (storage and the
  /// time of the step: as a whole); or what must be said of the program; or neither, if an oracle
  /// decides whether a program means the same afterwards.
  std::variant<std::monostate, Rule, std::string_view> rule{};
  /// Whether the independent checker looks for this kind of mistake.
  bool known_to_checker = true;
  ScheduleFile (*draw_file)(Twister&) = nullptr;
};

/// What the rules forbid in the stages of random schedules, of POET's graphs and of others.
std::vector<Mutation> stage_mutations();
/// Mistakes in the offsets, moves and slots of a file, and in what it says of banks.
std::vector<Mutation> placed_mutations();
std::vector<Mutation> banked_mutations();
/// Changes to programs with and without offsets, which an oracle judges.
std::vector<Mutation> program_mutations();

/// Changes the file at a random place that the mutation has an occasion at; nothing if there is
/// none.
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
/// What of a random case stands before its figures are known.
ScheduleFile draft_of(const Case& made);

/// POET_SEED repeats a run; every failure names the seed that was in use.
std::uint64_t seed_of_run();

// Occasions and changes of several mutations.

inline bool has(const std::vector<int>& list, int node) {
  return std::find(list.begin(), list.end(), node) != list.end();
}

inline const Occasion anywhere = [](const Spot&) { return true; };

inline Occasion is(Instruction::Op op) {
  return [op](const Spot& spot) { return spot.step().op == op; };
}

template <typename Number>
Occasion states(std::optional<Number> Instruction::*member) {
  return [member](const Spot& spot) { return (spot.step().*member).has_value(); };
}

template <typename Number>
Change leave_out(std::optional<Number> Instruction::*member) {
  return [member](Spot& spot, Twister&) { (spot.step().*member).reset(); };
}

inline std::vector<Instruction>::iterator iterator_at(const Spot& spot, std::size_t at) {
  return spot.program().begin() + static_cast<std::ptrdiff_t>(at);
}

inline const Change drop_step = [](Spot& spot, Twister&) {
  spot.program().erase(iterator_at(spot, spot.at));
};
inline const Change swap_with_the_step_before = [](Spot& spot, Twister&) {
  std::swap(spot.program()[spot.at - 1], spot.step());
};

}  // namespace poet::test

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "model/model_spec.hpp"

namespace poet {

/// Memory of a step that another framework ran, by a number that no other memory of the step has.
struct LoggedMemory {
  enum class Kind {
    input,      ///< there when the step begins, and in the arena
    parameter,  ///< outside the arena, and named
    other       ///< outside the arena; state, such as running statistics, if the step changes it
  };
  std::int64_t id = 0;
  Bytes bytes = 0;
  Kind kind = Kind::input;
  std::string name;
};

template <>
inline constexpr auto kNames<LoggedMemory::Kind> =
    kWords<LoggedMemory::Kind::input, LoggedMemory::Kind::parameter, LoggedMemory::Kind::other>;

/// Memory that an operation takes.
struct LoggedOutput {
  std::int64_t id = 0;
  Bytes bytes = 0;
};

/// One operation of it.
struct LoggedOp {
  std::string op;    ///< `convolution`
  std::string name;  ///< where it belongs, such as a module; may be empty
  Seconds seconds = 0;
  std::optional<Joules> energy_joules{};
  bool backward = false;
  bool random = false;                 ///< gives other numbers each time
  std::vector<std::int64_t> reads{};   ///< numbers of memory
  std::vector<std::int64_t> writes{};  ///< in place
  /// Changed in passing: what the operation makes does not depend on them, and it can be computed
  /// again without changing them, such as the running statistics of a batch norm.
  std::vector<std::int64_t> statistics{};
  std::vector<LoggedOutput> makes{};
  Bytes workspace_bytes = 0;  ///< taken and given back inside
};

/// A line of a log: exactly one of the three.
struct LoggedEvent {
  std::string place;  ///< `step.jsonl line 3`
  std::optional<LoggedMemory> memory{};
  std::optional<LoggedOp> op{};
  std::optional<std::int64_t> release{};
};

/// What a framework did in one training step. See docs/measured-steps.md.
struct StepLog {
  std::string name;
  std::optional<Seconds> step_seconds{};  ///< of the same step if nobody records it
  std::vector<LoggedEvent> events;
};

/// The nodes of a log, and the most RAM that the framework held.
struct LoggedStep {
  ModelSpec model;  ///< version 2, with nodes
  Bytes peak_bytes = 0;
  Seconds seconds = 0;  ///< of all operations
};

/// Turns a log into measured nodes: a node for each output of an operation, and for each write in
/// place. `watts` gives an operation an energy that states none. Throws InputError with the place
/// of a line for memory that is unknown, released or made twice, and for a log without operations.
LoggedStep step_of_log(const StepLog& log, double watts);

}  // namespace poet

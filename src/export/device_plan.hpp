#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <poet_runtime.h>

#include "base/fields.hpp"
#include "poet/graph.hpp"
#include "poet/platform.hpp"
#include "poet/schedule.hpp"
#include "step/training_step.hpp"

namespace poet {

// What poet_runtime.h declares, with vectors and names, before it becomes text.

template <>
inline constexpr auto kNames<poet_place> =
    kWords<POET_NULL, POET_ARENA, POET_PARAMETERS, POET_CONSTANTS, POET_KEPT, POET_TARGET, POET_ONE,
           POET_RUNNING, POET_BYTES>;
template <>
inline constexpr auto kNames<poet_op> =
    kWords<POET_COMPUTE, POET_PAGE_OUT, POET_PAGE_IN, POET_MOVE>;
template <>
inline constexpr auto kNames<poet_optimizer_kind> = kWords<POET_SGD, POET_MOMENTUM, POET_ADAM>;

// Two steps lead to the text: resolve_plan() decides all addresses, and c_plan_source.cpp only
// writes them down, so that a wrong address has one place to come from.
struct DeviceOperand {
  poet_place place = POET_NULL;
  int index = 0;             ///< of a target
  std::uint32_t offset = 0;  ///< in bytes

  bool operator==(const DeviceOperand&) const = default;
};

struct DeviceCall {
  const KernelCall* call = nullptr;  ///< of the training step, which the plan refers to
  Kernel kernel{};                   ///< the call's, or its twin that reads weights as bytes
  std::vector<DeviceOperand> in;
};

struct DeviceSink {
  DeviceOperand sum;
  DeviceOperand gradient;
  int updates = -1;  ///< an index into DevicePlan::groups
  int tracks = -1;   ///< likewise: whose running statistics take the batch
};

/// Freeing a tensor takes no instruction on a device, so there are gaps between the numbers.
struct DeviceInstruction {
  int number = 0;  ///< in the program of the schedule
  poet_op op = POET_COMPUTE;
  int node = 0;
  std::uint32_t offset = 0, bytes = 0, from = 0;  ///< as in poet_instruction
  int input = -1;
  int loss = -1;
  bool writes_tensor = false;
  std::vector<DeviceCall> calls{};
  std::optional<DeviceSink> sink{};
};

/// Parameters of one layer, or of a part of it such as the state of an LSTM, which lie together.
struct DeviceGroup {
  const StepParameters* parameters = nullptr;
  std::int32_t first = 0;  ///< among the trained ones, or among the constants
  /// Of weights of one byte: the first one among the constant bytes. Then the constants have the
  /// scales, one for each row of the weight, and the biases.
  std::optional<std::int32_t> bytes{};
  std::int32_t moments = -1;
  std::vector<poet_initial> tensors;
  std::int32_t running = -1;  ///< the first one among the running statistics
  /// Of a norm that takes no batch and that a forward pass evaluates: the first one among the
  /// constants, behind all parameters.
  std::int32_t constant_running = -1;
};

/// A result of a forward pass, which is complete after an instruction.
struct DeviceOutput {
  std::int32_t instruction = 0;  ///< an index into DevicePlan::instructions
  int node = 0;
  std::uint32_t offset = 0, bytes = 0;
};

/// An arena of its own for offsets from `from` on.
struct DeviceBank {
  std::string name;
  std::uint32_t from = 0, bytes = 0;
};

/// The names of the banks for what the firmware keeps beside tensors; empty: nobody has said.
using KeptBanks = std::map<TrainingArray, std::string>;

/// A training step, or a forward pass alone, at fixed addresses.
struct DevicePlan {
  const TrainingStep* step = nullptr;
  bool is_second = false;  ///< a forward pass beside a training step, whose parameters it reads
  std::string name;        ///< of the model
  std::uint32_t arena_bytes = 0, alignment = 0, storage_bytes = 0;
  std::int32_t parameter_count = 0, constant_count = 0, moment_count = 0, kept_count = 0,
               second_moments = 0;
  std::int32_t constant_byte_count = 0;
  std::int32_t loss_count = 0, running_count = 0;
  /// Of what parameters mean, and not of the schedule: a saved state of the device has it.
  std::uint32_t hash = 0;
  bool has_reset = false;          ///< poet_initialise() copies given parameters
  bool has_running_reset = false;  ///< and given running statistics
  bool reads_losses = false;       ///< a node of a forward pass reads the value of a loss
  std::vector<DeviceGroup> groups;
  std::vector<DeviceInstruction> instructions;
  std::vector<DeviceOutput> outputs;  ///< by TrainingStep::outputs
  std::vector<DeviceBank> banks;      ///< by offset; none if all offsets are in one arena
  KeptBanks kept_banks{};
};

/// A program that is valid and has offsets.
struct PlacedStep {
  const Graph& graph;
  std::span<const Instruction> program;
  Bytes arena_bytes = 0;
  Bytes alignment = 4;
  std::vector<DeviceBank> banks{};  ///< that the program uses
  KeptBanks kept{};
};

/// Gives every operand of every kernel call its place. The plan refers to `step`, which has to stay
/// where it is. Throws InputError for what does not fit the 32 bits of the runtime's tables.
/// The plan has an offset for each operand and knows no pointer, as the device decides where its
/// arena lies.
DevicePlan resolve_plan(const TrainingStep& step, const std::string& name,
                        const PlacedStep& placed);

/// A forward pass of the model of a training step, which reads parameters and running statistics
/// where `training` has them. Norms that take no batch there get their statistics among its
/// constants. Throws InputError as above, and if the parameters are not the same.
DevicePlan resolve_second_plan(const TrainingStep& forward, const PlacedStep& placed,
                               DevicePlan& training);

}  // namespace poet

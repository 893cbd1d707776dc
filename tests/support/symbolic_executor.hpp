#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "poet/model.hpp"
#include "poet/schedule.hpp"
#include "support/step_formulas.hpp"

namespace poet::test {

/// A tensor, or parameters at one moment: a hash of the expression that they are the value of.
using Value = std::uint64_t;

/// What one computation of a node gave.
struct Computed {
  std::string node;
  Value value = 0;
};

/// What became of a training step.
struct Outcome {
  std::string error;               ///< the first instruction that cannot be executed; empty: none
  std::vector<Computed> computed;  ///< in the order of execution
  std::map<std::string, Value> parameters;  ///< after the step
};

/// The step by its definition: every formula once, on the parameters as they are before the step.
/// It needs no order of nodes and no memory.
Outcome by_definition(const Formulas& formulas);

/// Executes a flat program with values in the place of tensors. It knows RAM, storage and
/// parameters, and no rule of schedules: it reads what a formula reads, and drops what it is told
/// to drop. An error names the instruction that reads, frees, pages or overwrites what is not
/// there, or overwrites what its formula still reads.
Outcome execute(const Model& model, const Formulas& formulas, std::span<const Instruction> program);

/// Names the first computation of `run` with another value than in `expected`, a node that it
/// lacks, or parameters that are others; the error of `run` if it has one. Empty: no difference.
std::string difference(const Outcome& run, const Outcome& expected);

}  // namespace poet::test

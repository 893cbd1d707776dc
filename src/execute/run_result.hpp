#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "arrays/write_arrays.hpp"
#include "poet/problem.hpp"
#include "poet/units.hpp"
#include "schedule/bank_traffic.hpp"

namespace poet {

/// How a schedule is run.
struct RunSettings {
  int steps = 1;             ///< training steps, all with the same data
  std::uint64_t seed = 1;    ///< of parameters and data
  std::string storage{};     ///< the page file; empty: a temporary one
  bool sync = false;         ///< each page-out waits for the device
  bool check = false;        ///< poison memory that is not in use
  bool keep_arrays = false;  ///< the result has RunResult::arrays
  /// Of the schedule: with transfers beside computations, nothing is moved while it is transferred.
  PagingTime paging_time = PagingTime::free;
  /// Offsets of the banks that the program uses; empty if they are in one arena.
  std::vector<BankRange> banks{};
};

/// How far a gradient is from what it would be without copies.
struct GradientError {
  double relative_difference =
      0;              ///< the length of the difference over the length of the exact one
  double cosine = 1;  ///< of the angle between them
};

/// The gradient of a layer's parameters, as the optimizer got it in the last step.
struct GradientResult {
  std::string name;
  std::int64_t count = 0;
  std::string sha256;                    ///< of its float32 numbers as they are in memory
  bool is_equal = true;                  ///< to the unscheduled one, bit by bit, in every step
  std::optional<GradientError> error{};  ///< of a step with copies
};

/// The running statistics of a batch norm after the last step.
using StatisticsResult = GradientResult;
/// A result of a forward pass.
using OutputResult = GradientResult;

/// What a run leaves as numbers.
struct RunArrays {
  std::vector<ArrayToWrite> parameters;  ///< all, frozen ones as well, after the last step
  std::vector<ArrayToWrite> gradients;   ///< of trained layers, in the last step
  /// What the losses of the last step were computed from; of a forward pass its results as well.
  std::vector<ArrayToWrite> outputs;
};

/// How many rows of cross-entropy losses have their largest output at the class of their target.
struct Hits {
  std::int64_t correct = 0, rows = 0;
};

/// What an epoch of a training came to.
struct EpochResult {
  std::int64_t epoch = 0;  ///< from 1
  std::int64_t steps = 0;  ///< its batches
  double loss = 0;         ///< the mean of its steps; several losses are added
  Hits hits{};             ///< before the update of each step
  Seconds seconds = 0;
};

/// What a schedule did when it ran, and whether it computed what it must.
struct RunResult {
  std::vector<double> losses;  ///< by step; several losses are added
  std::vector<GradientResult> gradients;
  std::vector<StatisticsResult> statistics;  ///< of norms that take batches in
  std::vector<OutputResult> outputs;         ///< of a forward pass
  bool is_forward = false;
  bool has_equal_losses = true;
  bool has_equal_parameters = true;  ///< after the last step
  Bytes arena_bytes = 0;
  Bytes peak_touched_bytes = 0;
  Bytes moved_bytes = 0;  ///< of all steps, as what follows
  Bytes page_out_bytes = 0;
  Bytes page_in_bytes = 0;
  std::map<std::string, Seconds> op_seconds;
  Seconds seconds = 0;  ///< of the scheduled steps, transfers included
  Seconds unscheduled_seconds = 0;
  RunArrays arrays;  ///< of the scheduled steps; empty unless they are kept

  bool equal() const {
    const auto is_equal = [](const GradientResult& result) { return result.is_equal; };
    return has_equal_losses && has_equal_parameters &&
           std::all_of(gradients.begin(), gradients.end(), is_equal) &&
           std::all_of(statistics.begin(), statistics.end(), is_equal) &&
           std::all_of(outputs.begin(), outputs.end(), is_equal);
  }
};

}  // namespace poet

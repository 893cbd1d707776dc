#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "execute/checkpoint.hpp"
#include "execute/data_set.hpp"
#include "execute/run_result.hpp"
#include "execute/scheduled_step.hpp"

namespace poet {

/// Trains by a schedule: each batch of each epoch once through its program. The samples that fill
/// no batch are left out of an epoch. Everything that is given has to outlive this.
class TrainingRun {
 public:
  /// Parameters and data that nobody gives follow from the seed. Throws as run_schedule() does,
  /// and InputError for fewer samples than a batch.
  TrainingRun(TrainingStep& step, const Graph& graph, std::span<const Instruction> program,
              Bytes alignment, const RunSettings& settings, const DataSet& data,
              std::int64_t batch_size, bool shuffle);

  /// Before the first epoch: numbers of a user, the rate, and where an earlier run has stopped.
  void give(const GivenData& given) { apply(step_, given, state_); }
  void set_rate(float rate) { state_.optimizer.learning_rate = rate; }
  /// Throws InputError as restore() does, and if the file is about other samples, another seed or
  /// another order.
  void go_on_from(std::span<const NamedArray> checkpoint, const std::string& place);

  const TrainingProgress& progress() const { return progress_; }
  std::int64_t steps_of_epoch() const { return progress_.samples / batch_size_; }

  /// The next step, by the schedule and without one, on copies of everything: equal bit by bit, or
  /// nothing should be trained.
  RunResult compare_next_step() const;

  /// The samples of an epoch that fill its batches, in their order.
  std::vector<std::int64_t> order_of(std::int64_t epoch) const;

  /// Trains one more epoch; nothing if `stops`, which is asked before each step, says so. Then the
  /// state is in the middle of an epoch.
  std::optional<EpochResult> run_epoch(const std::function<bool()>& stops);

  std::vector<ArrayToWrite> checkpoint() { return checkpoint_arrays(step_, state_, progress_); }
  RunArrays arrays();
  const ExecutionFigures& figures() const { return scheduled_.figures(); }

 private:
  TrainingStep& step_;
  const Graph& graph_;
  std::span<const Instruction> program_;
  Bytes alignment_;
  RunSettings settings_;
  const DataSet& data_;
  std::int64_t batch_size_;
  PageFile pages_;
  ScheduledStep scheduled_;
  TrainingState state_;
  TrainingProgress progress_;
};

}  // namespace poet

// The loop over epochs and batches. It computes scheduled steps alone; that these are right is
// shown once, by compare_next_step(), before the first of them.

#include "execute/train.hpp"

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "execute/run_schedule.hpp"
#include "execute/running_statistics.hpp"
#include "execute/state_arrays.hpp"
#include "poet/error.hpp"

namespace poet {

TrainingRun::TrainingRun(TrainingStep& step, const Graph& graph,
                         std::span<const Instruction> program, Bytes alignment,
                         const RunSettings& settings, const DataSet& data, std::int64_t batch_size,
                         bool shuffle)
    : step_(step),
      graph_(graph),
      program_(program),
      alignment_(alignment),
      settings_(settings),
      data_(data),
      batch_size_(batch_size),
      pages_(settings.storage, settings.sync),
      scheduled_(step, graph, program, alignment, settings.check, settings.paging_time),
      state_(initial_state(step, settings.seed)),
      progress_{.samples = data.samples, .seed = settings.seed, .shuffle = shuffle} {
  state_.outputs.resize(static_cast<std::size_t>(step.loss_count));
  if (data.samples >= batch_size) return;
  throw InputError(fmt::format("found {} samples; expected at least {}, the schedule's batch size",
                               data.samples, batch_size));
}

void TrainingRun::go_on_from(std::span<const NamedArray> checkpoint, const std::string& place) {
  const TrainingProgress found = restore(step_, checkpoint, place, state_);
  TrainingProgress expected = progress_;
  expected.epochs = found.epochs;
  expected.steps = found.epochs * steps_of_epoch();
  if (found != expected) {
    const auto words = [](const TrainingProgress& each) {
      return fmt::format("{} steps, {} samples, the seed {}, {}", each.steps, each.samples,
                         each.seed, each.shuffle ? "shuffled" : "not shuffled");
    };
    throw InputError(place, fmt::format("found a checkpoint after {} epochs of {}; expected {}, as "
                                        "this run would have it: give the same data and options, "
                                        "or another file",
                                        found.epochs, words(found), words(expected)));
  }
  progress_ = found;
}

RunResult TrainingRun::compare_next_step() const {
  const std::vector<std::int64_t> order = order_of(progress_.epochs + 1);
  GivenData given = batch_of(data_, std::span(order).first(static_cast<std::size_t>(batch_size_)));
  for (std::size_t p = 0; p < state_.parameters.size(); ++p) {
    given.parameters[p] = stated_parameters(state_, p);
    if (!has_statistics(step_, state_, p)) continue;
    given.statistics[p] = {.running = state_.running[p], .batches = state_.batches[p]};
  }
  // Data that are the same in each step.
  for (std::size_t i = 0; i < state_.inputs.size(); ++i) given.inputs.emplace(i, state_.inputs[i]);
  for (std::size_t i = 0; i < state_.targets.size(); ++i) {
    given.targets.emplace(i, state_.targets[i]);
  }
  RunSettings settings = settings_;
  settings.steps = 1;
  settings.keep_arrays = false;
  settings.storage.clear();  // a page file of its own
  return run_schedule(step_, graph_, program_, alignment_, settings, given);
}

std::vector<std::int64_t> TrainingRun::order_of(std::int64_t epoch) const {
  std::vector<std::int64_t> order =
      epoch_order(progress_.samples, progress_.seed, epoch, progress_.shuffle);
  order.resize(static_cast<std::size_t>(steps_of_epoch() * batch_size_));
  return order;
}

std::optional<EpochResult> TrainingRun::run_epoch(const std::function<bool()>& stops) {
  const Stopwatch watch;
  EpochResult result{.epoch = progress_.epochs + 1, .steps = steps_of_epoch()};
  const std::vector<std::int64_t> order = order_of(result.epoch);
  const auto batch = static_cast<std::size_t>(batch_size_);
  for (std::size_t first = 0; first < order.size(); first += batch) {
    if (stops()) return std::nullopt;
    apply(step_, batch_of(data_, std::span(order).subspan(first, batch)), state_);
    seed_dropout(step_, progress_.seed, static_cast<int>(progress_.steps));
    scheduled_.run(state_, pages_);
    ++progress_.steps;
    for (const float loss : state_.losses) result.loss += double{loss};
    const Hits hits = hits_of(step_, state_);
    result.hits.correct += hits.correct;
    result.hits.rows += hits.rows;
  }
  result.loss /= static_cast<double>(result.steps);
  result.seconds = watch.elapsed();
  progress_.epochs = result.epoch;
  return result;
}

RunArrays TrainingRun::arrays() {
  return run_arrays(step_, state_);
}

}  // namespace poet

// Data that change from step to step. The order of an epoch depends on the seed, the epoch and the
// number of samples alone, so that a resumed run goes on as if it had never stopped, and anybody
// can make the same order elsewhere.

#include "execute/data_set.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/printable.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"
#include "step/step_outputs.hpp"

namespace poet {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

/// What an array of samples should look like.
std::string expected_samples(const StepData& wanted, std::int64_t each) {
  if (wanted.shape.size() == 1) return each == 1 ? "(samples)" : fmt::format("(samples, {})", each);
  const Shape rest(wanted.shape.begin() + 1, wanted.shape.end());
  return fmt::format("(samples, {})", fmt::join(rest, ", "));
}

std::int64_t count_samples(const NumberArray& array, std::int64_t each) {
  const auto count = static_cast<std::int64_t>(array.values.size());
  if (!array.has_shape) return count % each == 0 ? count / each : -1;
  if (array.shape.empty()) return -1;
  const std::span<const std::int64_t> rest = std::span(array.shape).subspan(1);
  return element_count(rest) == each ? array.shape.front() : -1;
}

void append_rows(const std::map<std::size_t, std::vector<std::uint32_t>>& all,
                 std::int64_t data_samples, std::span<const std::int64_t> chosen,
                 std::map<std::size_t, std::vector<std::uint32_t>>& batch) {
  for (const auto& [at, bits] : all) {
    const auto each = static_cast<std::int64_t>(bits.size()) / data_samples;
    std::vector<std::uint32_t>& rows = batch[at];
    rows.reserve(static_cast<std::size_t>(each) * chosen.size());
    for (const std::int64_t sample : chosen) {
      const auto first = bits.begin() + sample * each;
      rows.insert(rows.end(), first, first + each);
    }
  }
}

/// The indices that a loss compares with: its own target, or an input of the model.
const std::uint32_t* indices_of(const TrainingStep& step, const TrainingState& state,
                                const OperandSource& source) {
  if (source.kind == OperandSource::Kind::target) {
    return state.targets[static_cast<std::size_t>(source.index)].data() + source.offset;
  }
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const bool is_it =
        source.kind == OperandSource::Kind::tensor && step.inputs[i].node == source.index;
    if (is_it) return state.inputs[i].data() + source.offset;
  }
  return nullptr;
}

}  // namespace

Samples samples_of(const StepData& wanted, std::int64_t batch_size, const NumberArray& array,
                   const std::string& place) {
  const bool has_batch = !wanted.shape.empty() && wanted.shape.front() % batch_size == 0;
  if (!has_batch) {
    throw InputError(
        place, fmt::format("'{}' has the shape ({}), whose first extent is not a batch "
                           "of {}; expected --input or --target, which give every "
                           "step the same",
                           printable(wanted.name), fmt::join(wanted.shape, ", "), batch_size));
  }
  const std::int64_t each = wanted.count / batch_size;
  const std::int64_t count = count_samples(array, each);
  if (count < 0) {
    const std::string found = array.has_shape
                                  ? fmt::format("the shape ({})", fmt::join(array.shape, ", "))
                                  : fmt::format("{} numbers", array.values.size());
    throw InputError(place,
                     fmt::format("found {}; expected {} for '{}', {} numbers a sample", found,
                                 expected_samples(wanted, each), printable(wanted.name), each));
  }
  StepData all = wanted;
  all.count = count * each;
  if (wanted.shape.front() == batch_size) {
    all.shape.front() = count;
  } else {
    all.shape = array.shape;
  }
  return {.count = count, .bits = data_bits(all, array, place)};
}

std::vector<std::int64_t> epoch_order(std::int64_t samples, std::uint64_t seed, std::int64_t epoch,
                                      bool shuffle) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  if (!shuffle) return order;
  const std::uint64_t start =
      mixed(mixed(seed + kGolden) + static_cast<std::uint64_t>(epoch) * kGolden);
  std::vector<std::uint64_t> keys;
  keys.reserve(order.size());
  for (std::uint64_t i = 1; i <= order.size(); ++i) keys.push_back(mixed(start + i * kGolden));
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return keys[static_cast<std::size_t>(a)] < keys[static_cast<std::size_t>(b)];
  });
  return order;
}

GivenData batch_of(const DataSet& data, std::span<const std::int64_t> samples) {
  GivenData batch;
  append_rows(data.inputs, data.samples, samples, batch.inputs);
  append_rows(data.targets, data.samples, samples, batch.targets);
  return batch;
}

Hits hits_of(const TrainingStep& step, const TrainingState& state) {
  Hits hits;
  for (const StepNode& loss : step.nodes) {
    if (prediction_of(loss) < 0) continue;
    const KernelCall& call = loss.calls.front();
    const auto* const geometry = std::get_if<poet_cross_entropy_spec>(&call.spec);
    if (geometry == nullptr) continue;
    const std::uint32_t* const expected = indices_of(step, state, call.in[1]);
    if (expected == nullptr) continue;
    const float* row = state.outputs[static_cast<std::size_t>(loss.loss)].data();
    for (std::int32_t r = 0; r < geometry->rows; ++r, row += geometry->classes) {
      const auto best = std::max_element(row, row + geometry->classes) - row;
      if (best == static_cast<std::ptrdiff_t>(expected[r])) ++hits.correct;
    }
    hits.rows += geometry->rows;
  }
  return hits;
}

}  // namespace poet

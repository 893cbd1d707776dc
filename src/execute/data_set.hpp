#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "arrays/read_arrays.hpp"
#include "execute/compute.hpp"
#include "execute/given_data.hpp"
#include "execute/run_result.hpp"
#include "step/training_step.hpp"

namespace poet {

/// Samples to train with. All keys are indices into the lists of TrainingStep.
struct DataSet {
  std::int64_t samples = 0;
  std::map<std::size_t, std::vector<std::uint32_t>> inputs;   ///< bits, one sample after the other
  std::map<std::size_t, std::vector<std::uint32_t>> targets;  ///< likewise
};

/// The bits of all samples of an input or a target, and how many samples they are. The first extent
/// of the array counts samples, the others belong to one sample; an array without a shape has as
/// many samples as its numbers come to. Throws InputError as data_bits() does, and for data that
/// have no extent of the batch.
struct Samples {
  std::int64_t count = 0;
  std::vector<std::uint32_t> bits;
};
Samples samples_of(const StepData& wanted, std::int64_t batch_size, const NumberArray& array,
                   const std::string& place);

/// The samples in the order of an epoch, which counts from 1: by the keys
///   s = mix(mix(seed + G) + epoch G), key of sample i = mix(s + (i + 1) G)
/// where G is 2^64 / the golden ratio and mix the finaliser of SplitMix64, all modulo 2^64.
/// Without `shuffle`: as they are.
std::vector<std::int64_t> epoch_order(std::int64_t samples, std::uint64_t seed, std::int64_t epoch,
                                      bool shuffle);

/// The data of a step with these samples: as many as the step's batch.
GivenData batch_of(const DataSet& data, std::span<const std::int64_t> samples);

/// Counts the rows of the cross-entropy losses of the last step. The state must have kept its
/// outputs.
Hits hits_of(const TrainingStep& step, const TrainingState& state);

}  // namespace poet

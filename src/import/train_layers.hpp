#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/model_spec.hpp"

namespace poet {

/// Freezes the parameters of all layers but some: `all` trains all of them, `last:3` the last three
/// layers with parameters, and a pattern, in which `*` stands for any characters, those whose names
/// match. Throws InputError, without a place, for a text that chooses no layer.
void choose_trainable(ModelSpec& spec, const std::string& wanted);

/// Gives int8 weights to the frozen layers that can have them: convolutions and dense layers which
/// share their weights with no other. Throws InputError, without a place, if there is none.
void keep_frozen_as_int8(ModelSpec& spec);

/// Lets the parameters of frozen layers be copied before they are used, if gradients pass through
/// the layers, and but for weights of one byte. Throws InputError, without a place, if there is
/// none.
void copy_frozen(ModelSpec& spec);

/// Two batch sizes that are read in the place of an open one. An extent that is the first in one
/// reading and the second in the other is the batch.
inline constexpr std::int64_t kTryBatches[] = {2, 3};

/// One model of layers out of two readings of the same file with these batch sizes: "N" stands
/// where they differ. None if they differ in anything but a first extent.
std::optional<ModelSpec> with_open_batch(ModelSpec first, const ModelSpec& second);

}  // namespace poet

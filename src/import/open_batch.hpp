#pragma once

#include <cstdint>
#include <optional>

#include "model/model_spec.hpp"

namespace poet {

/// Two batch sizes that are read in the place of an open one. An extent that is the first in one
/// reading and the second in the other is the batch.
inline constexpr std::int64_t kTryBatches[] = {2, 3};

/// One model of layers out of two readings of the same file with these batch sizes: "N" stands
/// where they differ. None if they differ in anything but a first extent.
std::optional<ModelSpec> with_open_batch(ModelSpec first, const ModelSpec& second);

}  // namespace poet

#pragma once

#include <string_view>
#include <vector>

#include "model/exact/draft.hpp"

namespace poet {

// What a layer of a version-2 file may say beside its op's attributes. All throw InputError with
// the place.

/// The element sizes of a layer: its own, or the file's.
ElementBytes sizes_of(const ModelSpec& spec, const LayerSpec& layer);

/// Throws for a layer that makes no tensor, if it says something of its tensor.
void check_tensor_options(const Draft& draft, const DraftLayer& layer);

/// Whether the op has kernels that read weights of one byte.
bool may_have_int8_weights(std::string_view op);

/// Throws for weights of one byte in a layer that cannot have them: only dense layers and
/// convolutions can, if they are frozen and share nothing.
void check_int8_weights(const DraftLayer& layer);

/// Whether kernels read parameters of the layer from a copy. Throws for a layer that trains them or
/// has none of its own, for weights of one byte, and for a file that itself says Backward::none.
bool has_copied_parameters(const ModelSpec& model, const DraftLayer& layer);

/// Gives a layer the parameters of an earlier one; -1 if no earlier layer has that name.
void share_parameters(Draft& draft, DraftLayer& layer, int owner);

/// The nodes whose buffers the layer's output may take over, if the layer lists them itself.
std::vector<int> stated_in_place(const DraftLayer& layer);

}  // namespace poet

#include "model/model_spec.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {

bool ModelSpec::has_batch() const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const InputSpec& input) { return input.has_batch; });
}

// POET's graphs keep their bytes, since published figures are of them.
Model with_alignment(Model model, Bytes alignment) {
  if ((alignment & (alignment - 1)) != 0) {
    throw InputError(fmt::format("found {}, expected a power of two", alignment));
  }
  if (alignment != kUsualAlignment && model.backward != Backward::exact) {
    throw InputError(fmt::format(
        "found {}, but only the tensors of exact graphs are rounded; expected --backward exact, or "
        "no such option",
        alignment));
  }
  model.alignment = alignment;
  return model;
}

}  // namespace poet

#include "model/alignment.hpp"

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {

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

#pragma once

#include <string>

#include "step/kernel.hpp"

namespace poet {

/// The geometry of a kernel as C.
struct SpecText {
  std::string type;         ///< `struct poet_conv2d_spec`
  std::string initializer;  ///< `{.batch = 1, ...}`
};

SpecText spec_text(const KernelSpec& spec);

/// Whether the geometry changes with the training step: the seed of dropout.
bool is_random(const KernelSpec& spec);

}  // namespace poet

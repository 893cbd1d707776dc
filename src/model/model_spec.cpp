#include "model/model_spec.hpp"

#include <algorithm>

namespace poet {

bool ModelSpec::has_batch() const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const InputSpec& input) { return input.has_batch; });
}

}  // namespace poet

#pragma once

#include <string>
#include <string_view>

#include "model/step_log.hpp"

namespace poet {

/// Reads the JSON lines of a step log (docs/measured-steps.md); `source` is named in errors. Throws
/// InputError with the line for anything malformed.
StepLog parse_step_log(std::string_view text, const std::string& source);

}  // namespace poet

#pragma once

#include <string>
#include <vector>

#include "measure.hpp"

namespace poet::bench {

/// One measurement as a JSON object on one line, SI units, keys named as in the schedule file.
std::string json_line(const Measurement& measurement);

/// The measurements that json_line() wrote, from several files, in their order. Throws InputError
/// with file and line for anything else, and for a problem that was measured twice.
std::vector<Measurement> read_jsonl(const std::vector<std::string>& paths);

}  // namespace poet::bench

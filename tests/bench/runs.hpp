#pragma once

#include <string>
#include <vector>

#include "measure.hpp"

namespace poet::bench {

/// The modes of poet_bench. Each solves the problems with these names, prints a table as it goes,
/// and returns the exit status: 1 if a schedule is invalid, a solve failed, or two answers
/// contradict each other.
int run_ablation(const std::vector<std::string>& names, const Conditions& conditions);
int run_poet_baseline(const std::vector<std::string>& names, const Conditions& conditions);

/// A line to stdout at once: a long run can be watched, and loses nothing when it is ended.
void say(const std::string& text);

}  // namespace poet::bench

#pragma once

#include <string>

#include "poet/problem.hpp"

namespace poet::bench {

/// The problem that a name of the benchmark's sets stands for, as poet-solve poses it with these
/// budgets. problem_sets.py has the sets:
///
///     resnet18_cifar/m4 737719 1.5x      a built-in model on a platform, RAM in bytes, runtime
///     exact bert/m4 60000000 3x          its exact training step
///     inference bert/m4 60000000 3x      without a backward pass
///     layered 500 graph 2 80 %           a random graph, its seed, RAM of the baseline's peak
///
/// Throws InputError for a name of another form, an unknown model or an unknown platform.
Problem problem_of(const std::string& name);

}  // namespace poet::bench

#pragma once

#include <functional>
#include <string>

#include "poet/problem.hpp"

namespace poet::test {

/// A smaller problem for which `fails` still holds: without nodes, edges and techniques that it can
/// do without, and with simpler numbers. `problem` itself has to fail.
Problem shrink(Problem problem, const std::function<bool(const Problem&)>& fails);

/// Writes a problem as a model file, with the command that solves it, into a folder named after
/// `name` under POET_FAILURES (or the directory for temporary files). Returns the folder.
std::string write_failing_case(const Problem& problem, const std::string& name,
                               const std::string& what_is_wrong);

}  // namespace poet::test

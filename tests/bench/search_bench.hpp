#pragma once

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "problem_name.hpp"

namespace poet::bench {

// What the benchmarks of a search by itself have in common.

struct SearchOptions {
  std::vector<std::string> names;
  std::vector<std::uint32_t> seeds{1};
};

/// Of this process, since it began.
inline Seconds processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

inline void add_search_options(CLI::App& app, SearchOptions& options) {
  app.add_option("NAMES", options.names,
                 "problems as scripts/bench names them, such as 'layered 500 graph 1 80 %'")
      ->required();
  app.add_option("--seeds", options.seeds, "of the search")
      ->delimiter(',')
      ->allow_extra_args(false);
}

/// Searches each problem in turn. Returns the exit status: 2 for a name that stands for none.
inline int search_problems(const SearchOptions& options,
                           const std::function<void(const std::string&, Problem)>& search) {
  try {
    for (const std::string& name : options.names) search(name, problem_of(name));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}

}  // namespace poet::bench

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>

#include <fmt/format.h>

#include "runs.hpp"

namespace poet::bench {

void say(const std::string& text) {
  fmt::print("{}\n", text);
  std::fflush(stdout);
}

namespace {

std::vector<std::string> names_on(std::istream& input) {
  std::vector<std::string> names;
  for (std::string line; std::getline(input, line);) {
    if (!line.empty()) names.push_back(line);
  }
  return names;
}

int run(int argc, char** argv) {
  CLI::App app(
      "Solves the problems whose names are on stdin, a line each, one after the other and each in\n"
      "a process of its own, and replays every schedule. Exit 1 if one is invalid.",
      "poet_bench");
  app.require_subcommand(1);
  app.fallthrough();
  const CLI::App* const ablation =
      app.add_subcommand("ablation", "with every technique, then without each one in turn");
  app.add_subcommand("poet", "beside ours, POET's own formulation, solved by the program cbc");
  Conditions conditions{.solve = {.settings = {.time_limit_seconds = 60}}};
  double memory_limit_gib = 8;
  app.add_option("--time-limit-s", conditions.solve.settings.time_limit_seconds,
                 "per solve; 0 = none")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--gap", conditions.solve.settings.gap,
                 "relative gap at which a problem counts as proven")
      ->check(CLI::Range(0.0, 0.5))
      ->capture_default_str();
  app.add_option("--solve-threads", conditions.solve.settings.threads, "processes per solve")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--memory-limit-gib", memory_limit_gib,
                 "of address space, for the solver and each of its children; 0 = none")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  constexpr double kGibibyte = 1 << 30;
  conditions.memory_limit_bytes = static_cast<Bytes>(memory_limit_gib * kGibibyte);
  const std::vector<std::string> names = names_on(std::cin);
  return ablation->parsed() ? run_ablation(names, conditions)
                            : run_poet_baseline(names, conditions);
}

}  // namespace
}  // namespace poet::bench

int main(int argc, char** argv) {
  try {
    return poet::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_bench: {}\n", error.what());
    return 2;
  }
}

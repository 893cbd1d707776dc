// Offsets in just enough memory: how long the search takes, and what it does not find.
//   poet_place_bench squares [SEED]   eleven look-alikes of the public instances of MiniMalloc
//   poet_place_bench schedules        eighty schedules of built-in models, in their rounded peaks
//   poet_place_bench table FILE BYTES a table of MiniMalloc's benchmarks, with offsets on stdout

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/stopwatch.hpp"
#include "bench/buffer_table.hpp"
#include "poet/arena.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "support/random_buffers.hpp"

namespace {

using namespace poet;

struct Trial {
  PlacementResult found;
  Seconds seconds = 0;
};

/// Places buffers, and ends the program if the judge finds anything wrong with the result.
Trial try_placing(const std::vector<Buffer>& buffers, const Arena& arena, Seconds time_limit) {
  const Stopwatch watch;
  Trial trial{.found = place(buffers, arena, {.seconds = time_limit})};
  trial.seconds = watch.elapsed();
  if (trial.found.status != PlacementStatus::fits) return trial;
  const std::vector<std::string> wrong = check_placement(buffers, arena, trial.found.placement);
  if (!wrong.empty()) throw std::runtime_error(wrong.front());
  return trial;
}

const char* word_of(PlacementStatus status) {
  if (status == PlacementStatus::fits) return "fits";
  return status == PlacementStatus::impossible ? "impossible" : "cut short";
}

int run_squares(std::uint64_t seed) {
  constexpr Seconds kMostSeconds = 20;
  const Arena arena{.capacity_bytes = test::CutSquare::kSide * test::CutSquare::kUnit};
  std::size_t placed = 0;
  fmt::print("{:>8} {:>6} {:>10} {:>10} {:>8} {:>8}\n", "buffers", "filled", "greedy", "", "nodes",
             "s");
  for (const auto& [count, percent] : test::kPublicInstances) {
    test::Twister random(seed + static_cast<std::uint64_t>(count));
    const std::vector<Buffer> buffers = test::CutSquare(random).cut(count, percent);
    const Bytes greedy = arena_bytes(buffers, best_greedy_placement(buffers, 1));
    const Trial trial = try_placing(buffers, arena, kMostSeconds);
    if (trial.found.status == PlacementStatus::fits) ++placed;
    fmt::print("{:>8} {:>4} % {:>10.3f} {:>10} {:>8} {:>8.2f}\n", buffers.size(), percent,
               static_cast<double>(greedy) / static_cast<double>(arena.capacity_bytes),
               word_of(trial.found.status), trial.found.node_count, trial.seconds);
    std::fflush(stdout);
  }
  fmt::print("{} of {} within {} s\n", placed, test::kPublicInstances.size(), kMostSeconds);
  return placed == test::kPublicInstances.size() ? 0 : 1;
}

/// A model on a small board, with a budget this far from the working set to the peak.
Problem small_problem(const std::string& name, Backward backward, double share) {
  const Model model = load_model(name, 1, backward);
  const Platform platform = load_platform("m4");
  Problem problem{.graph = cost_graph(model, &platform), .limits = {}};
  const Baseline base = baseline(problem.graph);
  const Bytes least = working_set(problem.graph).bytes;
  problem.limits.ram_budget_bytes =
      least + static_cast<Bytes>(share * static_cast<double>(base.peak_ram_bytes - least));
  problem.limits.runtime_budget_seconds = 2 * base.runtime_seconds;
  if (backward == Backward::exact) problem.limits.paging_time = PagingTime::blocking;
  return problem;
}

struct Tally {
  int placed = 0;
  int with_moves = 0;
  int quick = 0;
  std::vector<Seconds> seconds;
};

void place_schedule(const std::string& name, const Problem& problem, Tally& tally) {
  constexpr Seconds kQuick = 0.1;
  SolveOptions options;
  options.settings.effort = Effort::fast;
  options.settings.time_limit_seconds = 4;
  const SolveResult result = solve(problem, options);
  if (!result.schedule) return;
  const ProgramBuffers program = program_buffers(
      problem.graph, to_program(problem.graph, *result.schedule, problem.limits.paging_time));
  const Arena arena{.capacity_bytes = peak_bytes(program.buffers, 4), .alignment = 4};
  const Trial trial = try_placing(program.buffers, arena, 10);
  ++tally.placed;
  if (trial.found.status != PlacementStatus::fits) ++tally.with_moves;
  if (trial.seconds <= kQuick) ++tally.quick;
  tally.seconds.push_back(trial.seconds);
  fmt::print("{:<24} {:>6} buffers in {:>10} bytes, budget {:>10}: {:>10}, {:>9} nodes, {:.4f} s\n",
             name, program.buffers.size(), arena.capacity_bytes, problem.limits.ram_budget_bytes,
             word_of(trial.found.status), trial.found.node_count, trial.seconds);
  std::fflush(stdout);
}

int run_schedules() {
  constexpr std::array kShares = {0.1, 0.25, 0.4, 0.6, 0.8};
  constexpr std::array kChains = {"linear",   "vgg16_cifar", "resnet18_cifar", "vgg16",
                                  "resnet18", "transformer", "resnet50",       "bert"};
  constexpr std::array kExact = {"linear",     "vgg16_cifar", "resnet18_cifar",      "ds_cnn",
                                 "unet_small", "mcunet_vww",  "mobilenet_v2_035_96", "resnet18"};
  Tally tally;
  const auto run = [&](const auto& models, Backward backward) {
    for (const char* const name : models) {
      for (const double share : kShares) {
        place_schedule(name, small_problem(name, backward, share), tally);
      }
    }
  };
  run(kChains, Backward::poet_chain);
  run(kExact, Backward::exact);
  std::sort(tally.seconds.begin(), tally.seconds.end());
  fmt::print(
      "{} schedules: {} need moves; {} placed within 0.1 s; median {:.4f} s, most {:.4f} s\n",
      tally.placed, tally.with_moves, tally.quick, tally.seconds[tally.seconds.size() / 2],
      tally.seconds.back());
  const bool fine = 100 * tally.with_moves <= tally.placed && 20 * tally.quick >= 19 * tally.placed;
  return fine ? 0 : 1;
}

int run_table(const std::string& path, Bytes capacity) {
  const bench::BufferTable table = bench::parse_buffers(read_file(path), path);
  const Trial trial = try_placing(table.buffers, {.capacity_bytes = capacity}, 0);
  fmt::print(stderr, "{}: {} buffers, {}, {} nodes, {:.4f} s\n", path, table.buffers.size(),
             word_of(trial.found.status), trial.found.node_count, trial.seconds);
  if (trial.found.status != PlacementStatus::fits) return 1;
  fmt::print("{}", bench::write_buffers(table, trial.found.placement.offsets));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "squares") return run_squares(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0);
    if (what == "schedules") return run_schedules();
    if (what == "table" && argc == 4) return run_table(argv[2], parse_bytes(argv[3]).value_or(0));
    fmt::print(stderr,
               "poet_place_bench: found '{}', expected squares, schedules or table FILE BYTES\n",
               what);
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_place_bench: {}\n", error.what());
  }
  return 2;
}

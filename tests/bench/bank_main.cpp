// Buffers in several banks: what placements cost beside greedy ones and the bound.
//   poet_bank_bench schedules PLATFORM...
//                                    schedules of built-in models in the banks of each
//   poet_bank_bench squares [SEED]   look-alikes of MiniMalloc's instances, in one bank and in two

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/stopwatch.hpp"
#include "poet/banks.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/simulate.hpp"
#include "poet/solve.hpp"
#include "support/banked.hpp"
#include "support/random_buffers.hpp"

namespace {

using namespace poet;

/// Ends the program if the judge of placements finds anything wrong in a bank.
void expect_valid(const BankProblem& problem, const BankedOffsets& placement) {
  const std::vector<std::string> faults = test::faults_in_banks(problem, placement);
  if (!faults.empty()) throw std::runtime_error(faults.front());
}

/// How much more a greedy placement costs, in per cent; a dash if it does not fit.
std::string greedy_text(const BankProblem& problem, BankOrder order, double cost) {
  const BankPlacement greedy = place_greedily_in_banks(problem, order);
  if (greedy.status != PlacementStatus::fits) return "-";
  return fmt::format("+{:.1f} %", 100 * (greedy.cost / cost - 1));
}

/// The program of a schedule in the banks of a platform, by time. The reserve takes the end of the
/// last ones, and parameters are elsewhere.
BankProblem bank_problem(const Graph& graph, const Schedule& schedule, const Platform& platform) {
  const std::vector<Instruction> program = to_program(graph, schedule, PagingTime::blocking);
  const ProgramBuffers lifetimes = program_buffers(graph, program);
  BankProblem problem{.buffers = lifetimes.buffers,
                      .traffic = program_traffic(graph, program, lifetimes),
                      .pinned = {},
                      .banks = {},
                      .alignment = 4};
  Bytes reserve = platform.reserve_bytes;
  for (const MemoryBank& bank : platform.banks) {
    problem.banks.push_back({.bytes = bank.bytes, .cost_per_byte = 1 / bank.bytes_per_second});
  }
  for (auto bank = problem.banks.rbegin(); bank != problem.banks.rend(); ++bank) {
    const Bytes taken = std::min(reserve, bank->bytes);
    bank->bytes -= taken;
    reserve -= taken;
  }
  return problem;
}

/// Returns whether a schedule was placed, after as many solves in less RAM as that takes.
bool place_model(const std::string& name, const Platform& platform) {
  constexpr int kMostSolves = 10;
  const Model model = load_model(name, 1, Backward::exact);
  Problem problem{.graph = cost_graph(model, &platform), .limits = {}};
  const Baseline base = baseline(problem.graph);
  Bytes& budget = problem.limits.ram_budget_bytes;
  budget = std::min(base.peak_ram_bytes, *platform.ram_bytes - platform.reserve_bytes);
  problem.limits.runtime_budget_seconds = 2 * base.runtime_seconds;
  problem.limits.paging_time = PagingTime::blocking;
  const Bytes least = working_set(problem.graph).bytes;
  if (least > budget) {
    fmt::print("{:<22} needs {} bytes at once\n", name, least);
    return false;
  }
  SolveOptions options;
  options.settings.effort = Effort::fast;
  options.settings.time_limit_seconds = 4;
  for (int solves = 1; solves <= kMostSolves; ++solves) {
    const SolveResult result = solve(problem, options);
    if (!result.schedule) {
      fmt::print("{:<22} no schedule within {} bytes, {} of which it needs at once\n", name, budget,
                 least);
      return false;
    }
    const BankProblem banks = bank_problem(problem.graph, *result.schedule, platform);
    const Stopwatch watch;
    const BankPlacement found = place_in_banks(banks);
    const Seconds seconds = watch.elapsed();
    if (found.status == PlacementStatus::fits) {
      expect_valid(banks, found.placement);
      fmt::print("{:<22} {:>8} {:>7} {:>6} {:>11.4f} {:>9} {:>9} {:>8.2f} % {:>7.2f}\n", name,
                 budget, banks.buffers.size(), solves, 1000 * found.cost,
                 greedy_text(banks, BankOrder::size, found.cost),
                 greedy_text(banks, BankOrder::traffic, found.cost),
                 100 * (1 - found.bound / found.cost), seconds);
      std::fflush(stdout);
      return true;
    }
    budget = std::min(budget, peak_bytes(banks.buffers, banks.alignment)) - found.missing_bytes;
  }
  fmt::print("{:<22} not placed after {} solves\n", name, kMostSolves);
  return false;
}

int run_schedules(const std::vector<std::string>& platforms) {
  constexpr std::array kModels = {"linear",
                                  "ds_cnn",
                                  "vgg16_cifar",
                                  "resnet18_cifar",
                                  "mcunet_vww",
                                  "mobilenet_v2_035_96",
                                  "mobilenet_v2_035_128",
                                  "gpt2_tiny",
                                  "vit_tiny",
                                  "transformer",
                                  "unet_small"};
  fmt::print("{:<22} {:>8} {:>7} {:>6} {:>11} {:>9} {:>9} {:>10} {:>7}\n", "model", "budget",
             "buffers", "solves", "ms in banks", "by size", "by traffic", "bound", "s");
  int placed = 0;
  for (const std::string& name : platforms) {
    Platform platform = load_platform(name);
    for (const int bytes : {4, 1}) {
      platform.element_bytes = bytes;
      fmt::print("{}, elements of {} bytes:\n", platform.name, bytes);
      for (const char* const model : kModels) placed += place_model(model, platform) ? 1 : 0;
    }
  }
  fmt::print("{} placed\n", placed);
  return placed >= 10 ? 0 : 1;
}

/// In one bank of the whole square it is the search for offsets; then in a quick bank of a quarter
/// and a slow one of the whole, with traffic of a few times each buffer's bytes.
int run_squares(std::uint64_t seed) {
  constexpr Bytes kSquare = Bytes{test::CutSquare::kSide} * test::CutSquare::kUnit;
  constexpr Seconds kMostSeconds = 20;
  fmt::print("{:>8} {:>8} {:>10} {:>8} {:>10} {:>8} {:>9} {:>9} {:>10}\n", "buffers", "place s",
             "one bank s", "same", "two banks s", "fits", "by size", "by traffic", "bound");
  bool fine = true;
  for (const auto& [count, percent] : test::kPublicInstances) {
    test::Twister random(seed + static_cast<std::uint64_t>(count));
    BankProblem problem{.buffers = test::CutSquare(random).cut(count, percent)};
    for (const Buffer& buffer : problem.buffers) {
      problem.traffic.push_back(buffer.bytes * test::draw(random, 1, 8));
    }
    Stopwatch watch;
    const PlacementResult alone =
        place(problem.buffers, {.capacity_bytes = kSquare}, {.seconds = kMostSeconds});
    const Seconds place_seconds = watch.elapsed();
    problem.banks = {{.bytes = kSquare, .cost_per_byte = 1}};
    watch = Stopwatch();
    const BankPlacement one = place_in_banks(problem, {.seconds = kMostSeconds});
    const Seconds one_seconds = watch.elapsed();
    problem.banks = {{.bytes = kSquare / 4, .cost_per_byte = 1},
                     {.bytes = kSquare, .cost_per_byte = 4}};
    watch = Stopwatch();
    const BankPlacement two = place_in_banks(problem, {.seconds = kMostSeconds});
    const Seconds two_seconds = watch.elapsed();
    const bool fits = two.status == PlacementStatus::fits;
    if (one.status == PlacementStatus::fits) fine = fine && one.placement.banks.front() == 0;
    const bool same = one.status == alone.status;
    fine = fine && fits && same;
    if (fits) expect_valid(problem, two.placement);
    fmt::print("{:>8} {:>8.2f} {:>10.2f} {:>8} {:>10.2f} {:>8} {:>9} {:>9} {:>8.2f} %\n", count,
               place_seconds, one_seconds, same ? "yes" : "no", two_seconds, fits ? "yes" : "no",
               fits ? greedy_text(problem, BankOrder::size, two.cost) : "-",
               fits ? greedy_text(problem, BankOrder::traffic, two.cost) : "-",
               fits ? 100 * (1 - two.bound / two.cost) : 0.0);
    std::fflush(stdout);
  }
  return fine ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "schedules" && argc > 2) return run_schedules({argv + 2, argv + argc});
    if (what == "squares") return run_squares(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0);
    fmt::print(stderr,
               "poet_bank_bench: found '{}', expected schedules and platforms, or squares\n", what);
  } catch (const std::exception& error) {
    fmt::print(stderr, "poet_bank_bench: {}\n", error.what());
  }
  return 2;
}

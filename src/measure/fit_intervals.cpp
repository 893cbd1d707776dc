// Intervals of rates out of repeated measurements. A median hides how far the times of one
// instruction lie apart, and a schedule that just keeps its runtime budget with medians may not
// keep it with the slower half. Quartiles and not extremes: an interrupt
// makes a single line longer. Powers are not measured here, so energies get no intervals.

#include "measure/fit_intervals.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text/escape.hpp"

namespace poet {
namespace {

constexpr std::size_t kFewest = 4;  // times of which quartiles mean anything

/// FLOPs of some nodes, and the sums of their quickest and slowest usual times.
struct SpreadWork {
  double flop = 0;
  Spread seconds;

  void add(double more, const Spread& spread) {
    flop += more;
    seconds.least += spread.least;
    seconds.most += spread.most;
  }
};

void add_interval(Platform& platform, const std::string& figure, const SpreadWork& work) {
  if (!(work.flop > 0 && work.seconds.least > 0 && work.seconds.least < work.seconds.most)) return;
  const double low = work.flop / work.seconds.most;
  const double high = work.flop / work.seconds.least;
  if (low < high) platform.intervals.push_back({.figure = figure, .low = low, .high = high});
}

void add_sources(Platform& platform, const std::string& how, const std::string& board) {
  const std::string measured = fmt::format("measured by {}", how);
  const std::string given = fmt::format("as the platform '{}' has it", board);
  platform.standing = Standing::measured;
  platform.sources = {{"/flops_per_second", measured},
                      {"/flops_per_joule", "the rate by the power of " + board},
                      {"/page_in", measured + "; its power: " + given},
                      {"/page_out", measured + "; its power: " + given},
                      {"/memory_power_watts", given}};
  const auto add_if = [&](bool is_there, const char* figure, const std::string& text) {
    if (is_there) platform.sources[figure] = text;
  };
  add_if(!platform.ops.empty(), "/ops", measured + "; FLOP/J: the rate by the power of " + board);
  add_if(platform.memory_bytes_per_second.has_value(), "/memory_bytes_per_second", measured);
  add_if(platform.cpu_power_watts != 0, "/cpu_power_watts", given);
  add_if(platform.ram_bytes.has_value(), "/ram_bytes", given);
  add_if(platform.block_bytes.has_value(), "/block_bytes", given);
  add_if(platform.storage_bytes.has_value(), "/storage_bytes", given);
  add_if(platform.erase_cycles.has_value(), "/erase_cycles", given);
  add_if(platform.reserve_bytes != 0, "/reserve_bytes", given);
  add_if(platform.flash_bytes.has_value(), "/flash_bytes", given);
}

}  // namespace

Spread spread(std::vector<Seconds> times) {
  std::sort(times.begin(), times.end());
  if (times.size() < kFewest) return {.least = times.front(), .most = times.back()};
  const auto quartile = [&](std::size_t quarter) {
    const std::size_t position = quarter * (times.size() - 1);  // in quarters of a place
    const Seconds below = times[position / 4];
    const Seconds above = times[std::min(position / 4 + 1, times.size() - 1)];
    return below + (above - below) * static_cast<double>(position % 4) / 4;
  };
  return {.least = quartile(1), .most = quartile(3)};
}

void add_intervals(Platform& platform, const Model& model, const Graph& graph,
                   std::span<const Instruction> program, const InstructionTimes& times,
                   const std::string& how, const std::string& board) {
  InstructionTimes by_node(graph.nodes.size());
  for (std::size_t at = 0; at < program.size(); ++at) {
    if (program[at].op != Instruction::Op::compute) continue;
    std::vector<Seconds>& all = by_node[static_cast<std::size_t>(program[at].node)];
    all.insert(all.end(), times[at].begin(), times[at].end());
  }
  std::map<std::string, SpreadWork> by_op;
  SpreadWork whole;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const auto flop = static_cast<double>(model.nodes[i].flop);
    if (!(flop > 0) || by_node[i].empty()) continue;
    const Spread usual = spread(std::move(by_node[i]));
    by_op[model.nodes[i].op].add(flop, usual);
    whole.add(flop, usual);
  }
  add_interval(platform, "/flops_per_second", whole);
  for (const auto& [op, work] : by_op) {
    const auto rates = platform.ops.find(op);
    if (rates == platform.ops.end() || !rates->second.flops_per_second) continue;
    add_interval(platform, fmt::format("/ops/{}/flops_per_second", pointer_token(op)), work);
  }
  add_sources(platform, how, board);
}

}  // namespace poet

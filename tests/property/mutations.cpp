#include "mutations.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace poet::test {
namespace {

/// Where a replay with these limits has its highest peak first.
int worst_stage(const Replay& replay) {
  const std::vector<Bytes>& peaks = replay.stage_peak_ram_bytes;
  return static_cast<int>(std::max_element(peaks.begin(), peaks.end()) - peaks.begin());
}

Replay replay_of(const ScheduleFile& file) {
  return simulate(file.graph, file.schedule, file.request.limits);
}

std::string rule_at(Rule rule, int stage) {
  return fmt::format("{} in stage {}:", rule_name(rule), stage);
}

/// What must be found after a change there.
std::string finding_at(const Mutation& mutation, const Spot& spot) {
  if (const auto* const said = std::get_if<std::string_view>(&mutation.expected)) {
    return std::string(*said);
  }
  const Rule rule = std::get<Rule>(mutation.expected);
  const bool is_of_whole = rule == Rule::runtime || rule == Rule::storage;
  return rule_at(rule, is_of_whole ? -1 : spot.t);
}

}  // namespace

std::optional<Instruction> at_peak(const Spot& spot) {
  if (!in<&Stage::compute>(spot)) return {};
  const Replay replay = replay_of(*spot.file);
  if (spot.t != worst_stage(replay)) return {};
  const PagingTime time = spot.limits().paging_time;
  const std::vector<RamSample> samples = ram_timeline(spot.graph(), spot.file->schedule, time);
  auto sample = samples.begin();
  for (const Instruction& step : to_program(spot.graph(), spot.file->schedule, time)) {
    if (step.op != Instruction::Op::compute) continue;
    if (sample->stage == spot.t && step.node == spot.node &&
        sample->ram_bytes == replay.peak_ram_bytes) {
      return step;
    }
    ++sample;
  }
  return {};
}

bool is_worst_stage(const Spot& spot) {
  return spot.node == spot.t && spot.t == worst_stage(replay_of(*spot.file));
}

std::optional<Spot> mutate(Twister& random, const Mutation& mutation, ScheduleFile& file) {
  std::vector<Spot> spots;
  const auto offer = [&](const Spot& spot) {
    if (mutation.applies(spot)) spots.push_back(spot);
  };
  if (std::holds_alternative<Rule>(mutation.expected)) {
    for (int t = 0; t < file.graph.size(); ++t) {
      for (int node = 0; node < file.graph.size(); ++node) offer({&file, t, node});
    }
  } else {
    for (std::size_t at = 0; at < file.program.size(); ++at) offer({&file, 0, 0, at});
  }
  if (spots.empty()) return {};
  Spot spot = pick(random, spots);
  mutation.change(spot, random);
  return spot;
}

std::optional<Corrupted> corrupt(Twister& random, const Mutation& mutation) {
  constexpr int kTries = 5000;
  for (int tried = 0; tried < kTries; ++tried) {
    ScheduleFile file = mutation.draw_file(random);
    const auto spot = mutate(random, mutation, file);
    if (spot) return Corrupted{std::move(file), finding_at(mutation, *spot)};
  }
  return {};
}

std::vector<std::string> findings(const Mutation& mutation, const ScheduleFile& file) {
  if (!std::holds_alternative<Rule>(mutation.expected)) return verify_schedule_file(file);
  std::vector<std::string> found;
  for (const Violation& violation : replay_of(file).violations) {
    found.push_back(rule_at(violation.rule, violation.stage) + ' ' + violation.message);
  }
  return found;
}

std::uint64_t seed_of_run() {
  const char* const text = std::getenv("POET_SEED");
  return text == nullptr ? 20220716 : std::strtoull(text, nullptr, 10);
}

}  // namespace poet::test

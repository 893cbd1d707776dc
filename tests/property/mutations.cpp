#include "mutations.hpp"

#include <cstdlib>

#include <fmt/format.h>

namespace poet::test {
namespace {

std::string rule_at(Rule rule, int stage) {
  return fmt::format("{} in stage {}:", rule_name(rule), stage);
}

/// What must be found after a change there.
std::string finding_at(const Mutation& mutation, const Spot& spot) {
  if (const auto* const said = std::get_if<std::string_view>(&mutation.rule)) {
    return std::string(*said);
  }
  const Rule rule = std::get<Rule>(mutation.rule);
  const bool is_of_whole = rule == Rule::runtime || rule == Rule::storage;
  return rule_at(rule, is_of_whole ? -1 : spot.t);
}

}  // namespace

std::optional<Spot> mutate(Twister& random, const Mutation& mutation, ScheduleFile& file) {
  std::vector<Spot> spots;
  const auto offer = [&](const Spot& spot) {
    if (mutation.occasion(spot)) spots.push_back(spot);
  };
  if (std::holds_alternative<Rule>(mutation.rule)) {
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
  if (!std::holds_alternative<Rule>(mutation.rule)) return verify_schedule_file(file);
  std::vector<std::string> found;
  const Replay replay = simulate(file.graph, file.schedule, file.request.limits);
  for (const Violation& violation : replay.violations) {
    found.push_back(rule_at(violation.rule, violation.stage) + ' ' + violation.message);
  }
  return found;
}

std::uint64_t seed_of_run() {
  const char* const text = std::getenv("POET_SEED");
  return text == nullptr ? 20220716 : std::strtoull(text, nullptr, 10);
}

}  // namespace poet::test

// Mistakes that only the rules of graphs beyond POET's know.
#include <algorithm>
#include <optional>
#include <vector>

#include "mutations.hpp"
#include "spots.hpp"
#include "support/random_exact_schedules.hpp"

namespace poet::test {
namespace {

using Result = std::optional<Expected>;

int worst_stage(const Replay& replay) {
  const std::vector<Bytes>& peaks = replay.stage_peak_ram_bytes;
  return static_cast<int>(std::max_element(peaks.begin(), peaks.end()) - peaks.begin());
}

Replay replay_of(const Case& made) {
  return simulate(made.graph, made.schedule, made.limits);
}

/// A computation at the peak of all RAM, and the input that it takes over.
struct Peak {
  int stage = 0;
  int node = 0;
  std::optional<int> over;
};

/// The computations of the stage with the highest peak that reach it.
std::vector<Peak> at_peak(const Case& made) {
  const Replay replay = replay_of(made);
  const std::vector<RamSample> samples =
      ram_timeline(made.graph, made.schedule, made.limits.paging_time);
  std::vector<Peak> peaks;
  std::size_t next = 0;
  for (const Instruction& step : to_program(made.graph, made.schedule, made.limits.paging_time)) {
    if (step.op != Instruction::Op::compute) continue;
    const RamSample& sample = samples[next++];
    if (sample.stage == worst_stage(replay) && sample.ram_bytes == replay.peak_ram_bytes) {
      peaks.push_back({.stage = sample.stage, .node = step.node, .over = step.over});
    }
  }
  return peaks;
}

/// A random computation at the peak that takes over an input with bytes.
std::optional<Peak> take_over_at_peak(Random& random, const Case& made) {
  std::vector<Peak> peaks = at_peak(made);
  std::erase_if(peaks, [&](const Peak& peak) {
    return !peak.over || made.graph.nodes[*peak.over].bytes == 0;
  });
  if (peaks.empty()) return {};
  return pick(random, peaks);
}

Result forbid_to_take_over(Random& random, Case& made) {
  const auto peak = take_over_at_peak(random, made);
  if (!peak) return {};
  made.graph.nodes[peak->node].in_place.reset();
  return Expected{Rule::ram, peak->stage};
}

Result keep_what_is_taken_over(Random& random, Case& made) {
  const auto peak = take_over_at_peak(random, made);
  if (!peak || peak->stage + 1 == made.graph.size()) return {};
  insert_sorted(made.schedule.stages[peak->stage + 1].resident, *peak->over);
  return Expected{Rule::ram, peak->stage};
}

Result write_out_what_is_taken_over(Random& random, Case& made) {
  if (made.limits.paging_time != PagingTime::overlapped) return {};
  const auto peak = take_over_at_peak(random, made);
  if (!peak || !has(made.schedule.stages[peak->stage].resident, *peak->over)) return {};
  insert_sorted(made.schedule.stages[peak->stage].page_out, *peak->over);
  return Expected{Rule::ram, peak->stage};
}

Result enlarge_the_workspace_at_the_peak(Random& random, Case& made) {
  const std::vector<Peak> peaks = at_peak(made);
  if (peaks.empty()) return {};
  const Peak peak = pick(random, peaks);
  made.graph.nodes[peak.node].workspace_bytes += draw(random, 1, 1000);
  return Expected{Rule::ram, peak.stage};
}

Result take_one_byte_of_ram(Random&, Case& made) {
  if (made.limits.ram_budget_bytes == 0) return {};
  made.limits.ram_budget_bytes -= 1;
  return Expected{Rule::ram, worst_stage(replay_of(made))};
}

Result enlarge_what_arrives_at_the_peak(Random& random, Case& made) {
  const int worst = worst_stage(replay_of(made));
  const std::vector<int>& arriving = made.schedule.stages[worst].page_in;
  if (made.limits.paging_time != PagingTime::overlapped || arriving.empty()) return {};
  const int node = pick(random, arriving);
  // What has another size is not taken over, which would be another mistake.
  for (Node& user : made.graph.nodes) {
    if (user.in_place == node) return {};
  }
  made.graph.nodes[node].in_place.reset();
  made.graph.nodes[node].bytes += draw(random, 1, 1000);
  return Expected{Rule::ram, worst};
}

Result recompute_what_is_computed_once(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [](int t, const Stage& stage, int node) {
    return node != t && has(stage.compute, node);
  });
  if (!spot) return {};
  made.graph.nodes[spot->node].recompute = false;
  return Expected{Rule::once, spot->stage};
}

Result read_parameters_after_their_update(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [](int t, const Stage& stage, int node) {
    return node + 1 < t && has(stage.compute, node);
  });
  if (!spot) return {};
  const int writer = draw(random, spot->node + 1, spot->stage - 1);
  made.graph.nodes[spot->node].reads_parameters.emplace_back("changed");
  made.graph.nodes[writer].writes_parameters.emplace_back("changed");
  return Expected{Rule::once, spot->stage};
}

Result page_out_what_may_not_be_paged(Random& random, Case& made) {
  const auto spot = find_spot(
      random, made, [](int, const Stage& stage, int node) { return has(stage.page_out, node); });
  if (!spot) return {};
  made.graph.nodes[spot->node].page = false;
  return Expected{Rule::once, spot->stage};
}

Result page_in_what_may_not_be_paged(Random& random, Case& made) {
  const auto spot = find_spot(
      random, made, [](int, const Stage& stage, int node) { return has(stage.page_in, node); });
  if (!spot) return {};
  made.graph.nodes[spot->node].page = false;
  return Expected{Rule::once, spot->stage};
}

Result slow_a_transfer_down(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [](int, const Stage& stage, int node) {
    return has(stage.page_out, node) || has(stage.page_in, node);
  });
  if (!spot || made.limits.paging_time == PagingTime::free) return {};
  const bool out = has(made.schedule.stages[spot->stage].page_out, spot->node);
  Node& node = made.graph.nodes[spot->node];
  // Beside computations a transfer is not charged before it takes longer than they do.
  (out ? node.page_out_seconds : node.page_in_seconds) += 1e6;
  return Expected{Rule::runtime, -1};
}

Result take_some_of_the_time(Random& random, Case& made) {
  made.limits.runtime_budget_seconds *= 1 - 1e-7 * draw(random, 1, 1'000'000);
  return Expected{Rule::runtime, -1};
}

Result take_one_byte_of_storage(Random&, Case& made) {
  const Bytes copies = replay_of(made).storage_bytes;
  if (copies == 0) return {};
  made.limits.storage_budget_bytes = copies - 1;
  return Expected{Rule::storage, -1};
}

Result take_one_byte_of_what_may_be_written(Random&, Case& made) {
  const Bytes written = replay_of(made).written_bytes;
  if (written == 0) return {};
  made.limits.page_out_budget_bytes = written - 1;
  return Expected{Rule::storage, -1};
}

Result write_out_once_more(Random& random, Case& made) {
  const auto spot = find_spot(random, made, [&](int, const Stage& stage, int node) {
    return has(stage.resident, node) && !has(stage.page_out, node) &&
           bytes_in_storage(made.graph.nodes[node]) > 0;
  });
  if (!spot) return {};
  made.limits.page_out_budget_bytes = replay_of(made).written_bytes;
  insert_sorted(made.schedule.stages[spot->stage].page_out, spot->node);
  return Expected{Rule::storage, -1};
}

#define POET_MUTATION(function) \
  { .name = #function, .apply = function, .draw_case = random_exact_case }

constexpr Mutation kMutations[] = {
    POET_MUTATION(forbid_to_take_over),
    POET_MUTATION(keep_what_is_taken_over),
    POET_MUTATION(write_out_what_is_taken_over),
    POET_MUTATION(enlarge_the_workspace_at_the_peak),
    POET_MUTATION(take_one_byte_of_ram),
    POET_MUTATION(enlarge_what_arrives_at_the_peak),
    POET_MUTATION(recompute_what_is_computed_once),
    POET_MUTATION(read_parameters_after_their_update),
    POET_MUTATION(page_out_what_may_not_be_paged),
    POET_MUTATION(page_in_what_may_not_be_paged),
    POET_MUTATION(slow_a_transfer_down),
    POET_MUTATION(take_some_of_the_time),
    POET_MUTATION(take_one_byte_of_storage),
    POET_MUTATION(take_one_byte_of_what_may_be_written),
    POET_MUTATION(write_out_once_more),
};

#undef POET_MUTATION

}  // namespace

std::span<const Mutation> exact_mutations() {
  return kMutations;
}

}  // namespace poet::test

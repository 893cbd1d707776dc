#include "measure/profile.hpp"

#include <algorithm>
#include <set>

#include "base/stopwatch.hpp"
#include "execute/compute.hpp"
#include "execute/page_file.hpp"
#include "execute/scheduled_step.hpp"

namespace poet {
namespace {

constexpr int kLeastRuns = 5;
constexpr int kMostRuns = 50;
constexpr Seconds kEnough = 3;
constexpr std::size_t kMostSizes = 12;

/// The sizes of tensors in storage, no more than a few of them, spread over all.
std::vector<Bytes> sizes_in_storage(const Graph& graph) {
  std::set<Bytes> all;
  for (const Node& node : graph.nodes) {
    if (node.bytes > 0) all.insert(bytes_in_storage(node));
  }
  std::vector<Bytes> sizes(all.begin(), all.end());
  if (sizes.size() <= kMostSizes) return sizes;
  std::vector<Bytes> few;
  for (std::size_t i = 0; i < kMostSizes; ++i) {
    few.push_back(sizes[i * (sizes.size() - 1) / (kMostSizes - 1)]);
  }
  return few;
}

}  // namespace

InstructionTimes profile_program(const TrainingStep& step, const Graph& graph,
                                 std::span<const Instruction> program, Bytes alignment,
                                 const RunSettings& settings, const GivenData& given) {
  PageFile pages(settings.storage, settings.sync);
  ScheduledStep scheduled(step, graph, program, alignment, false, settings.paging_time,
                          settings.banks);
  TrainingState start = initial_state(step, settings.seed);
  apply(step, given, start);
  TrainingState state = start;
  scheduled.run(state, pages);
  InstructionTimes times(program.size());
  const Stopwatch watch;
  for (int run = 0; run < std::max(settings.steps, kMostRuns); ++run) {
    if (run >= std::max(settings.steps, kLeastRuns) && watch.elapsed() > kEnough) break;
    state = start;
    scheduled.run(state, pages);
    std::size_t next = 0;
    for (std::size_t at = 0; at < program.size(); ++at) {
      if (program[at].op == Instruction::Op::move) continue;
      times[at].push_back(scheduled.instruction_seconds()[next++]);
    }
  }
  return times;
}

PageTimes time_page_file(const Graph& graph, const RunSettings& settings) {
  PageFile pages(settings.storage, settings.sync);
  PageTimes result;
  for (const Bytes bytes : sizes_in_storage(graph)) {
    std::vector<std::byte> tensor(static_cast<std::size_t>(bytes), std::byte{1});
    std::vector<Seconds> out;
    std::vector<Seconds> in;
    for (int run = 0; run <= kLeastRuns; ++run) {
      const Stopwatch writing;
      pages.write(0, tensor.data(), bytes);
      const Seconds written = writing.elapsed();
      const Stopwatch reading;
      pages.read(0, tensor.data(), bytes);
      const Seconds read = reading.elapsed();
      if (run == 0) continue;  // the file grows
      out.push_back(written);
      in.push_back(read);
    }
    result.out.push_back({bytes, median(std::move(out))});
    result.in.push_back({bytes, median(std::move(in))});
  }
  return result;
}

}  // namespace poet

// What pictures draw as numbers, for those who draw them anew. A paper has fonts and line widths of
// its own, and its authors know matplotlib or pgfplots; both read CSV with a line of keys. Units
// are bytes, joules and seconds as everywhere, with all digits, and overheads are shares: axes of
// percent are a matter of style.

#include "pictures/figure_data.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/text/escape.hpp"
#include "report/fields.hpp"
#include "schedule/lifetimes.hpp"

namespace poet {
namespace {

/// What runs between the beginning of a stage and its end takes, as rule 6 counts it.
struct StageTime {
  Seconds before = 0;  ///< page-outs, if computing waits for them
  Seconds after = 0;   ///< page-ins likewise; what transfers beside computing add
};

StageTime time_of_transfers(const Graph& graph, const Stage& stage, PagingTime paging_time) {
  Seconds out = 0;
  Seconds in = 0;
  Seconds computing = 0;
  for (const int node : stage.page_out) out += graph.nodes[node].page_out_seconds;
  for (const int node : stage.page_in) in += graph.nodes[node].page_in_seconds;
  for (const int node : stage.compute) computing += graph.nodes[node].runtime_seconds;
  if (paging_time == PagingTime::free) return {};
  if (paging_time == PagingTime::blocking) return {.before = out, .after = in};
  return {.after = std::max(out + in - computing, 0.0)};
}

std::string empty_or(bool is_there, double value) {
  return is_there ? fmt::format("{}", value) : std::string();
}

}  // namespace

std::string schedule_data(const ScheduleFile& file) {
  const Graph& graph = file.graph;
  const PagingTime paging_time = file.request.limits.paging_time;
  const ScheduleTimeline timeline = make_timeline(graph, file.schedule, paging_time);
  std::vector<std::map<Arrival, Bytes>> bytes(timeline.columns.size());
  for (int node = 0; node < graph.size(); ++node) {
    for (const Stay& stay : timeline.lives[node].stays) {
      for (int c = stay.first; c <= stay.last; ++c) {
        bytes[c][stay.arrival] += graph.nodes[node].bytes;
      }
    }
  }
  std::string text =
      "computation,stage,node,name,op,recomputed,start_seconds,end_seconds,energy_joules,ram_bytes,"
      "computed_bytes,recomputed_bytes,paged_in_bytes,workspace_bytes\n";
  Seconds now = 0;
  Joules spent = 0;
  std::size_t c = 0;
  for (const Stage& stage : file.schedule.stages) {
    const StageTime transfers = time_of_transfers(graph, stage, paging_time);
    now += transfers.before;
    for (const int node : stage.compute) {
      const Node& tensor = graph.nodes[node];
      const RamSample& sample = timeline.columns[c];
      const bool is_last = node == stage.compute.back();
      spent += tensor.energy_joules;
      if (is_last) {
        for (const int out : stage.page_out) spent += graph.nodes[out].page_out_energy_joules;
        for (const int in : stage.page_in) spent += graph.nodes[in].page_in_energy_joules;
      }
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", c, sample.stage, node,
          csv_field(tensor.name), csv_field(tensor.op), node == sample.stage ? 0 : 1, now,
          now + tensor.runtime_seconds, spent, sample.ram_bytes, bytes[c][Arrival::computed],
          bytes[c][Arrival::recomputed], bytes[c][Arrival::paged_in], tensor.workspace_bytes);
      now += tensor.runtime_seconds;
      ++c;
    }
    now += transfers.after;
  }
  return text;
}

std::string curve_data(std::span<const CurvePoint> points) {
  std::string text =
      "model,platform,techniques,runtime_budget_ratio,ram_budget_bytes,status,overhead,"
      "bound_overhead,energy_joules,lower_bound_joules,baseline_energy_joules\n";
  for (const CurvePoint& point : points) {
    const bool solved = point.status == Status::optimal || point.status == Status::feasible;
    const Joules baseline = point.baseline_energy_joules;
    const auto overhead = [&](Joules energy) { return baseline > 0 ? energy / baseline - 1 : 0; };
    const bool bounded = solved || point.lower_bound_joules > 0;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", csv_field(point.model),
                        csv_field(point.platform), csv_field(point.techniques),
                        point.runtime_budget_ratio, point.ram_budget_bytes, name_of(point.status),
                        empty_or(solved, overhead(point.energy_joules)),
                        empty_or(bounded, overhead(point.lower_bound_joules)),
                        empty_or(solved, point.energy_joules),
                        empty_or(bounded, point.lower_bound_joules), baseline);
  }
  return text;
}

}  // namespace poet

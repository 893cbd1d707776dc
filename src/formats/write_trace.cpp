// The Trace Event Format of Chrome. Perfetto and speedscope read it, and other runtimes write their
// memory plans in it, so that one viewer shows both. The clock is the one that the runtime budget
// counts: free transfers are there, but take no time.
//
// RAM is sampled at the start of each computation, which is what rule 5 of docs/schedule-format.md
// counts; between two samples tensors only go.
//
// Viewers rebuild which event is inside which from starts and durations alone. So times are on a
// grid on which sums are exact, or the next computation would begin before the last one ends, by a
// rounding; and what takes no time is an instant, as an empty span at the start of another one is
// neither inside nor outside it. speedscope dropped such events with a complaint in the console.

#include "formats/write_trace.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/fields.hpp"
#include "formats/json/json_text.hpp"
#include "poet/simulate.hpp"
#include "report/fields.hpp"
#include "schedule/lifetimes.hpp"

namespace poet {

template <>
inline constexpr auto kNames<Arrival> =
    kWords<Arrival::computed, Arrival::recomputed, Arrival::paged_in>;

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;
constexpr int kProcess = 1;
enum Track { kComputations = 1, kTransfers = 2 };

/// When something happens, in seconds from the start of the step.
struct Span {
  Seconds start = 0;
  Seconds end = 0;
};

/// Steps per microsecond, a power of two: the finest with which a double holds any time of the step
/// exactly, and so the sum of a start and a duration.
double finest_grid(const Graph& graph, const Schedule& schedule) {
  Seconds longest = 0;  // if nothing runs beside anything else
  for (const Stage& stage : schedule.stages) {
    for (const int node : stage.compute) longest += graph.nodes[node].runtime_seconds;
    for (const int node : stage.page_out) longest += graph.nodes[node].page_out_seconds;
    for (const int node : stage.page_in) longest += graph.nodes[node].page_in_seconds;
  }
  constexpr int kBitsOfDoubles = 52;  // one is left for a rounding upwards
  return longest > 0 ? std::exp2(kBitsOfDoubles - 1 - std::ilogb(longest * kMicroseconds)) : 1;
}

class TraceWriter {
 public:
  explicit TraceWriter(const ScheduleFile& file)
      : file_(file),
        graph_(file.graph),
        paging_time_(file.request.limits.paging_time),
        timeline_(make_timeline(file.graph, file.schedule, paging_time_)),
        grid_(finest_grid(file.graph, file.schedule)) {}

  Json write() {
    add_name("process_name", 0, file_.model.name);
    add_name("thread_name", kComputations, "computations");
    add_name("thread_name", kTransfers, "page-outs and page-ins");
    for (int t = 0; t < static_cast<int>(file_.schedule.stages.size()); ++t) add_stage(t);
    add_ram();
    add_energy();
    add_lives();
    return {{"displayTimeUnit", "ms"},
            {"otherData", {{"model", file_.model.name}, {"status", name_of(file_.status)}}},
            {"traceEvents", std::move(events_)}};
  }

 private:
  /// In microseconds, on the grid.
  double timestamp(Seconds at) const { return std::round(at * kMicroseconds * grid_) / grid_; }

  Json& add(const char* phase, const std::string& name, Seconds at) {
    events_.push_back({{"ph", phase}, {"pid", kProcess}, {"name", name}, {"ts", timestamp(at)}});
    return events_.back();
  }

  void add_name(const char* what, int track, const std::string& name) {
    Json& event = add("M", what, 0);
    if (track > 0) event["tid"] = track;
    event["args"] = {{"name", name}};
  }

  void add_span(Track track, const char* category, const std::string& name, const Span& span,
                Json args) {
    const double duration = timestamp(span.end) - timestamp(span.start);
    Json& event = add(duration > 0 ? "X" : "i", name, span.start);
    if (duration > 0) {
      event["dur"] = duration;
    } else {
      event["s"] = "t";  // of its track
    }
    event["tid"] = static_cast<int>(track);
    event["cat"] = category;
    event["args"] = std::move(args);
  }

  /// Computing waits for transfers, or runs beside them, as the problem states.
  void add_stage(int t) {
    const Stage& stage = file_.schedule.stages[t];
    const bool beside = paging_time_ == PagingTime::overlapped;
    Seconds paged = now_;
    for (const int node : stage.page_out) paged = add_transfer(t, node, paged, true);
    if (beside) {
      for (const int node : stage.page_in) paged = add_transfer(t, node, paged, false);
    }
    Seconds computed = beside ? now_ : paged;
    for (const int node : stage.compute) computed = add_computation(t, node, computed);
    if (!beside) {
      for (const int node : stage.page_in) computed = add_transfer(t, node, computed, false);
    }
    now_ = std::max(computed, beside ? paged : computed);
  }

  /// Returns when it ends.
  Seconds add_computation(int t, int node, Seconds at) {
    const Node& tensor = graph_.nodes[node];
    const bool again = node != t;
    const Span span{at, at + tensor.runtime_seconds};
    add_span(kComputations, again ? "recompute" : "compute",
             again ? "recompute " + tensor.name : tensor.name, span,
             {{"op", tensor.op},
              {"stage", t},
              {"energy_joules", tensor.energy_joules},
              {"bytes", tensor.bytes},
              {"ram_bytes", timeline_.columns[columns_.size()].ram_bytes}});
    columns_.push_back(span);
    spent_.emplace_back(span.end, tensor.energy_joules);
    return span.end;
  }

  Seconds add_transfer(int t, int node, Seconds at, bool out) {
    const Node& tensor = graph_.nodes[node];
    const Seconds takes = out ? tensor.page_out_seconds : tensor.page_in_seconds;
    const Joules energy = out ? tensor.page_out_energy_joules : tensor.page_in_energy_joules;
    const Span span{at, paging_time_ == PagingTime::free ? at : at + takes};
    add_span(kTransfers, out ? "page-out" : "page-in",
             (out ? "page out " : "page in ") + tensor.name, span,
             {{"stage", t}, {"energy_joules", energy}, {"bytes", tensor.bytes}});
    spent_.emplace_back(span.end, energy);
    return span.end;
  }

  /// By how tensors came, and what computations hold besides.
  void add_ram() {
    std::vector<std::map<Arrival, Bytes>> bytes(columns_.size());
    for (int node = 0; node < graph_.size(); ++node) {
      for (const Stay& stay : timeline_.lives[node].stays) {
        for (int c = stay.first; c <= stay.last; ++c)
          bytes[c][stay.arrival] += graph_.nodes[node].bytes;
      }
    }
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      Json args;
      for (const auto& [arrival, word] : kNames<Arrival>)
        args[std::string(word)] = bytes[c][arrival];
      args["workspace"] = graph_.nodes[timeline_.columns[c].node].workspace_bytes;
      add("C", "RAM in bytes", columns_[c].start)["args"] = std::move(args);
    }
  }

  void add_energy() {
    std::stable_sort(spent_.begin(), spent_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    Joules sum = 0;
    for (const auto& [at, joules] : spent_) {
      sum += joules;
      add("C", "energy in joules", at)["args"] = {{"spent", sum}};
    }
  }

  void add_lives() {
    const std::vector<std::vector<Bytes>> offsets = offsets_of_arrivals();
    for (int node = 0; node < graph_.size(); ++node) {
      const std::vector<Stay>& stays = timeline_.lives[node].stays;
      for (std::size_t s = 0; s < stays.size(); ++s) {
        if (stays[s].last < stays[s].first) continue;  // it is taken over as it comes
        Json args{{"bytes", graph_.nodes[node].bytes}, {"arrival", name_of(stays[s].arrival)}};
        if (s < offsets[node].size()) args["offset"] = offsets[node][s];
        add_life(node, columns_[stays[s].first].start, columns_[stays[s].last].end, args);
      }
    }
  }

  void add_life(int node, Seconds from, Seconds until, const Json& args) {
    ++life_;
    for (const auto& [phase, at] : {std::pair{"b", from}, std::pair{"e", until}}) {
      Json& event = add(phase, graph_.nodes[node].name, at);
      event["cat"] = "tensor";
      event["id"] = life_;
      if (*phase == 'b') event["args"] = args;
    }
  }

  /// By node and by stay: where a tensor is put when it comes. Empty without offsets.
  std::vector<std::vector<Bytes>> offsets_of_arrivals() const {
    std::vector<std::vector<Bytes>> offsets(graph_.nodes.size());
    for (const Instruction& step : file_.program) {
      const bool arrives =
          step.op == Instruction::Op::compute || step.op == Instruction::Op::page_in;
      if (arrives && step.offset) offsets[step.node].push_back(*step.offset);
    }
    return offsets;
  }

  const ScheduleFile& file_;
  const Graph& graph_;
  PagingTime paging_time_;
  ScheduleTimeline timeline_;
  double grid_ = 1;
  Json events_ = Json::array();
  Seconds now_ = 0;            // the end of the last stage
  std::vector<Span> columns_;  // by computation
  std::vector<std::pair<Seconds, Joules>> spent_;
  int life_ = 0;
};

}  // namespace

std::string schedule_trace(const ScheduleFile& file) {
  return json_write(TraceWriter(file).write(), false);
}

}  // namespace poet

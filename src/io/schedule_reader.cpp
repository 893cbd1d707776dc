#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "io/json/json_cursor.hpp"
#include "io/json/json_text.hpp"
#include "io/schedule_json.hpp"
#include "io/text/shown.hpp"
#include "poet/error.hpp"
#include "poet/report.hpp"
#include "schedule/names.hpp"
#include "schedule/summary.hpp"

namespace poet {
namespace {

/// Far beyond any schedule of use, and small enough for a hostile file to do no harm.
constexpr std::size_t kMaxListLength = 1'000'000;

/// A program has several instructions per computation, so it is longer than any list of nodes.
constexpr std::size_t kMaxProgramLength = 100'000'000;

constexpr double kLargestDouble = std::numeric_limits<double>::max();
constexpr std::int64_t kLargestInteger = std::numeric_limits<std::int64_t>::max();

/// Any int: an index outside the graph is for the replay to report, with the stage it is in.
int any_int(const JsonCursor& at) {
  return static_cast<int>(
      at.integer(std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

int count(const JsonCursor& at) {
  return static_cast<int>(at.integer(0, std::numeric_limits<int>::max()));
}

std::uint32_t seed(const JsonCursor& at) {
  return static_cast<std::uint32_t>(at.integer(0, std::numeric_limits<std::uint32_t>::max()));
}

std::vector<int> indices(const JsonCursor& list) {
  std::vector<int> result;
  for (const JsonCursor& entry : list.elements(kMaxListLength)) result.push_back(any_int(entry));
  return result;
}

ExitCode code(const JsonCursor& at) {
  const std::int64_t value = at.integer(0, 255);
  for (const ExitCode known :
       {ExitCode::ok, ExitCode::internal, ExitCode::usage, ExitCode::infeasible, ExitCode::limit,
        ExitCode::requirement, ExitCode::interrupted}) {
    if (static_cast<int>(known) == value) return known;
  }
  at.fail_expecting("an exit status (0 to 5, or 130)");
}

Status status(const JsonCursor& at) {
  if (const auto value = value_of(kStatusNames, at.string())) return *value;
  at.fail_expecting("optimal, feasible, infeasible or unknown");
}

ModelInfo model(const JsonCursor& at) {
  at.allow_only(
      {"name", "source", "batch_size", "node_count", "forward_node_count", "backward", "sha256"});
  return {.name = at.required("name").string(),
          .source = at.required("source").string(),
          .batch_size = at.required("batch_size").integer(1),
          .node_count = count(at.required("node_count")),
          .forward_node_count = count(at.required("forward_node_count")),
          .backward = at.required("backward").string(),
          .sha256 = at.required("sha256").string()};
}

PlatformInfo platform(const JsonCursor& at) {
  at.allow_only({"name", "source", "sha256"});
  return {.name = at.required("name").string(),
          .source = at.required("source").string(),
          .sha256 = at.required("sha256").string()};
}

Request request(const JsonCursor& at) {
  at.allow_only({"ram_budget_bytes", "runtime_budget_seconds", "runtime_budget_ratio", "paging",
                 "remat", "gap", "mem_power_scale", "time_limit_seconds", "solve_threads", "seed"});
  return {.ram_budget_bytes = at.required("ram_budget_bytes").integer(),
          .runtime_budget_seconds = at.required("runtime_budget_seconds").number(),
          .runtime_budget_ratio = at.required("runtime_budget_ratio").number(),
          .paging = at.required("paging").boolean(),
          .remat = at.required("remat").boolean(),
          .gap = at.required("gap").number(),
          .mem_power_scale = at.required("mem_power_scale").number(),
          .time_limit_seconds = at.required("time_limit_seconds").number(),
          .threads = count(at.required("solve_threads")),
          .seed = seed(at.required("seed"))};
}

Summary summary(const JsonCursor& at) {
  Summary result;
  std::vector<std::string_view> keys;
  visit_summary([&](std::string_view key, auto) { keys.push_back(key); });
  at.allow_only(keys);
  visit_summary([&](std::string_view key, auto figure) {
    auto& value = result.*figure;
    using Figure = std::remove_reference_t<decltype(value)>;
    const JsonCursor member = at.required(key);
    if constexpr (std::is_same_v<Figure, double>) {
      // Ratios may lie a rounding error below zero, and a bound may be a poor one.
      value = member.number(-kLargestDouble);
    } else if constexpr (std::is_same_v<Figure, int>) {
      value = count(member);
    } else {
      value = member.integer(0, kLargestInteger);
    }
  });
  return result;
}

void read_timing(SolverReport& solver, const JsonCursor& at) {
  at.allow_only({"heuristic_seconds", "build_seconds", "milp_seconds", "first_schedule_seconds"});
  solver.heuristic_seconds = at.required("heuristic_seconds").number();
  solver.build_seconds = at.required("build_seconds").number();
  solver.milp_seconds = at.required("milp_seconds").number();
  solver.first_schedule_seconds = at.required("first_schedule_seconds").number();
}

void read_solver(Report& report, const JsonCursor& at) {
  at.allow_only({"name", "version", "formulation", "rows", "columns", "nonzeros", "nodes", "seed",
                 "threads", "wall_seconds", "timing"});
  // Name and version are those of the program that wrote the file; only their type matters here.
  static_cast<void>(at.required("name").string());
  static_cast<void>(at.required("version").string());
  report.solver = {.formulation = at.required("formulation").string(),
                   .rows = count(at.required("rows")),
                   .columns = count(at.required("columns")),
                   .nonzeros = at.required("nonzeros").integer(0, kLargestInteger),
                   .nodes = at.required("nodes").integer(0, kLargestInteger),
                   .wall_seconds = at.required("wall_seconds").number()};
  report.seed = seed(at.required("seed"));
  report.threads = count(at.required("threads"));
  read_timing(report.solver, at.required("timing"));
}

Node node(const JsonCursor& at) {
  at.allow_only({"name", "op", "bytes", "runtime_seconds", "energy_joules", "page_in_energy_joules",
                 "page_out_energy_joules", "inputs", "backward"});
  return {.name = at.required("name").string(),
          .op = at.required("op").string(),
          .bytes = at.required("bytes").integer(),
          .runtime_seconds = at.required("runtime_seconds").number(),
          .energy_joules = at.required("energy_joules").number(),
          .page_in_energy_joules = at.required("page_in_energy_joules").number(),
          .page_out_energy_joules = at.required("page_out_energy_joules").number(),
          .inputs = indices(at.required("inputs")),
          .backward = at.required("backward").boolean()};
}

Graph graph(const JsonCursor& list) {
  std::vector<Node> nodes;
  for (const JsonCursor& entry : list.elements(kMaxListLength)) nodes.push_back(node(entry));
  try {
    return make_graph(std::move(nodes));
  } catch (const InputError& error) {
    list.fail(error.what());
  }
}

void read_stages(Report& report, const JsonCursor& list) {
  for (const JsonCursor& at : list.elements(kMaxListLength)) {
    at.allow_only({"stage", "resident", "compute", "page_out", "page_in", "peak_ram_bytes"});
    const std::size_t t = report.schedule.stages.size();
    const JsonCursor number = at.required("stage");
    if (number.integer() != static_cast<std::int64_t>(t)) {
      number.fail_expecting(fmt::format("{}: stages are listed in order", t));
    }
    report.schedule.stages.push_back({.resident = indices(at.required("resident")),
                                      .compute = indices(at.required("compute")),
                                      .page_out = indices(at.required("page_out")),
                                      .page_in = indices(at.required("page_in"))});
    report.stage_peak_ram_bytes.push_back(at.required("peak_ram_bytes").integer());
  }
}

std::vector<Instruction> program(const JsonCursor& list) {
  std::vector<Instruction> result;
  for (const JsonCursor& at : list.elements(kMaxProgramLength)) {
    at.allow_only({"op", "node"});
    const JsonCursor word = at.required("op");
    const auto op = value_of(kOpNames, word.string());
    if (!op) word.fail_expecting("compute, free, page_out or page_in");
    result.push_back({.op = *op, .node = any_int(at.required("node"))});
  }
  return result;
}

/// A run without a schedule leaves a document that says why; there is nothing to read in it.
void refuse_error_document(const JsonCursor& root) {
  constexpr std::size_t kLongestReason = 1000;
  if (const auto error = root.optional("error")) {
    throw InputError(root.place(), "there is no schedule in this file: its run ended with \"" +
                                       shown(error->string(), kLongestReason) + "\"");
  }
}

}  // namespace

Report parse_report(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  expect_format(root, kScheduleFormat, kScheduleVersion);
  refuse_error_document(root);
  root.allow_only({"format", "version", "code", "status", "model", "platform", "request", "summary",
                   "solver", "nodes", "stages", "program"});
  Report report;
  report.code = code(root.required("code"));
  report.status = status(root.required("status"));
  report.model = model(root.required("model"));
  const JsonCursor board = root.required("platform");
  if (!document.at("platform").is_null()) report.platform = platform(board);
  report.request = request(root.required("request"));
  report.summary = summary(root.required("summary"));
  read_solver(report, root.required("solver"));
  report.graph = graph(root.required("nodes"));
  read_stages(report, root.required("stages"));
  report.program = program(root.required("program"));
  return report;
}

}  // namespace poet

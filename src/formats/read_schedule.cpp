// Complete schedule files. Reading checks the form: keys, types, ranges, the version. Whether the
// figures are true is for verify_schedule_file() in src/report, so that a file with a wrong figure
// can be read and its faults listed, all at once.
//
// Two versions are read by the same code. A key of version 2 in a file of version 1 is an error,
// because a reader of version 1 ignores it or refuses it, and two programs would read two
// schedules.
//
// A file has up to millions of values, most of them in its program, so lists have limits that no
// honest file meets and memory survives.

#include "formats/read_schedule.hpp"

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "formats/json/json_cursor.hpp"
#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "formats/order_keys.hpp"
#include "formats/read_copies.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"

namespace poet {

namespace {

/// A program has several instructions per computation, so it is longer than any list of nodes.
constexpr std::size_t kMaxProgramLength = 100'000'000;

ExitCode code(const JsonCursor& at) {
  const std::int64_t value = at.integer(0, 255);
  for (const ExitCode known :
       {ExitCode::ok, ExitCode::internal, ExitCode::usage, ExitCode::infeasible, ExitCode::limit,
        ExitCode::requirement, ExitCode::interrupted}) {
    if (static_cast<int>(known) == value) return known;
  }
  at.fail_expecting("an exit status (0 to 5, or 130)");
}

void read_solver(ScheduleFile& file, const JsonCursor& at) {
  std::vector<std::string_view> keys{"name", "version"};
  append_keys(keys, kWorkFields);
  keys.insert(keys.end(), {"seed", "threads", "wall_seconds", "timing"});
  at.allow_only(keys);
  // Name and version describe the program that wrote the file, and the request has the others; only
  // their type matters here.
  static_cast<void>(at.required("name").string());
  static_cast<void>(at.required("version").string());
  read_fields(at, file.solver, kWorkFields);
  read_fields(at, file.solver, std::tuple(kWallSecondsField));
  static_cast<void>(read_struct<std::uint32_t>(at.required("seed")));
  static_cast<void>(read_struct<int>(at.required("threads")));
  const JsonCursor timing = at.required("timing");
  std::vector<std::string_view> timing_keys;
  append_keys(timing_keys, kTimingFields);
  timing.allow_only(timing_keys);
  read_fields(timing, file.solver, kTimingFields);
}

/// One object in the file, seven structs here: figures of the schedule, bounds on what was
/// minimised first, offsets, banks, what an order bought, what a certificate proves, and what
/// intervals leave open.
void read_summary(ScheduleFile& file, const JsonCursor& at) {
  std::vector<std::string_view> keys = keys_of<Summary>();
  append_keys(keys, kFields<ObjectiveBounds>);
  append_keys(keys, kFields<ArenaFigures>);
  append_keys(keys, kFields<BankedFigures>);
  append_keys(keys, kFields<OrderFigures>);
  append_keys(keys, kFields<CertifiedFigures>);
  append_keys(keys, kFields<UncertaintyFigures>);
  at.allow_only(keys);
  read_fields(at, file.summary, kFields<Summary>);
  read_fields(at, file.bounds, kFields<ObjectiveBounds>);
  read_fields(at, file.arena, kFields<ArenaFigures>);
  read_fields(at, file.banked, kFields<BankedFigures>);
  read_fields(at, file.bought, kFields<OrderFigures>);
  read_fields(at, file.certificate, kFields<CertifiedFigures>);
  read_fields(at, file.uncertainty, kFields<UncertaintyFigures>);
}

void read_stages(ScheduleFile& file, const JsonCursor& list) {
  for (const JsonCursor& at : list.elements(kMaxListLength)) {
    at.allow_only({"stage", "resident", "compute", "page_out", "page_in", "peak_ram_bytes"});
    const std::size_t t = file.schedule.stages.size();
    const JsonCursor number = at.required("stage");
    if (number.integer() != static_cast<std::int64_t>(t)) {
      number.fail_expecting(fmt::format("{}: stages are listed in order", t));
    }
    read_fields(at, file.schedule.stages.emplace_back(), kFields<Stage>);
    file.stage_peak_ram_bytes.push_back(at.required("peak_ram_bytes").integer());
  }
}

/// Offsets are read as they stand; verify checks them.
std::vector<Instruction> program(const JsonCursor& list) {
  std::vector<Instruction> result;
  for (const JsonCursor& at : list.elements(kMaxProgramLength)) {
    result.push_back(read_struct<Instruction>(at));
  }
  return result;
}

/// Refuses keys of a table that only version 2 has: in a file of version 1 they would be read by
/// some and ignored by others.
template <typename Table>
void refuse_newer_keys(const JsonCursor& at, const Table& table) {
  for_each_field(table, [&](const auto& field) {
    if (field.in_file != InFile::left_out_if_default) return;
    if (const auto newer = at.optional(field.key)) {
      newer->fail_expecting("no such key in version 1; version 2 has it");
    }
  });
}

// Asked before the rest is read, and only of objects: what has another type is refused by its
// reader.
void check_version_1(const JsonCursor& root) {
  if (const auto model = root.optional("model"); model && model->is_object()) {
    refuse_newer_keys(*model, kFields<ModelInfo>);
  }
  if (const auto request = root.optional("request"); request && request->is_object()) {
    refuse_newer_keys(*request, kFields<Request>);
  }
  if (const auto summary = root.optional("summary"); summary && summary->is_object()) {
    refuse_newer_keys(*summary, kFields<Summary>);
    refuse_newer_keys(*summary, kFields<ArenaFigures>);
    refuse_newer_keys(*summary, kFields<BankedFigures>);
    refuse_newer_keys(*summary, kFields<OrderFigures>);
    refuse_newer_keys(*summary, kFields<CertifiedFigures>);
    refuse_newer_keys(*summary, kFields<UncertaintyFigures>);
  }
  if (const auto steps = root.optional("program"); steps && steps->is_array()) {
    for (const JsonCursor& step : steps->elements(kMaxProgramLength)) {
      if (step.is_object()) refuse_newer_keys(step, kFields<Instruction>);
    }
  }
  const auto nodes = root.optional("nodes");
  if (!nodes || !nodes->is_array()) return;
  for (const JsonCursor& node : nodes->elements(kMaxListLength)) {
    if (node.is_object()) refuse_newer_keys(node, kExactNodeFields);
  }
}

void check_format(const JsonCursor& root) {
  if (expect_format(root, kScheduleFormat, 1, kNewestScheduleVersion) == 1) {
    check_version_1(root);
  }
}

/// A run without a schedule leaves a document with the reason only.
void refuse_error_document(const JsonCursor& root) {
  constexpr std::size_t kMaxReason = 1000;
  if (const auto error = root.optional("error")) {
    throw InputError(root.place(), "there is no schedule in this file: its run ended with \"" +
                                       printable(error->string(), kMaxReason) + "\"");
  }
}

/// Documents were once written without any of this, but never with a part of it.
std::optional<ProblemInfo> problem_of(const JsonCursor& root) {
  bool found = false;
  for_each_field(kFields<ProblemInfo>, [&](const auto& field) {
    found = found || (field.in_file == InFile::always && root.optional(field.key));
  });
  if (!found) return std::nullopt;
  ProblemInfo problem;
  read_fields(root, problem, kFields<ProblemInfo>);
  if (!problem.model) return problem;
  check_order_keys(root.required("model"), *problem.model, problem.model->node_count);
  if (!problem.model->order.empty() && problem.graph_sha256 != problem.model->graph_sha256) {
    root.required("graph_sha256")
        .fail_expecting("the same as in 'model': both are about the given order");
  }
  return problem;
}

// The order of reading is the order of the file: the first error is the first one that a reader
// sees.
ScheduleFile read_schedule(const JsonCursor& root) {
  root.allow_only({"format", "version", "code", "status", "model", "platform", "request", "summary",
                   "solver", "nodes", "stages", "program"});
  ScheduleFile file;
  file.code = code(root.required("code"));
  read_value(root.required("status"), file.status);
  read_value(root.required("model"), file.model);
  read_value(root.required("platform"), file.platform);
  read_value(root.required("request"), file.request);
  read_summary(file, root.required("summary"));
  read_solver(file, root.required("solver"));
  const JsonCursor nodes = root.required("nodes");
  file.graph = read_nodes(nodes);
  check_order_keys(root.required("model"), file.model, file.graph.size());
  if (const auto copies = root.required("model").optional("copies")) {
    check_copies(*copies, file.model.copies);
  }
  if (file.model.order.empty()) refuse_choices(nodes, file.graph);
  read_stages(file, root.required("stages"));
  file.program = program(root.required("program"));
  return file;
}

}  // namespace

ScheduleFile parse_schedule_file(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  check_format(root);
  refuse_error_document(root);
  return read_schedule(root);
}

bool holds_schedule(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  if (!document.is_object() || !document.contains("stages")) return false;
  const auto format = document.find("format");
  return format != document.end() && *format == kScheduleFormat;
}

// The key `error` tells the two kinds apart; a status that is new is taken for unknown.
SolveDocument parse_solve_document(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  check_format(root);
  const auto error = root.optional("error");
  if (!error) {
    SolveDocument solved{.file = read_schedule(root)};
    solved.code = solved.file->code;
    solved.status = solved.file->status;
    return solved;
  }
  root.allow_only({"format", "version", "code", "status", "error", "model", "platform",
                   "graph_sha256", "request", "node", "smallest_ram_bytes", "smallest_ram_is_exact",
                   "given_order"});
  return {.code = static_cast<ExitCode>(root.required("code").integer(1, 130)),
          .status = value_of<Status>(root.required("status").string()).value_or(Status::unknown),
          .error = error->string(),
          .problem = problem_of(root)};
}

}  // namespace poet

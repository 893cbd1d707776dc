#include "fuzz/targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "arrays/read_arrays.hpp"
#include "formats/journal.hpp"
#include "formats/read_schedule.hpp"
#include "formats/read_solution.hpp"
#include "formats/read_step_log.hpp"
#include "formats/read_ticks.hpp"
#include "formats/write_inputs.hpp"
#include "import/import.hpp"
#include "model/step_log.hpp"
#include "poet/arena.hpp"
#include "poet/error.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/problem.hpp"
#include "poet/schedule_file.hpp"
#include "poet/simulate.hpp"
#include "poet/units.hpp"
#include "report/schedule_draft.hpp"
#include "solver/import_solution.hpp"
#include "support/unit_node.hpp"

namespace poet::test {
namespace {

void must(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

/// An error has to say something, and nothing that breaks a line of a log.
void check_error(std::string_view text) {
  must(!text.empty(), "an error says what is wrong");
  for (const char c : text) {
    must(static_cast<unsigned char>(c) >= 0x20, "an error has no control characters");
  }
}

/// Runs f; its InputError has to be good.
template <typename Function>
bool reads(Function f) {
  try {
    f();
    return true;
  } catch (const InputError& error) {
    check_error(error.what());
    return false;
  }
}

/// Likewise for a file that may have several errors: each is a good one and begins with its place.
template <typename Function>
void reads_lines(Function f) {
  try {
    f();
  } catch (const InputError& error) {
    std::string_view lines = error.what();
    int count = 0;
    for (bool more = true; more; ++count) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      const std::string_view line = lines.substr(0, end);
      check_error(line);
      must(count == 0 || line.starts_with("fuzz:") || line.starts_with("fuzz (") ||
               (count == 20 && line.starts_with("and ") && line.ends_with(" more")),
           "each of several errors has its place");
      more = end < lines.size();
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
    must(count <= 21, "errors beyond twenty are only counted");
  }
}

/// What a model becomes on a board; everything that happens before the solver.
void use(const Model& model, const Platform* platform) {
  reads([&] {
    const Graph graph = cost_graph(model, platform);
    must(graph.size() == static_cast<int>(model.nodes.size()), "one node of the graph for each");
    const Baseline base = baseline(graph);
    const WorkingSet needed = working_set(graph);
    must(needed.bytes <= base.peak_ram_bytes, "the working set is within the baseline's peak");
    must(base.peak_ram_bytes <= kMaxBytes, "sizes stay within 2^53 bytes");
  });
}

void read_model_text(std::string_view text) {
  static const Platform board = load_platform("m4");
  for (const std::int64_t batch_size : {std::int64_t{1}, std::int64_t{1} << 40}) {
    reads_lines([&] {
      const Model model = parse_model(text, "fuzz", batch_size);
      must(!model.nodes.empty(), "a model has nodes");
      use(model, &board);
      use(model, nullptr);
    });
  }
}

void read_platform_text(std::string_view text) {
  static const Model model = load_model("linear");
  reads([&] {
    const Platform platform = parse_platform(text, "fuzz");
    must(platform.flops_per_second > 0 && platform.flops_per_joule > 0, "a platform computes");
    use(model, &platform);
  });
}

void read_document_text(std::string_view text) {
  reads([&] {
    const SolveDocument document = parse_solve_document(text, "fuzz");
    if (document.file || !document.problem) return;
    const auto written = [](const SolveDocument& what) {
      return error_json(what.code, status_name(what.status), what.error, *what.problem);
    };
    const std::string once = written(document);
    must(written(parse_solve_document(once, "written")) == once,
         "a document without a schedule is read as it was");
  });
}

void read_journal_text(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  reads([&] {
    const JournalContents contents = read_journal(lines, "fuzz");
    must(request_difference(contents.request, contents.request).empty(), "a request is itself");
    for (const auto& [point, known] : contents.points) {
      const auto written = [number = point](const JournalContents::Point& it) {
        return journal_line(number, it.from, it.ram_budget_bytes, it.outcome);
      };
      const JournalContents again =
          read_journal({journal_head(contents.request), written(known)}, "written");
      must(written(again.points.at(point)) == written(known),
           "a written outcome is read as it was");
    }
  });
}

/// A draft whose stages keep to the rules becomes a valid file, which is a draft of itself.
void read_draft_text(std::string_view text) {
  reads([&] {
    const auto complete = [](std::string_view it) -> std::optional<ScheduleFile> {
      const ScheduleFile draft = parse_schedule_draft(it, "fuzz", nullptr);
      const Replay replay = simulate(draft.graph, draft.schedule, draft.request.limits);
      if (!replay.valid()) return std::nullopt;
      return complete_draft(draft);
    };
    const auto file = complete(text);
    if (!file) return;
    must(verify_schedule_file(*file).empty(), "a completed draft is valid");
    const auto again = complete(to_json(*file));
    must(again && to_json(*again) == to_json(*file), "a complete file stays as it is");
  });
}

void read_schedule_text(std::string_view text) {
  read_document_text(text);
  read_draft_text(text);
  reads([&] {
    const ScheduleFile file = parse_schedule_file(text, "fuzz");
    verify_schedule_file(file);
    // Written and read again it is the same document.
    const std::string written = to_json(file);
    const ScheduleFile again = parse_schedule_file(written, "written");
    must(to_json(again) == written, "a written schedule is read as it was");
    must(verify_schedule_file(again) == verify_schedule_file(file), "and gets the same verdict");
  });
}

void read_quantity(std::string_view text) {
  static const Baseline base{.runtime_seconds = 3, .peak_ram_bytes = 1000};
  reads([&] {
    const RamBudget budget = parse_ram_budget(text);
    if (const Bytes* bytes = std::get_if<Bytes>(&budget)) {
      must(*bytes >= 1 && *bytes <= kMaxBytes, "a size is within its range");
    }
    must(resolve(budget, base, {.smallest = 10, .chip = 2000}) >= 1,
         "a budget is at least one byte");
  });
  reads([&] {
    const RuntimeBudget budget = parse_runtime_budget(text);
    const Seconds seconds = resolve(budget, base);
    must(seconds > 0 && std::isfinite(seconds), "a runtime is positive and finite");
  });
}

/// Four nodes in less RAM than the baseline needs.
Problem small_problem() {
  Problem problem;
  problem.graph = make_graph({unit_node("a", 20, {}, 1), unit_node("b", 20, {0}, 1),
                              unit_node("c", 10, {1}, 1), unit_node("d", 10, {0, 2}, 1)});
  problem.limits = {.ram_budget_bytes = 40, .runtime_budget_seconds = 8};
  return problem;
}

void read_solution_text(std::string_view text) {
  static const Problem problem = small_problem();
  static const Formulation model = exported_model(problem);
  reads_lines([&] {
    const MilpSolution solution = parse_solution(text, "fuzz");
    must(!solution.values.empty(), "a solution has values");
    for (const ColumnValue& value : solution.values) {
      must(std::isfinite(value.value) && value.line > 0, "a value is finite and has its line");
    }
    const SolveResult result =
        import_solution(problem, model, MilpFormat::mps, solution, 0, "fuzz");
    must(result.schedule && simulate(problem.graph, *result.schedule, problem.limits).valid(),
         "what is imported is a valid schedule");
  });
  reads([&] { read_export_head(text, "fuzz"); });
}

/// An array has the numbers that its shape says, and its shape the bytes of the text.
void check_array(const NumberArray& array) {
  std::size_t count = 1;
  for (const std::int64_t extent : array.shape) count *= static_cast<std::size_t>(extent);
  must(count == array.values.size(), "a shape is that of the numbers");
}

void read_npy_text(std::string_view text) {
  reads([&] {
    const NumberArray array = parse_npy(text, "fuzz");
    must(array.values.size() * 4 < text.size(), "a file holds its numbers");
    check_array(array);
  });
}

void read_npz_text(std::string_view text) {
  constexpr std::size_t kMost = std::size_t{1} << 20;
  reads_lines([&] {
    std::size_t total = 0;
    for (const NamedArray& each : parse_npz(text, "fuzz", kMost)) {
      check_array(each.array);
      total += each.array.values.size() * 4;
    }
    must(total < kMost, "all members together stay within the limit");
  });
}

void read_ticks_text(std::string_view text) {
  reads([&] {
    for (const std::vector<double>& each : parse_ticks(text, "fuzz", 3)) {
      for (const double ticks : each) must(ticks >= 0 && std::isfinite(ticks), "ticks are times");
    }
  });
}

/// What becomes of a log is a model file that can be read.
void read_step_log_text(std::string_view text) {
  std::string written;
  reads([&] {
    const LoggedStep step = step_of_log(parse_step_log(text, "fuzz"), 1);
    must(!step.model.nodes.empty(), "a step has nodes");
    must(step.peak_bytes >= 0 && step.seconds >= 0, "a step has a peak and a time");
    written = model_json(step.model);
  });
  if (!written.empty()) must(!parse_model(written, "written").nodes.empty(), "it can be read");
}

#ifdef POET_HAS_ONNX
/// What is imported is a model file that can be read.
void read_onnx_bytes(std::string_view bytes) {
  std::string written;
  reads_lines([&] {
    const ImportedModel imported = import_onnx(bytes, "fuzz", {.custom = {}});
    must(!imported.spec.layers.empty(), "a network has layers");
    written = layers_json(imported.spec);
  });
  if (!written.empty()) must(!parse_model(written, "written").nodes.empty(), "it can be read");
}
#endif

constexpr FuzzTarget kTargets[] = {
    {"model", read_model_text},       {"platform", read_platform_text},
    {"schedule", read_schedule_text}, {"quantity", read_quantity},
    {"journal", read_journal_text},   {"solution", read_solution_text},
    {"npy", read_npy_text},           {"npz", read_npz_text},
    {"ticks", read_ticks_text},       {"step_log", read_step_log_text},
#ifdef POET_HAS_ONNX
    {"onnx", read_onnx_bytes},
#endif
};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() {
  return kTargets;
}

}  // namespace poet::test

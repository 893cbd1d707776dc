#include <spdlog/spdlog.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands.hpp"
#include "app/load_problem.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/named_text.hpp"
#include "formats/read_results.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"
#include "report/verify_with_model.hpp"
#include "sweep/verify_rows.hpp"

namespace poet::cli {
namespace {

/// A model as a file is about it.
struct ModelOnPlatform {
  Model model;
  std::string graph_sha256;
};

/// What --model and --platform come to, by what a file says about it.
class ExpectedGraph {
 public:
  explicit ExpectedGraph(const Options& options) : options_(options) {
    if (!options.platform.empty() && options.model.empty()) {
      throw InputError("--platform", "found without --model; expected both, or --model alone");
    }
    if (options.model.empty()) return;
    text_ =
        in_option("--model", [&] { return find_text(options.model, "model", embedded_models()); });
    static_cast<void>(model({}));
    if (options.platform.empty()) return;
    platform_ = in_option("--platform", [&] { return load_platform(options.platform); });
  }

  /// The model as a file is about it, and the digest of its graph; null without --model.
  const ModelOnPlatform* of(const ScheduleFile& report) {
    if (options_.model.empty()) return nullptr;
    const Request& request = report.request;
    const double scale = request.settings.mem_power_scale;
    const ModelInfo& about = report.model;
    const std::tuple key(about.batch_size, about.backward, about.alignment, scale,
                         request.limits.techniques.paging, request.limits.paging_time);
    auto known = known_.find(key);
    if (known == known_.end()) {
      ModelOnPlatform made{.model = model(about)};
      made.graph_sha256 = graph_sha256(
          make_costs(made.model, platform_, scale, request.limits.techniques.paging, "--platform"),
          request.limits.paging_time);
      known = known_.emplace(key, std::move(made)).first;
    }
    return &known->second;
  }

  /// Null without --platform.
  const Platform* platform() const { return platform_ ? &*platform_ : nullptr; }

  /// What is wrong with the graph of a file; empty if nothing is.
  std::string finding(const ScheduleFile& report) {
    const ModelOnPlatform* const expected = of(report);
    if (expected == nullptr) return {};
    const std::string found = graph_sha256(report.graph, report.request.limits.paging_time);
    if (found == expected->graph_sha256) return {};
    const std::string on = platform_ ? fmt::format(" on '{}'", options_.platform) : std::string();
    return fmt::format(
        "the graph's digest is {:.12}...; expected {:.12}..., that of model '{}'{} with batch "
        "size {}: solve it again",
        found, expected->graph_sha256, options_.model, on, report.model.batch_size);
  }

 private:
  /// The model as a schedule is about it: a file says which backward pass it was solved with.
  Model model(const ModelInfo& about) const {
    std::optional<Backward> wanted = value_of<Backward>(about.backward);
    if (wanted != Backward::exact && wanted != Backward::poet_chain) wanted.reset();
    Model model = in_option(
        "--model", [&] { return parse_model(text_.text, text_.place, about.batch_size, wanted); });
    model.alignment = about.alignment;
    return model;
  }

  const Options& options_;
  NamedText text_;  ///< of the model: stdin can be read only once
  std::optional<Platform> platform_;
  std::map<std::tuple<std::int64_t, std::string, Bytes, double, bool, PagingTime>, ModelOnPlatform>
      known_;
};

/// Replays what it is given and says on stderr what it finds. A file that cannot be read does not
/// keep the others from being replayed.
class Verifier {
 public:
  explicit Verifier(const Options& options) : expected_(options) {}

  void verify(const std::string& path) {
    guarded([&] {
      const std::string text = read_file(path);
      const ResultKind kind = result_kind(text);
      require_schedules(kind, path);
      if (kind == ResultKind::sweep) {
        verify_rows(parse_sweep(text, path), path);
      } else {
        verify(parse_schedule_file(text, path), nullptr, shown_source(path));
      }
    });
  }

  /// What cannot be read outweighs what is invalid: of that nothing is known.
  ExitCode code() const {
    if (!errors_.empty()) return ExitCode::usage;
    return invalid_ > 0 ? ExitCode::requirement : ExitCode::ok;
  }

  const std::vector<std::string>& errors() const { return errors_; }

 private:
  void verify_rows(const std::vector<SweepRow>& rows, const std::string& path) {
    int named = 0;
    int unnamed = 0;
    for (const SweepRow& row : rows) {
      named += row.schedule_file ? 1 : 0;
      unnamed += row.summary && !row.schedule_file ? 1 : 0;
    }
    std::vector<std::string> findings;
    for (const std::span<const SweepRow> sweep : split_sweeps(rows)) {
      RowVerifier together(sweep);
      for (std::size_t r = 0; r < sweep.size(); ++r) {
        if (!sweep[r].schedule_file) continue;
        const std::string file = schedule_path(path, sweep[r]);
        guarded([&] {
          const ScheduleFile report = parse_schedule_file(read_file(file), file);
          if (verify(report, &sweep[r], file)) together.add(r, report);
        });
      }
      const std::vector<std::string> found = together.findings();
      findings.insert(findings.end(), found.begin(), found.end());
    }
    report_findings(findings, shown_source(path));
    if (unnamed > 0) {
      throw InputError(shown_source(path),
                       fmt::format("found {} of {} schedules without a file; expected the name of "
                                   "one in each row, as sweep --schedules DIR writes it",
                                   unnamed, named + unnamed));
    }
    if (named == 0) spdlog::info("{}: no row has a schedule", shown_source(path));
  }

  /// Says what was found; true if nothing was.
  bool report_findings(const std::vector<std::string>& findings, const std::string& name) {
    for (const std::string& finding : findings) spdlog::error("{}: {}", name, finding);
    if (findings.empty()) return true;
    ++invalid_;
    spdlog::error("{}: invalid, {} finding{}", name, findings.size(),
                  findings.size() == 1 ? "" : "s");
    return false;
  }

  bool verify(const ScheduleFile& report, const SweepRow* row, const std::string& name) {
    const ModelOnPlatform* const given = expected_.of(report);
    const Model* const model = given != nullptr ? &given->model : nullptr;
    const Platform* const platform = expected_.platform();
    std::vector<std::string> findings = verify_schedule_file(report, model, platform);
    const std::string other = row != nullptr ? row_difference(*row, report) : std::string();
    if (!other.empty()) findings.push_back("this file " + other);
    const std::string graph = expected_.finding(report);
    if (!graph.empty()) findings.push_back(graph);
    if (!report_findings(findings, name)) return false;
    const std::vector<std::string> unknown = unverified_figures(report, model, platform);
    const Summary& s = report.summary;
    spdlog::info("{}: valid; {} ({} over the baseline), peak RAM {} of {}, runtime {:.4f}x{}", name,
                 format_joules(s.energy_joules), change_text(s.energy_overhead),
                 format_bytes(s.peak_ram_bytes), format_bytes(s.ram_budget_bytes), s.runtime_ratio,
                 unknown.empty() ? std::string()
                                 : fmt::format("; not compared without --model and --platform: {}",
                                               fmt::join(unknown, ", ")));
    return true;
  }

  template <typename Function>
  void guarded(Function f) {
    try {
      f();
    } catch (const InputError& error) {
      errors_.emplace_back(error.what());
      spdlog::error("{}", error.what());
    }
  }

  ExpectedGraph expected_;
  int invalid_ = 0;
  std::vector<std::string> errors_;
};

void check_stdin(const Options& options) {
  std::vector<std::string> all = options.input_files;
  all.insert(all.end(), {options.model, options.platform});
  if (std::count(all.begin(), all.end(), "-") > 1) {
    throw InputError("FILE", "found - twice; stdin can be only one of the files");
  }
}

}  // namespace

Outcome run_verify(const Options& options) {
  check_stdin(options);
  Verifier verifier(options);
  for (const std::string& path : options.input_files) verifier.verify(path);
  const ExitCode code = verifier.code();
  if (code != ExitCode::usage) return {.code = code};
  const std::string all = fmt::format("{}", fmt::join(verifier.errors(), "; "));
  return {.code = code, .document = error_json(code, "error", all, {})};
}

}  // namespace poet::cli

// The command `verify`. The replay shares no code with the solver. One sweep can name hundreds of
// files, so a file that cannot be read is reported and the rest is still checked. Three things are
// compared: a file with the replay of its own stages, a row with its file, and rows with each
// other, as a schedule under tight limits is one under loose limits too. With --model and
// --platform the graph itself is compared with the model as it is now, and figures that no replay
// knows with what follows from both. What was not compared for want of them is named in the line of
// the file.

#include <spdlog/spdlog.h>

#include <memory>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/read_results.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"
#include "report/file_order.hpp"
#include "report/verify_with_model.hpp"
#include "runs/expected_graph.hpp"
#include "sweep/verify_rows.hpp"

namespace poet::cli {
namespace {

constexpr const char* kVerifyHelp =
    R"(Every FILE is a schedule file, or the JSON lines of a sweep, whose schedule files are replayed
and compared with their rows, and the rows with each other. stderr has a line for each schedule,
and for each finding.

Exit status:
  0                               every schedule is valid, and so are the rows
  2                               bad usage, or a file that cannot be read, even if more is found
  5                               a schedule is not valid (older versions ended with 2), or rows
                                  contradict each other

Examples:
  $ poet-solve verify runs/*.json
  $ poet-solve verify curve.jsonl --model net.json --platform m4
      Also checks that the schedules of a sweep are about the model as it is now.)";

struct VerifyArguments {
  std::vector<std::string> files;
  std::string model;
  std::string platform;
};

/// Replays what it is given and says on stderr what it finds. A file that cannot be read does not
/// keep the others from being replayed.
class Verifier {
 public:
  explicit Verifier(const VerifyArguments& arguments)
      : expected_(arguments.model, arguments.platform) {}

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
  /// Results of several sweeps may stand one after the other, as `cat` joins them; each is compared
  /// within itself only. A schedule that is not valid by itself says nothing about the other rows,
  /// so it is left out of the comparison.
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
        const std::string name = schedule_path(path, sweep[r]);
        guarded([&] {
          const ScheduleFile file = parse_schedule_file(read_file(name), name);
          if (verify(file, &sweep[r], name)) together.add(r, file);
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

  /// Reports what was found; true if nothing was.
  bool report_findings(const std::vector<std::string>& findings, const std::string& name) {
    invalid_ += findings.empty() ? 0 : 1;
    return print_findings(findings, name);
  }

  // All findings about a file are listed, whichever comparison they come from: a file that was
  // changed by hand is wrong in several of them, and the first alone may mislead.
  bool verify(const ScheduleFile& file, const SweepRow* row, const std::string& name) {
    const ModelOnPlatform* const given = expected_.of(file);
    const Model* const model = given != nullptr ? &given->model : nullptr;
    const Platform* const platform = expected_.platform();
    // With a model and a platform more figures follow than from the file alone, such as the
    // transfer times of version 1.
    std::vector<std::string> findings = verify_schedule_file(file, model, platform);
    const std::string other = row != nullptr ? row_difference(*row, file) : std::string();
    if (!other.empty()) findings.push_back("this file " + other);
    // An order that is not legal is found already, and leaves no graph to compare.
    const bool has_graph = file.model.order.empty() || order_findings(file).empty();
    const std::string graph = has_graph ? expected_.finding(file) : std::string();
    if (!graph.empty()) findings.push_back(graph);
    if (!report_findings(findings, name)) return false;
    const std::vector<std::string> unknown = unverified_figures(file, model, platform);
    const Summary& s = file.summary;
    const bool is_unchecked = !file.model.order.empty() && model == nullptr;
    spdlog::info("{}: valid; {} ({} over the baseline), peak RAM {} of {}, runtime {:.4f}x{}{}",
                 name, format_joules(s.energy_joules), change_text(s.energy_overhead),
                 format_bytes(s.peak_ram_bytes), format_bytes(s.ram_budget_bytes), s.runtime_ratio,
                 unknown.empty() ? std::string()
                                 : fmt::format("; not compared without --model and --platform: {}",
                                               fmt::join(unknown, ", ")),
                 is_unchecked ? "; the order was not checked against a model" : "");
    return true;
  }

  /// Errors are logged as they come, and kept for the document at the end.
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

// Only a file that cannot be read gets a document. People read on stderr whether schedules hold,
// and scripts read it from the exit status.
ExitCode verify_files(const VerifyArguments& arguments) {
  std::vector<std::string_view> all(arguments.files.begin(), arguments.files.end());
  all.insert(all.end(), {arguments.model, arguments.platform});
  check_one_stdin("FILE", all);
  Verifier verifier(arguments);
  for (const std::string& path : arguments.files) verifier.verify(path);
  const ExitCode code = verifier.code();
  if (code != ExitCode::usage) return code;
  const std::string errors = fmt::format("{}", fmt::join(verifier.errors(), "; "));
  return deliver(error_json(code, "error", errors, {}), "", code);
}

// Batch size, backward pass and alignment come from each file: files about several of them can be
// verified together.
Run add_verify(CLI::App& app) {
  const auto arguments = std::make_shared<VerifyArguments>();
  OptionGroup group(app);
  group.arguments("FILE", arguments->files,
                  "schedule files, the JSON lines of sweeps, or - for stdin");
  group.text("--model", arguments->model, "NAME|FILE",
             "check that the schedules are about this model; each file states its batch size");
  group.text("--platform", arguments->platform, "NAME|FILE", "and about this platform");
  return [arguments](Session&) { return verify_files(*arguments); };
}

}  // namespace

extern const Command kVerify{.name = "verify",
                             .summary = "replay schedule files against the rules",
                             .footer = kVerifyHelp,
                             .add = add_verify,
                             .error_document = true};

}  // namespace poet::cli

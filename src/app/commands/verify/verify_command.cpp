// The command `verify`. The replay shares no code with the solver. One sweep can name hundreds of
// files, so a file that cannot be read is reported and the rest is still checked. Three things are
// compared: a file with the replay of its own stages, a row with its file, and rows with each
// other, as a schedule under tight limits is one under loose limits too. With --model and
// --platform the graph itself is compared with the model as it is now, and figures that no replay
// knows with what follows from both. What was not compared for want of them is named in the line of
// the file. Stages alone have no figures that could be false: verify_draft.cpp completes them.

#include <spdlog/spdlog.h>

#include <memory>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/command.hpp"
#include "app/commands/verify/verify_draft.hpp"
#include "app/terminal/deliver.hpp"
#include "app/terminal/print_summary.hpp"
#include "base/files/files.hpp"
#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/read_results.hpp"
#include "formats/read_schedule.hpp"
#include "formats/write_sweep.hpp"
#include "poet/error.hpp"
#include "report/fields.hpp"
#include "report/file_order.hpp"
#include "report/verify_schedule_file.hpp"
#include "runs/expected_graph.hpp"
#include "sweep/verify_rows.hpp"

namespace poet::cli {
namespace {

constexpr const char* kVerifyHelp =
    R"(Every FILE is a schedule file, or the JSON lines of a sweep, whose schedule files are replayed
and compared with their rows, and the rows with each other. stderr has a line for each schedule,
and for each finding.

A single FILE may also have stages written by hand: a schedule file without "summary", of which
"format", "version", "nodes" and "stages" have to be there. Stages may name nodes by name, and
leave out empty lists. Without a budget, the schedule's own peak RAM and runtime are its budgets.
If it is valid, the complete schedule file is written, with the status 'feasible', as if a solve
had found the schedule. An option for such stages completes any schedule file.

Exit status:
  0                               every schedule is valid, and so are the rows
  2                               bad usage, or a file that cannot be read, even if more is found
  5                               a schedule is not valid (older versions ended with 2), or rows
                                  contradict each other; stages by hand are not completed

Examples:
  $ poet-solve verify runs/*.json
  $ poet-solve verify curve.jsonl --model net.json --platform m4
      Also checks that the schedules of a sweep are about the model as it is now.
  $ poet-solve verify stages.json --model linear --platform m4 --ram-budget 3500 > s.json
      Stages by hand for a model, which supplies the nodes, within 3500 bytes.)";

constexpr const char* kVerifySummary = "replay schedule files, and stages written by hand";

constexpr const char* kByHand = "Stages written by hand";

struct VerifyArguments {
  std::vector<std::string> files;
  DraftArguments draft;  ///< schedule files are compared with its model and platform too
  bool completes = false;
};

/// Replays what it is given and says on stderr what it finds. A file that cannot be read does not
/// keep the others from being replayed.
class Verifier {
 public:
  explicit Verifier(const VerifyArguments& arguments)
      : expected_(arguments.draft.model.model, arguments.draft.platform) {}

  /// `known` is the text of the file if it has been read.
  void verify(const std::string& path, const std::string* known = nullptr) {
    guarded([&] {
      const std::string text = known != nullptr ? *known : read_file(path);
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
    const bool is_unchecked = !file.model.order.empty() && model == nullptr;
    print_valid(file, name,
                (unknown.empty() ? std::string()
                                 : fmt::format("; not compared without --model and --platform: {}",
                                               fmt::join(unknown, ", "))) +
                    (is_unchecked ? "; the order was not checked against a model" : ""));
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

/// The text of the only file if it shall be completed, as stdin is read only once.
bool is_to_complete(const VerifyArguments& arguments, const std::string& text) {
  return arguments.completes || (result_kind(text) == ResultKind::schedule &&
                                 is_draft(text, shown_source(arguments.files.front())));
}

// Only a file that cannot be read gets a document. People read on stderr whether schedules hold,
// and scripts read it from the exit status.
ExitCode verify_files(const VerifyArguments& arguments, Session& session) {
  const auto& [files, draft, completes] = arguments;
  if (completes && files.size() > 1) {
    throw InputError("FILE", fmt::format("found {} files with an option for stages written by "
                                         "hand; expected one",
                                         files.size()));
  }
  std::optional<std::string> only;
  if (files.size() == 1) only = read_file(files.front());
  if (only && is_to_complete(arguments, *only)) {
    return verify_draft(draft, *only, files.front(), session.problem);
  }
  Verifier verifier(arguments);
  for (const std::string& path : files) verifier.verify(path, only ? &*only : nullptr);
  const ExitCode code = verifier.code();
  if (code != ExitCode::usage) return code;
  const std::string errors = fmt::format("{}", fmt::join(verifier.errors(), "; "));
  return deliver(error_json(code, "error", errors, {}), "", code);
}

// Batch size, backward pass and alignment of a schedule file come from the file: files about
// several of them can be verified together.
std::shared_ptr<VerifyArguments> add_verify_options(CLI::App& app) {
  auto arguments = std::make_shared<VerifyArguments>();
  DraftArguments& draft = arguments->draft;
  OptionGroup group(app);
  group.arguments("FILE", arguments->files,
                  "schedule files, the JSON lines of sweeps, or - for stdin");
  group.text("--model", draft.model.model, "NAME|FILE",
             "check that the schedules are about this model; each file states its batch size. "
             "Stages written by hand take their nodes from it");
  group.text("--platform", draft.platform, "NAME|FILE", "and about this platform");
  OptionGroup by_hand(app, kByHand);
  add_model_options(app, draft.model.settings, kByHand);
  add_copies_option(app, draft.model, kByHand);
  by_hand.parsed(
      "--ram-budget", draft.ram, "SIZE", parse_ram_budget,
      "check the schedule against this RAM budget, as for a solve but without min; chip: the "
      "platform's RAM");
  by_hand.parsed("--runtime-budget", draft.runtime, "T", parse_runtime_budget,
                 "check it against this runtime budget, as for a solve");
  by_hand.text("--output", draft.to.output, "FILE", "write the JSON there, whole or not at all");
  by_hand.flag("--compact", draft.to.compact, "JSON on one line");
  return arguments;
}

Run add_verify(CLI::App& app) {
  const auto arguments = add_verify_options(app);
  return [arguments, &app](Session& session) {
    for (const CLI::Option* option : app.get_options()) {
      arguments->completes |= option->get_group() == kByHand && option->count() > 0;
    }
    return verify_files(*arguments, session);
  };
}

// What it completed was a draft or not.
Run add_simulate(CLI::App& app) {
  const auto arguments = add_verify_options(app);
  arguments->completes = true;
  return [arguments](Session& session) {
    spdlog::warn("simulate is now verify; this name goes with the next release");
    return verify_files(*arguments, session);
  };
}

}  // namespace

extern const Command kVerify{.name = "verify",
                             .summary = kVerifySummary,
                             .footer = kVerifyHelp,
                             .add = add_verify,
                             .error_document = true};

/// Until the next release.
extern const Command kSimulate{.name = "simulate",
                               .summary = kVerifySummary,
                               .footer = kVerifyHelp,
                               .add = add_simulate,
                               .error_document = true};

}  // namespace poet::cli

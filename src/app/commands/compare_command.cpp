// The command `compare`: whether a change of a model, of a platform or of this program made
// anything worse. It is meant for continuous integration, hence an exit status of its own for worse
// results, and Markdown for the summary of a run. People read stderr, programs stdout, so a line
// for each point is logged and the findings as a whole are a document. What counts as worse is in
// src/sweep.
//
// A fault of the baseline is bad input, since nothing can be measured with it. A fault of the new
// result is a finding: that is what the comparison is made for.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/command.hpp"
#include "app/terminal/deliver.hpp"
#include "formats/read_results.hpp"
#include "formats/write_comparison.hpp"
#include "poet/error.hpp"
#include "sweep/fields.hpp"

namespace poet::cli {
namespace {

constexpr const char* kCompareHelp =
    R"(Both are schedule files, or both are results of sweep as JSON lines. stderr has a line for
each point with more energy, without its schedule or proof, with a schedule that does not
replay, or with another problem, and for each improvement. A model whose graph has changed is
listed with proof, energy, peak RAM and runtime before and after. The limits for an increase
hold for it as well; if one is given, it replaces --rel-tol for that figure.

Exit status:
  0                               nothing is worse
  2                               bad usage or input
  5                               something is worse

Examples:
  $ poet-solve compare baseline.jsonl new.jsonl
  $ poet-solve compare main.jsonl branch.jsonl --max-energy-increase 5% --max-budget-increase 0%
  $ poet-solve compare main.json branch.json --rel-tol 0.001 --markdown >> "$SUMMARY")";

// The tolerance is the usual gap of a solve: within it, either schedule could have been the answer.
struct CompareArguments {
  std::string baseline;
  std::string fresh;
  double rel_tol = 1e-4;
  OnChangedGraph on_changed_graph = OnChangedGraph::report;
  IncreaseLimits limits;
  bool json = false;
  bool markdown = false;
};

/// A baseline that does not hold itself can hold nothing else to anything.
ComparedResult read_baseline(const std::string& path) {
  ComparedResult baseline = read_compared(path, false);
  if (baseline.is_sweep) return baseline;
  const std::string& fault = baseline.points.front().fault;
  if (!fault.empty()) throw InputError(path, "this cannot be a baseline: " + fault);
  return baseline;
}

/// A line for each point that got worse: what differs in it besides is in the table.
std::vector<std::pair<std::string, std::string>> by_point(const std::vector<Difference>& list) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Difference& difference : list) {
    const auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& each) {
      return each.first == difference.point;
    });
    if (line == lines.end()) {
      lines.emplace_back(difference.point, difference.message);
    } else {
      line->second += "; " + difference.message;
    }
  }
  return lines;
}

// Improvements come first and what is worse comes last, where a reader of a long log looks.
ExitCode compare_results(const CompareArguments& arguments) {
  if (arguments.baseline == "-" && arguments.fresh == "-") {
    throw InputError("NEW", "found - for both results; stdin can be only one");
  }
  const ComparedResult baseline = read_baseline(arguments.baseline);
  const ComparedResult fresh = read_compared(arguments.fresh, true);
  const Comparison comparison =
      compare(baseline, fresh, arguments.rel_tol, arguments.on_changed_graph, arguments.limits);
  for (const Difference& difference : comparison.improvements) {
    spdlog::info("better: {}: {}", difference.point, difference.message);
  }
  const std::vector<std::pair<std::string, std::string>> worse = by_point(comparison.regressions);
  for (const Difference& difference : comparison.graph_changes) {
    const bool is_said = std::any_of(worse.begin(), worse.end(), [&](const auto& line) {
      return line.first == difference.point;
    });
    if (!is_said) spdlog::warn("{}: {}", difference.point, difference.message);
  }
  for (const auto& [point, message] : worse) spdlog::error("{}: {}", point, message);
  const ExitCode code = comparison.regressions.empty() ? ExitCode::ok : ExitCode::requirement;
  spdlog::info("{}", comparison_headline(comparison));
  if (arguments.json) {
    return deliver(comparison_json(comparison, static_cast<int>(code)), "", code);
  }
  return deliver(arguments.markdown ? comparison_markdown(comparison) : "", "", code);
}

// Energies are compared with a tolerance that is wider than rounding: two builds may end a solve
// within the same gap at different schedules. A graph that has changed is no fault in itself, so by
// default only what was lost with it counts.
Run add_compare(CLI::App& app) {
  const auto arguments = std::make_shared<CompareArguments>();
  OptionGroup group(app);
  group.argument("BASELINE", arguments->baseline, "what NEW is compared with");
  group.argument("NEW", arguments->fresh, "the new result, or - for stdin");
  group.number<double>("--rel-tol", arguments->rel_tol, "REL", {},
                       "energies that differ by no more than this, relative to the baseline's, are "
                       "equal");
  group.choice("--on-changed-graph", arguments->on_changed_graph,
               "if a model has another graph than in BASELINE: report both figures, worse only "
               "if a schedule is lost; or fail");
  const auto limit = [&group](const char* name, std::optional<double>& value, const char* usage) {
    group.parsed(name, value, "PERCENT%", parse_increase, usage);
  };
  limit("--max-energy-increase", arguments->limits.energy,
        "worse only if the energy rises by more than this, on a changed graph too");
  limit("--max-budget-increase", arguments->limits.ram_budget,
        "worse if the RAM budget, a share of another baseline, rises by more than this");
  limit("--max-peak-increase", arguments->limits.peak_ram,
        "worse if the peak RAM rises by more than this, on a changed graph too");
  limit("--max-runtime-increase", arguments->limits.runtime,
        "worse if the runtime rises by more than this, on a changed graph too");
  CLI::Option* json = group.flag("--json", arguments->json, "the findings as JSON on stdout");
  group.flag("--markdown", arguments->markdown, "the findings as Markdown on stdout")
      ->excludes(json);
  return [arguments](Session&) { return compare_results(*arguments); };
}

}  // namespace

extern const Command kCompare{.name = "compare",
                              .summary = "report what became worse or better between two results",
                              .footer = kCompareHelp,
                              .add = add_compare};

}  // namespace poet::cli

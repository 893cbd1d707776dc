// Comparisons as text. The Markdown goes into pull requests, where names of models come from files
// under review, so what would break a table, begin HTML or change the type is escaped. JSON has the
// figures, for programs that go on with them; the message of each difference is the same text
// everywhere.

#include "formats/write_comparison.hpp"

#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/json/json_text.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

/// A comment on a pull request may have 65,536 characters; what is around the tables needs some.
constexpr std::size_t kMaxMarkdown = 60'000;

template <typename Value>
Json figure_json(const std::optional<Summary>& summary, Value Summary::*figure) {
  return summary ? Json((*summary).*figure) : Json(nullptr);
}

Json limit_json(const std::optional<double>& limit) {
  return limit ? Json(*limit) : Json(nullptr);
}

Json differences_json(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const Difference& difference : differences) {
    const auto& [before, now] = std::tie(difference.baseline, difference.fresh);
    list.push_back({{"kind", name_of(difference.kind)},
                    {"point", difference.point},
                    {"baseline_energy_joules", figure_json(before, &Summary::energy_joules)},
                    {"new_energy_joules", figure_json(now, &Summary::energy_joules)},
                    {"baseline_peak_ram_bytes", figure_json(before, &Summary::peak_ram_bytes)},
                    {"new_peak_ram_bytes", figure_json(now, &Summary::peak_ram_bytes)},
                    {"baseline_runtime_seconds", figure_json(before, &Summary::runtime_seconds)},
                    {"new_runtime_seconds", figure_json(now, &Summary::runtime_seconds)},
                    {"message", difference.message}});
  }
  return list;
}

/// Text from a file as the cell of a table.
std::string cell(const std::string& text) {
  std::string result;
  for (const char c : printable(text, 500)) {
    if (std::string_view("\\|<`*_[]").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string row_of(const Difference& difference, const ChangedFigure& figure) {
  return fmt::format("| {} | {} | {} | {} | {} |\n", cell(difference.point), figure.what,
                     cell(figure.before), cell(figure.now), figure.change);
}

/// A difference without figures has its message as what is there now.
std::string rows_of(const Difference& difference) {
  if (difference.figures.empty()) {
    return fmt::format("| {} | {} | | {} | |\n", cell(difference.point), name_of(difference.kind),
                       cell(difference.message));
  }
  std::string rows;
  for (const ChangedFigure& figure : difference.figures) rows += row_of(difference, figure);
  return rows;
}

void add_table(std::string& text, const char* heading, const std::vector<Difference>& differences) {
  if (differences.empty()) return;
  text += fmt::format(
      "\n### {}\n\n| point | what | before | after | change |\n"
      "|---|---|--:|--:|--:|\n",
      heading);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const std::string rows = rows_of(differences[i]);
    if (text.size() + rows.size() > kMaxMarkdown) {
      text += fmt::format("\nand {} more, which are in the log\n", differences.size() - i);
      return;
    }
    text += rows;
  }
}

/// `energy +5 %, runtime +10 %`.
std::string limits_text(const IncreaseLimits& limits) {
  std::string text;
  const auto add = [&](const char* what, const std::optional<double>& limit) {
    if (limit) text += fmt::format("{}{} +{:g} %", text.empty() ? "" : ", ", what, 100 * *limit);
  };
  add("energy", limits.energy);
  add("RAM budget", limits.ram_budget);
  add("peak RAM", limits.peak_ram);
  add("runtime", limits.runtime);
  return text;
}

}  // namespace

/// The same line on stderr, in the log of a build and at the top of the Markdown.
std::string comparison_headline(const Comparison& comparison) {
  const std::size_t changed = comparison.graph_changes.size();
  return fmt::format("{} compared: {}, {}{}", counted(comparison.points, "point"),
                     comparison.regressions.empty()
                         ? std::string("nothing is worse")
                         : counted(comparison.regressions.size(), "regression"),
                     counted(comparison.improvements.size(), "improvement"),
                     changed == 0 ? "" : fmt::format(", {} on a changed graph", changed));
}

std::string comparison_json(const Comparison& comparison, int code) {
  return json_write({{"format", "poet-comparison"},
                     {"version", 1},
                     {"code", code},
                     {"points", comparison.points},
                     {"rel_tol", comparison.rel_tol},
                     {"max_energy_increase", limit_json(comparison.limits.energy)},
                     {"max_budget_increase", limit_json(comparison.limits.ram_budget)},
                     {"max_peak_increase", limit_json(comparison.limits.peak_ram)},
                     {"max_runtime_increase", limit_json(comparison.limits.runtime)},
                     {"regressions", differences_json(comparison.regressions)},
                     {"improvements", differences_json(comparison.improvements)},
                     {"graph_changes", differences_json(comparison.graph_changes)}},
                    false);
}

// What is worse comes first: a reviewer may read no further.
std::string comparison_markdown(const Comparison& comparison) {
  std::string text = fmt::format("**{}**", comparison_headline(comparison));
  if (comparison.rel_tol > 0) {
    text += fmt::format(" (energies within {:g} % are equal)", 100 * comparison.rel_tol);
  }
  if (const std::string limits = limits_text(comparison.limits); !limits.empty()) {
    text += fmt::format("; allowed: {}", limits);
  }
  text += '\n';
  add_table(text, "Worse", comparison.regressions);
  add_table(text, "Better", comparison.improvements);
  add_table(text, "Graph changed", comparison.graph_changes);
  return text;
}

}  // namespace poet

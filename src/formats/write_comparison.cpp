// Comparisons as text. The Markdown goes into pull requests, where names of models come from files
// under review, so what would break a table, begin HTML or change the type is escaped. JSON has the
// figures, for programs that go on with them; the message of each difference is the same text
// everywhere.

#include "formats/write_list.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/figures.hpp"
#include "base/text/printable.hpp"
#include "formats/json/json_text.hpp"

namespace poet {
namespace {

using Json = nlohmann::ordered_json;

Json differences_json(const std::vector<Difference>& differences) {
  Json list = Json::array();
  for (const Difference& difference : differences) {
    const auto energy = [](const std::optional<Joules>& joules) {
      return joules ? Json(*joules) : Json(nullptr);
    };
    list.push_back({{"kind", name_of(difference.kind)},
                    {"point", difference.point},
                    {"baseline_energy_joules", energy(difference.baseline_joules)},
                    {"new_energy_joules", energy(difference.fresh_joules)},
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

void add_table(std::string& text, const char* heading, const std::vector<Difference>& differences) {
  if (differences.empty()) return;
  text += fmt::format("\n### {}\n\n| point | what | details |\n|---|---|---|\n", heading);
  for (const Difference& difference : differences) {
    text += fmt::format("| {} | {} | {} |\n", cell(difference.point), name_of(difference.kind),
                        cell(difference.message));
  }
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
  text += '\n';
  add_table(text, "Worse", comparison.regressions);
  add_table(text, "Better", comparison.improvements);
  add_table(text, "Graph changed", comparison.graph_changes);
  return text;
}

}  // namespace poet

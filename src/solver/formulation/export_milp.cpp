#include "solver/formulation/export_milp.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/files/files.hpp"
#include "base/input_errors.hpp"
#include "base/sha256.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "problem/fields.hpp"
#include "solver/formulation/formulate.hpp"
#include "solver/formulation/useful_windows.hpp"
#include "solver/milp/milp.hpp"
#include "solver/milp/scaling.hpp"

namespace poet {
namespace {

/// A power of ten that brings the objective to about 1e3. Other solvers have absolute tolerances
/// too: given small joules, glpsol called 0.4571 mJ optimal where the optimum is 0.4560 mJ.
int objective_exponent(const Milp& milp) {
  Joules measure = milp.objective_offset;
  for (const MilpColumn& column : milp.columns) measure = std::max(measure, column.cost);
  return measure > 0 ? 3 - static_cast<int>(std::floor(std::log10(measure))) : 0;
}

void scale_objective(Milp& milp, double factor) {
  milp.objective_offset *= factor;
  for (MilpColumn& column : milp.columns) column.cost *= factor;
}

/// HiGHS takes coefficients of 1e-9, such as runtimes of nanoseconds, for zero. Powers of two are
/// exact.
void enlarge_small_rows(Milp& milp) {
  for (MilpRow& row : milp.rows) {
    const double largest = largest_coefficient(row);
    if (largest > 0 && largest < 1) multiply_by_power_of_two(row, -std::ilogb(largest));
  }
}

constexpr std::string_view kGraph = "graph";
constexpr std::string_view kColumns = "columns";
constexpr std::string_view kOrder = "order of nodes";
constexpr std::string_view kGiven = "given";  // which no file states
/// What explains another graph, but does not count as a difference by itself.
constexpr std::array<std::string_view, 5> kOrigin{"model", "platform", "batch size",
                                                  "memory power scale", kOrder};
constexpr std::array<std::string_view, 8> kDecisive{
    kGraph,        "RAM budget",     "runtime budget",  "techniques",
    "paging time", "storage budget", "page-out budget", kColumns};

std::string techniques(const Limits& limits) {
  if (limits.techniques.paging)
    return limits.techniques.remat ? "paging and recomputation" : "paging";
  return limits.techniques.remat ? "recomputation" : "none";
}

std::string size_of(const std::optional<Bytes>& budget) {
  return budget ? fmt::format("{} bytes", *budget) : "none";
}

/// The value of a fact; empty if it is not stated.
std::string fact_value(const ExportHead& head, std::string_view key) {
  const auto at = std::find_if(head.facts.begin(), head.facts.end(),
                               [&](const ExportFact& fact) { return fact.key == key; });
  if (at != head.facts.end()) return at->value;
  return std::string(key == kOrder ? kGiven : "");
}

/// What a difference of this fact alone means. Facts of the same problem in chosen orders differ in
/// the graph alone.
std::string_view meaning(std::string_view key, const ExportHead& expected) {
  if (key == kColumns) return ": another version of this program wrote it; export the model again";
  if (key != kGraph) return "";
  if (fact_value(expected, kOrder) != kGiven) return ": another order of the nodes";
  return ": another model, platform, batch size, memory power scale or set of copies";
}

void check_fact(InputErrors& errors, const ExportHead& found, const ExportHead& expected,
                std::string_view key, const std::string& place) {
  const std::string is = fact_value(found, key);
  const std::string should_be = fact_value(expected, key);
  errors.collect([&] {
    if (is == should_be) return;
    throw InputError(place, fmt::format("{}: found '{}'; expected '{}'{}", key, printable(is, 300),
                                        should_be, meaning(key, expected)));
  });
}

}  // namespace

Formulation exported_model(const Problem& problem) {
  return formulate(problem,
                   useful_windows(problem, false, std::numeric_limits<double>::infinity()));
}

void export_milp(const Problem& problem, const std::string& path, const ProblemOrigin& origin) {
  const bool mps = path.ends_with(".mps");
  if (!mps && !path.ends_with(".lp")) {
    throw InputError(path, "unknown kind of model file; expected a name that ends in .mps or .lp");
  }
  check_writable(path);
  Formulation model = exported_model(problem);
  const ExportHead head =
      export_head(problem, model, mps ? MilpFormat::mps : MilpFormat::lp, origin);
  Milp& milp = model.milp;
  const int exponent = objective_exponent(milp);
  scale_objective(milp, std::pow(10.0, exponent));
  enlarge_small_rows(milp);
  std::string remark = fmt::format(
      "poet: energy of one training step in units of 1e{} J, baseline included\n", -exponent);
  for (const ExportFact& fact : head.facts) remark += fmt::format("{}: {}\n", fact.key, fact.value);
  remark += "nodes, whose numbers end the names of columns:\n";
  for (int k = 0; k < problem.graph.size(); ++k) {
    remark += fmt::format("  {} {}\n", k, printable(problem.graph.nodes[k].name));
  }
  write_file(path, mps ? to_mps(milp, remark) : to_lp(milp, remark));
}

// What an exported file states about its problem, so that a solution of the file can be read back
// only with the same problem. The digest of the graph alone would not do: the columns depend on the
// techniques as well, and "the digests differ" does not say what to change.

ExportHead export_head(const Problem& problem, const Formulation& model, MilpFormat format,
                       const ProblemOrigin& origin) {
  const Limits& limits = problem.limits;
  const std::vector<std::string> names = column_names(model.milp, format);
  ExportHead head{.format = format};
  const auto add = [&](std::string_view key, std::string value) {
    head.facts.push_back({std::string(key), std::move(value)});
  };
  if (!origin.model.empty()) {
    add("model", printable(origin.model, 200));
    add("platform", origin.platform.empty() ? "none" : printable(origin.platform, 200));
    add("batch size", fmt::format("{}", origin.batch_size));
    add("memory power scale", fmt::format("{}", origin.mem_power_scale));
  }
  if (!origin.given_graph_sha256.empty()) {
    add(kOrder, "chosen, of the graph with sha256 " + origin.given_graph_sha256);
  }
  add("RAM budget", fmt::format("{} bytes", limits.ram_budget_bytes));
  add("runtime budget", fmt::format("{} s", limits.runtime_budget_seconds));
  add("techniques", techniques(limits));
  add("paging time", std::string(name_of(limits.paging_time)));
  add("storage budget", size_of(limits.storage.storage_budget_bytes));
  add("page-out budget", size_of(limits.storage.page_out_budget_bytes));
  add(kColumns, fmt::format("{}, sha256 {}", names.size(),
                            sha256_hex(fmt::format("{}", fmt::join(names, "\n")))));
  add(kGraph, "sha256 " + graph_sha256(problem.graph, limits.paging_time != PagingTime::free));
  return head;
}

ExportHead read_export_head(std::string_view text, const std::string& source) {
  const std::string place = shown_source(source);
  const bool mps = text.starts_with("* poet: ");
  if (!mps && !text.starts_with("\\ poet: ")) {
    throw InputError(place,
                     "found no model of --export-model; expected its first line, a comment "
                     "that begins with 'poet:'");
  }
  ExportHead head{.format = mps ? MilpFormat::mps : MilpFormat::lp};
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line) && line.starts_with(text.front());) {
    if (line.ends_with('\r')) line.pop_back();
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos || line.size() < 2) break;  // the table of nodes
    head.facts.push_back({line.substr(2, colon - 2), line.substr(colon + 2)});
  }
  for (const std::string_view key : kDecisive) {
    if (!fact_value(head, key).empty()) continue;
    throw InputError(place, fmt::format("found no comment '{}: ...'; expected one, as "
                                        "--export-model writes it: export the model again",
                                        key));
  }
  return head;
}

void check_export_head(const ExportHead& found, const ExportHead& expected,
                       const std::string& source) {
  const std::string place = shown_source(source);
  InputErrors errors;
  const bool same_graph = fact_value(found, kGraph) == fact_value(expected, kGraph);
  if (!same_graph && !fact_value(found, kOrigin[0]).empty()) {
    for (const std::string_view key : kOrigin) check_fact(errors, found, expected, key, place);
  }
  for (const std::string_view key : kDecisive) {
    // A difference that is already named explains these two.
    if ((key == kGraph || key == kColumns) && !errors.empty()) continue;
    check_fact(errors, found, expected, key, place);
  }
  errors.throw_if_any();
}

}  // namespace poet

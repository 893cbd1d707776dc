// What an exported file says about its problem, so that a solution of the file can be read back
// only with the same problem. The digest of the graph alone would not do: the columns depend on the
// techniques as well, and "the digests differ" does not say what to change.
#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/input_errors.hpp"
#include "base/sha256.hpp"
#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/graph.hpp"
#include "solver/formulation/export_milp.hpp"

namespace poet {
namespace {

constexpr std::string_view kGraph = "graph";
constexpr std::string_view kColumns = "columns";
constexpr std::string_view kOrder = "order of nodes";
constexpr std::string_view kGiven = "given";  // which no file states
/// What explains another graph, but is no difference by itself.
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

std::string_view word_of(PagingTime time) {
  switch (time) {
    case PagingTime::free:
      return "free";
    case PagingTime::blocking:
      return "blocking";
    case PagingTime::overlapped:
      break;
  }
  return "overlapped";
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
  return ": another model, platform, batch size or memory power scale";
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
  add("paging time", std::string(word_of(limits.paging_time)));
  add("storage budget", size_of(limits.storage_budget_bytes));
  add("page-out budget", size_of(limits.page_out_budget_bytes));
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

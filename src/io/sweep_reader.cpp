#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/json/json_cursor.hpp"
#include "io/json/json_text.hpp"
#include "io/sweep_json.hpp"
#include "io/text/shown.hpp"
#include "poet/error.hpp"
#include "schedule/summary.hpp"

namespace poet {
namespace {

constexpr double kLargestDouble = std::numeric_limits<double>::max();

/// A member that may be null; it must be there.
std::optional<JsonCursor> present(const JsonCursor& at, std::string_view key) {
  const JsonCursor member = at.required(key);
  if (member.is_null()) return std::nullopt;
  return member;
}

std::optional<std::string> text(const JsonCursor& at, std::string_view key) {
  const auto member = present(at, key);
  return member ? std::optional(member->string()) : std::nullopt;
}

int count(const JsonCursor& at) {
  return static_cast<int>(at.integer(0, std::numeric_limits<int>::max()));
}

RowProblem problem(const JsonCursor& at) {
  return {.model = at.required("model").string(),
          .model_sha256 = at.required("model_sha256").string(),
          .platform = text(at, "platform"),
          .platform_sha256 = text(at, "platform_sha256"),
          .graph_sha256 = at.required("graph_sha256").string(),
          .batch_size = at.required("batch_size").integer(1),
          .mem_power_scale = at.required("mem_power_scale").number(),
          .techniques = at.required("techniques").string(),
          .runtime_budget_seconds = at.required("runtime_budget_seconds").number(),
          .runtime_budget_ratio = at.required("runtime_budget_ratio").number()};
}

std::optional<Summary> summary(const JsonCursor& at) {
  if (!present(at, "energy_joules")) return std::nullopt;
  Summary result;
  visit_summary([&](std::string_view key, auto figure) {
    auto& value = result.*figure;
    using Figure = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_same_v<Figure, double>) {
      value = at.required(key).number(-kLargestDouble);
    } else {
      value = static_cast<Figure>(at.required(key).integer(
          0, std::min<std::int64_t>(kMaxBytes, std::numeric_limits<Figure>::max())));
    }
  });
  return result;
}

void allow_known_keys(const JsonCursor& at) {
  std::vector<std::string_view> known{"format",          "version",
                                      "point",           "status",
                                      "model",           "model_sha256",
                                      "platform",        "platform_sha256",
                                      "graph_sha256",    "batch_size",
                                      "mem_power_scale", "techniques",
                                      "requested_gap",   "runtime_budget_seconds",
                                      "origin",          "runtime_budget_ratio",
                                      "origin_point",    "schedule_file",
                                      "reason",          "timing"};
  visit_summary([&](std::string_view key, auto) { known.push_back(key); });
  at.allow_only(known);
}

SweepRow row(const JsonCursor& at) {
  expect_format(at, kSweepFormat, 1);
  allow_known_keys(at);
  const JsonCursor status = at.required("status");
  SweepRow result{.point = count(at.required("point")),
                  .status = status.string(),
                  .reason = text(at, "reason").value_or(""),
                  .problem = problem(at),
                  .ram_budget_bytes = at.required("ram_budget_bytes").integer(),
                  .requested_gap = at.required("requested_gap").number(),
                  .origin = at.required("origin").string(),
                  .schedule_file = text(at, "schedule_file"),
                  .baseline_energy_joules = at.required("baseline_energy_joules").number(),
                  .baseline_peak_ram_bytes = at.required("baseline_peak_ram_bytes").integer(),
                  .summary = summary(at),
                  .wall_seconds = at.required("timing").required("wall_seconds").number()};
  if (const auto origin = present(at, "origin_point")) result.origin_point = count(*origin);
  const bool has_schedule = result.status == "optimal" || result.status == "feasible";
  const bool has_none =
      result.status == "infeasible" || result.status == "unknown" || result.status == "failed";
  if (!has_schedule && !has_none) {
    status.fail_expecting("optimal, feasible, infeasible, unknown or failed");
  }
  if (has_schedule != result.summary.has_value()) {
    at.required("energy_joules")
        .fail_expecting(has_schedule ? "a number: there is a schedule"
                                     : "null: there is no schedule");
  }
  return result;
}

}  // namespace

std::vector<SweepRow> parse_sweep(std::string_view lines, const std::string& source) {
  std::vector<SweepRow> rows;
  const std::string file = shown_source(source);
  for (int number = 1; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const std::string place = fmt::format("{} line {}", file, number);
    const nlohmann::json document = parse_json(line, place);
    rows.push_back(row(JsonCursor(document, place)));
  }
  if (rows.empty()) throw InputError(file, "found no points; expected a line for each");
  return rows;
}

}  // namespace poet

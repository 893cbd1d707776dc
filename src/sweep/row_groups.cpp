// What all rows of a sweep, or all rows about one model on one platform, have in common. A row that
// was edited or comes from another sweep is found by what its neighbours state.

#include "sweep/row_groups.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <tuple>

#include <fmt/format.h>

#include "report/compare_fields.hpp"

namespace poet {
namespace {

using Lines = std::vector<std::string>;

/// What rows have in common if they are about one model on one platform.
auto subject_of(const SweepRow& row) {
  const RowProblem& problem = row.problem;
  return std::tie(problem.model, problem.model_sha256, problem.platform, problem.platform_sha256);
}

/// The number at which the name of a schedule file starts, as a sweep names it: `0012-...`.
std::optional<int> number_in_name(const std::string& path) {
  constexpr std::size_t kDigits = 4;
  const std::string name = std::filesystem::path(path).filename().string();
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const auto length = static_cast<std::size_t>(end - name.data());
  if (error != std::errc() || length < kDigits || *end != '-') return std::nullopt;
  return number;
}

/// An interrupted sweep has no rows for some points, but the others are in order.
void check_numbers(Lines& found, std::span<const SweepRow> rows) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const SweepRow& row = rows[r];
    if (r > 0 && row.point <= rows[r - 1].point) {
      found.push_back(named_row(row, fmt::format("it comes after point {}", rows[r - 1].point)));
    }
    const std::optional<int> number = number_in_name(row.schedule_file.value_or(""));
    if (number && *number != row.point) {
      found.push_back(
          named_row(row, fmt::format("its schedule file belongs to point {}", *number)));
    }
  }
}

/// What is the same for a whole sweep, or for a model on a platform.
/// The first row of a group stands for the group. If it is the one that was edited, all others are
/// reported, which is noisy and still finds it.
void check_subjects(Lines& found, std::span<const SweepRow> rows) {
  std::map<decltype(subject_of(rows.front())), const SweepRow*> first_of;
  for (const SweepRow& row : rows) {
    const auto differs = [&](const SweepRow& first) {
      return [&](const std::string& key, const std::string& is, const std::string& should_be) {
        found.push_back(named_row(
            row, fmt::format("{} is {}; point {} has {}", key, is, first.point, should_be)));
      };
    };
    const SweepRow& very_first = rows.front();
    compare_value(row.requested_gap, very_first.requested_gap, InFile::always, "requested_gap", {},
                  differs(very_first));
    compare_value(row.problem.mem_power_scale, very_first.problem.mem_power_scale, InFile::always,
                  "mem_power_scale", {}, differs(very_first));
    const SweepRow& first = *first_of.emplace(subject_of(row), &row).first->second;
    RowProblem expected = first.problem;
    expected.limits.techniques = row.problem.limits.techniques;
    expected.limits.runtime_budget_seconds = row.problem.limits.runtime_budget_seconds;
    expected.runtime_budget_ratio = row.problem.runtime_budget_ratio;
    expected.mem_power_scale = row.problem.mem_power_scale;
    // Each point may have an order of its own, and a set of copies of the sweep's mode.
    expected.order_sha256 = row.problem.order_sha256;
    expected.copies.tensors = row.problem.copies.tensors;
    compare_fields(row.problem, expected, kFields<RowProblem>, {}, differs(first));
  }
}

/// Models with the same graph have the same budgets, so that a name or a digest that one row alone
/// states does not belong to the sweep.
void check_equal_graphs(Lines& found, std::span<const SweepRow> rows) {
  using Subject = decltype(subject_of(rows.front()));
  std::map<std::string, std::map<Subject, std::vector<const SweepRow*>>> by_graph;
  for (const SweepRow& row : rows) {
    by_graph[row.problem.graph_sha256][subject_of(row)].push_back(&row);
  }
  for (const auto& [graph, subjects] : by_graph) {
    const auto size = [](const auto& subject) { return subject.second.size(); };
    const auto most = std::ranges::max_element(subjects, {}, size);
    for (const auto& subject : subjects) {
      if (size(subject) == size(*most)) continue;
      const SweepRow& row = *subject.second.front();
      const SweepRow& other = *most->second.front();
      found.push_back(named_row(
          row, fmt::format("its model or platform differs from point {}, but its graph does not",
                           other.point)));
    }
  }
}

}  // namespace

std::string named_row(const SweepRow& row, const std::string& what) {
  return fmt::format("point {}: {}", row.point, what);
}

bool is_whole_sweep(std::span<const SweepRow> rows) {
  return rows.back().point + 1 == static_cast<int>(rows.size());
}

void check_row_groups(std::vector<std::string>& found, std::span<const SweepRow> rows) {
  check_numbers(found, rows);
  check_subjects(found, rows);
  if (is_whole_sweep(rows)) check_equal_graphs(found, rows);
}

}  // namespace poet

#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/fields.hpp"
#include "poet/min_ram.hpp"
#include "poet/sweep.hpp"
#include "sweep/rows.hpp"

namespace poet::cli {

/// The results as a table on stderr, a line each, under a heading.
void print_table(const std::vector<SweepRow>& rows);
void print_table(const std::vector<MinRamRow>& rows);

/// `3 optimal, 1 failed`, in the order of the words.
template <typename Row>
std::string counts(const std::vector<Row>& rows) {
  std::string text;
  for (const auto& [status, word] : kNames<typename Row::Status>) {
    const auto has_it = [wanted = status](const Row& row) { return row.status == wanted; };
    const auto count = std::count_if(rows.begin(), rows.end(), has_it);
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, word);
  }
  return text;
}

/// `16 points: 15 optimal, 1 infeasible; 6 solves`
std::string tally(const std::vector<SweepRow>& rows);
std::string tally(const std::vector<MinRamRow>& rows);

/// `point 3 failed: its process was killed by signal 9 (Killed)`
std::string failure(const SweepRow& row);
std::string failure(const MinRamRow& row);

// Short descriptions of points and outcomes, for the progress line and the log.

/// `vgg16_cifar/m4 both 3x 1 MiB`
std::string describe(const SweepGrid& grid, const SweepPoint& point);
/// `smallest RAM of vgg16_cifar/m4 both 3x`
std::string describe(const SweepGrid& grid, const MinRamTask& task);
/// `optimal 550.9 mJ, 0.75 s`
std::string describe(const SweepOutcome& outcome);
/// `1048576 bytes, 0.02 s`
std::string describe(const MinRam& found);

}  // namespace poet::cli

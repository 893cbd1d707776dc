// Times as firmware prints them: carriage returns and blanks are allowed, and nothing is quoted.
// Several values for one instruction stay in their order; the median is taken later. Columns are
// found by their names, as firmware may print more than it is asked for. Numbers are checked
// against the program at once, so that an error has the line of the table.

#include "formats/read_ticks.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "poet/units.hpp"

namespace poet {
namespace {

constexpr double kMaxTicks = 1e18;  // beyond what 64 bits count

class TickReader {
 public:
  TickReader(std::string_view text, const std::string& source, std::size_t count)
      : text_(text), source_(source), ticks_(count) {}

  std::vector<std::vector<double>> read() {
    const std::vector<std::string_view> head = csv_cells(take_csv_line(text_));
    width_ = head.size();
    const std::size_t instruction_at = column(head, "instruction");
    const std::size_t ticks_at = column(head, "ticks");
    bool has_lines = false;
    while (!text_.empty()) {
      ++line_;
      const std::string_view line = take_csv_line(text_);
      if (line.empty()) continue;
      has_lines = true;
      const std::vector<std::string_view> cells = csv_cells(line);
      if (cells.size() != width_) {
        fail(fmt::format("found {} columns; expected {}", cells.size(), width_));
      }
      ticks_[instruction(cells[instruction_at])].push_back(ticks(cells[ticks_at]));
    }
    if (!has_lines) fail("found no line with ticks; expected one for each instruction");
    return std::move(ticks_);
  }

 private:
  std::size_t column(const std::vector<std::string_view>& head, std::string_view name) const {
    for (std::size_t c = 0; c < head.size(); ++c) {
      if (head[c] == name) return c;
    }
    fail(fmt::format("found no column '{}'; expected instruction and ticks", name));
  }

  std::size_t instruction(std::string_view cell) const {
    std::size_t number = 0;
    const char* const end = cell.data() + cell.size();
    const auto [stop, error] = std::from_chars(cell.data(), end, number);
    if (error != std::errc{} || stop != end || number >= ticks_.size()) {
      fail(
          fmt::format("found the instruction '{}'; expected a whole number from 0 to {}, as the "
                      "schedule's program has {} instructions",
                      printable(cell), ticks_.size() - 1, ticks_.size()));
    }
    return number;
  }

  double ticks(std::string_view cell) const {
    const std::optional<double> number = parse_number(cell);
    if (!number || *number < 0 || *number > kMaxTicks) {
      fail(fmt::format("found the ticks '{}'; expected a number from 0 to 1e18", printable(cell)));
    }
    return *number;
  }

  // Lines are counted from 1 with the heading among them, as editors count.
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}", shown_source(source_), line_), what);
  }

  std::string_view text_;
  const std::string& source_;
  std::vector<std::vector<double>> ticks_;
  std::size_t width_ = 0;
  int line_ = 1;
};

}  // namespace

std::string_view take_csv_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Cells are parts of the text, so that a table is never copied.
std::vector<std::string_view> csv_cells(std::string_view line) {
  std::vector<std::string_view> cells;
  while (true) {
    const std::size_t comma = line.find(',');
    std::string_view cell = line.substr(0, comma);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    cells.push_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::vector<std::vector<double>> parse_ticks(std::string_view text, const std::string& source,
                                             std::size_t instruction_count) {
  return TickReader(text, source, instruction_count).read();
}

}  // namespace poet

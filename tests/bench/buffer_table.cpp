#include "bench/buffer_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "formats/read_ticks.hpp"
#include "poet/error.hpp"

namespace poet::bench {
namespace {

constexpr std::array<std::string_view, 4> kColumns = {"id", "lower", "upper", "size"};

class BufferReader {
 public:
  BufferReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  BufferTable read() {
    read_head();
    BufferTable table;
    while (!text_.empty()) {
      ++line_;
      const std::string_view line = take_csv_line(text_);
      if (!line.empty()) read_row(line, table);
    }
    return table;
  }

 private:
  void read_head() {
    const std::vector<std::string_view> head = csv_cells(take_csv_line(text_));
    width_ = head.size();
    for (std::size_t c = 0; c < kColumns.size(); ++c) {
      const auto found = std::find(head.begin(), head.end(), kColumns[c]);
      if (found == head.end()) {
        fail(fmt::format("found no column '{}'; expected id, lower, upper (exclusive) and size",
                         kColumns[c]));
      }
      at_[c] = static_cast<std::size_t>(found - head.begin());
    }
  }

  void read_row(std::string_view line, BufferTable& table) const {
    const std::vector<std::string_view> cells = csv_cells(line);
    if (cells.size() != width_) {
      fail(fmt::format("found {} columns; expected {}", cells.size(), width_));
    }
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const Buffer buffer{.lower = number(cells[at_[1]], -kMost, kMost * kMost),
                        .upper = number(cells[at_[2]], -kMost, kMost * kMost),
                        .bytes = number(cells[at_[3]], 0, kMaxBytes)};
    if (buffer.upper <= buffer.lower) {
      fail(fmt::format("found upper {}; expected more than lower, {}", buffer.upper, buffer.lower));
    }
    table.ids.emplace_back(cells[at_[0]]);
    table.buffers.push_back(buffer);
  }

  std::int64_t number(std::string_view cell, std::int64_t least, std::int64_t most) const {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool is_number = error == std::errc{} && stop == cell.data() + cell.size();
    if (!is_number || value < least || value > most) {
      fail(fmt::format("found '{}'; expected a whole number from {} to {}",
                       printable(std::string(cell)), least, most));
    }
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}", shown_source(source_), line_), what);
  }

  std::string_view text_;
  const std::string& source_;
  int line_ = 1;
  std::size_t width_ = 0;
  std::array<std::size_t, kColumns.size()> at_{};  ///< which cells of a line are the columns
};

}  // namespace

BufferTable parse_buffers(std::string_view text, const std::string& source) {
  return BufferReader(text, source).read();
}

std::string write_buffers(const BufferTable& table, std::span<const Bytes> offsets) {
  std::string text = "id,lower,upper,size,offset\n";
  for (std::size_t b = 0; b < table.buffers.size(); ++b) {
    const Buffer& buffer = table.buffers[b];
    text += fmt::format("{},{},{},{},{}\n", table.ids[b], buffer.lower, buffer.upper, buffer.bytes,
                        offsets[b]);
  }
  return text;
}

}  // namespace poet::bench

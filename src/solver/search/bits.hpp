#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace poet {

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;

/// Calls f(index) for each set bit, ascending.
template <typename Function>
void for_each_bit(std::span<const Word> words, Function f) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    for (Word rest = words[w]; rest != 0; rest &= rest - 1) {
      f(static_cast<int>(w) * kWordBits + std::countr_zero(rest));
    }
  }
}

/// A matrix of flags, stored row by row in 64-bit words. A row is a set of nodes.
class BitMatrix {
 public:
  BitMatrix(int rows, int columns)
      : words_((columns + kWordBits - 1) / kWordBits),
        data_(static_cast<std::size_t>(rows) * words_, Word{0}) {}

  int words() const { return words_; }
  bool test(int row, int column) const {
    return (data_[at(row, column)] >> (column % kWordBits) & 1) != 0;
  }
  void set(int row, int column) { data_[at(row, column)] |= mask(column); }
  void clear(int row, int column) { data_[at(row, column)] &= ~mask(column); }

  Word* row(int r) { return data_.data() + static_cast<std::size_t>(r) * words_; }
  const Word* row(int r) const { return data_.data() + static_cast<std::size_t>(r) * words_; }
  std::span<const Word> row_span(int r) const { return {row(r), static_cast<std::size_t>(words_)}; }

  bool operator==(const BitMatrix&) const = default;

 private:
  static Word mask(int column) { return Word{1} << (column % kWordBits); }
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * words_ + column / kWordBits;
  }

  int words_;
  std::vector<Word> data_;
};

}  // namespace poet

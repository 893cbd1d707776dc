#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "poet/schedule.hpp"
#include "poet/solve.hpp"

namespace poet {

/// The words that a schedule file uses for the values of an enum, for writing and reading alike.
template <typename Value, std::size_t kCount>
using Names = std::array<std::pair<Value, std::string_view>, kCount>;

inline constexpr Names<Instruction::Op, 4> kOpNames = {{
    {Instruction::Op::compute, "compute"},
    {Instruction::Op::free, "free"},
    {Instruction::Op::page_out, "page_out"},
    {Instruction::Op::page_in, "page_in"},
}};

inline constexpr Names<Status, 4> kStatusNames = {{
    {Status::optimal, "optimal"},
    {Status::feasible, "feasible"},
    {Status::infeasible, "infeasible"},
    {Status::unknown, "unknown"},
}};

/// The word for a value; `?` for a value that no file may have.
template <typename Value, std::size_t kCount>
constexpr std::string_view name_of(const Names<Value, kCount>& names, Value value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  return "?";
}

/// The value that a word stands for, if any.
template <typename Value, std::size_t kCount>
constexpr std::optional<Value> value_of(const Names<Value, kCount>& names, std::string_view word) {
  for (const auto& [value, name] : names) {
    if (name == word) return value;
  }
  return std::nullopt;
}

}  // namespace poet

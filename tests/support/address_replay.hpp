#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/executed_step.hpp"

namespace poet::test {

/// What is wrong with the addresses of a program.
struct AddressFault {
  std::string value;  ///< something reads what another tensor was written over; empty: nothing
  std::string form;   ///< an offset that is missing or may not be, or an overlap; empty: none
};

/// Executes the offsets of a program, with the number of the write in each cell of 4 bytes: a
/// tensor is read as it was written if all of its cells still have that number. It knows no
/// lifetimes: of what overlaps, only what somebody reads has another value. What a node reads comes
/// from tests/support/step_formulas.cpp and not from the graph.
///
/// A workspace is written over before and after its computation. An output may lie where an input
/// of its formula lies only if it may be computed over that one, and at the same place.
class AddressReplay {
 public:
  AddressReplay(const ExecutedStep& step, const Graph& graph, Bytes arena_bytes)
      : step_(step), graph_(graph), arena_bytes_(arena_bytes) {}

  AddressFault run(const std::vector<Instruction>& program) {
    for (const Instruction& each : program) {
      const auto node = static_cast<std::size_t>(each.node);
      if (node >= graph_.nodes.size()) return {.value = "", .form = "no such node"};
      switch (each.op) {
        case Instruction::Op::compute:
          compute(each);
          break;
        case Instruction::Op::page_in:
          put(each, contents_.contains(each.node) ? contents_[each.node] : 0);
          break;
        case Instruction::Op::page_out:
          contents_[each.node] = is_whole(each.node) ? places_[each.node].write : 0;
          break;
        case Instruction::Op::move:
          put(each, is_whole(each.node) ? places_[each.node].write : 0);
          break;
        case Instruction::Op::free:
          places_.erase(each.node);
          break;
      }
    }
    return fault_;
  }

 private:
  static constexpr Bytes kCell = 4;

  struct Place {
    Bytes offset = 0;
    std::int64_t write = 0;  ///< its number; 0 for what was spoilt before it got here
  };

  Bytes bytes_of(int node) const { return graph_.nodes[static_cast<std::size_t>(node)].bytes; }
  const std::string& name_of(int node) const {
    return graph_.nodes[static_cast<std::size_t>(node)].name;
  }

  static bool overlap(Bytes a, Bytes a_bytes, Bytes b, Bytes b_bytes) {
    return a < b + b_bytes && b < a + a_bytes && a_bytes > 0 && b_bytes > 0;
  }

  void set(std::string& what, const std::string& text) {
    if (what.empty()) what = text;
  }

  void check_form(int node, const std::optional<Bytes>& offset, Bytes bytes) {
    if (!offset) return set(fault_.form, name_of(node) + " has no offset");
    if (*offset < 0 || *offset + bytes > arena_bytes_) {
      set(fault_.form, fmt::format("{} is at {}, beyond the arena", name_of(node), *offset));
    }
    if (*offset % kCell != 0) set(fault_.form, name_of(node) + " is not aligned");
  }

  void write(Bytes offset, Bytes bytes, std::int64_t number) {
    const auto cell = [](Bytes at) { return at >= 0 ? at / kCell : (at - kCell + 1) / kCell; };
    for (Bytes i = cell(offset); i < cell(offset + bytes + kCell - 1); ++i) cells_[i] = number;
  }

  bool is_whole(int node) const {
    const auto place = places_.find(node);
    if (place == places_.end() || place->second.write == 0) return bytes_of(node) == 0;
    for (Bytes i = 0; i < bytes_of(node); i += kCell) {
      const auto cell = cells_.find((place->second.offset + i) / kCell);
      if (cell == cells_.end() || cell->second != place->second.write) return false;
    }
    return true;
  }

  void put(const Instruction& step, std::int64_t number) {
    check_form(step.node, step.offset, bytes_of(step.node));
    if (!step.offset) return;
    places_.erase(step.node);
    for (const auto& [other, place] : places_) {
      if (overlap(*step.offset, bytes_of(step.node), place.offset, bytes_of(other))) {
        set(fault_.form, name_of(step.node) + " overlaps with " + name_of(other));
      }
    }
    write(*step.offset, bytes_of(step.node), number);
    places_[step.node] = {.offset = *step.offset, .write = number};
  }

  void compute(const Instruction& step) {
    const Formula& formula = step_.formulas.at(name_of(step.node));
    const Bytes workspace = graph_.nodes[static_cast<std::size_t>(step.node)].workspace_bytes;
    if (workspace > 0) {
      check_form(step.node, step.workspace_offset, workspace);
      write(step.workspace_offset.value_or(0), workspace, 0);
    }
    for (const std::string& read : formula.reads) check_read(step, formula, read);
    if (step.over) {
      const auto taken = places_.find(*step.over);
      if (taken == places_.end() || taken->second.offset != step.offset) {
        set(fault_.form, name_of(step.node) + " is not where the input is that it takes over");
      }
      places_.erase(*step.over);
    }
    put(step, ++writes_);
    if (workspace > 0) write(step.workspace_offset.value_or(0), workspace, 0);
  }

  void check_read(const Instruction& step, const Formula& formula, const std::string& read) {
    const int operand = index_of(step_.model, read);
    if (!is_whole(operand)) {
      return set(fault_.value,
                 fmt::format("{} reads {}, which is spoilt", name_of(step.node), read));
    }
    const auto place = places_.find(operand);
    if (!step.offset || place == places_.end()) return;
    const Bytes from = place->second.offset;
    const bool apart = !overlap(*step.offset, bytes_of(step.node), from, bytes_of(operand));
    const std::set<std::string> may(formula.over.begin(), formula.over.end());
    if (apart || (from == *step.offset && may.contains(read))) return;
    set(fault_.value, fmt::format("{} is written while it reads {}", name_of(step.node), read));
  }

  const ExecutedStep& step_;
  const Graph& graph_;
  Bytes arena_bytes_;
  std::map<Bytes, std::int64_t> cells_;
  std::map<int, Place> places_;
  std::map<int, std::int64_t> contents_;  ///< of storage
  std::int64_t writes_ = 0;
  AddressFault fault_;
};

}  // namespace poet::test

#pragma once

#include <span>
#include <string>
#include <vector>

#include "poet/graph.hpp"
#include "poet/schedule.hpp"
#include "poet/units.hpp"

namespace poet {

/// The offsets of a bank: those from `from` up to, but not including, `to`.
struct BankRange {
  Bytes from = 0;
  Bytes to = 0;
  std::string name{};  ///< if nodes may demand it
};

/// What a program does in one bank.
struct BankTraffic {
  Bytes used_bytes = 0;     ///< the end of the highest tensor or workspace, from the bank's start
  Bytes read_bytes = 0;     ///< inputs of computations, page-outs, workspaces, moves
  Bytes written_bytes = 0;  ///< outputs of computations, page-ins, workspaces, moves
};

struct BankTraffics {
  std::vector<BankTraffic> banks;
  /// Tensors and workspaces that no single bank holds, or another one than the node demands.
  std::vector<std::string> findings;
};

/// Follows a program with offsets through banks that lie one after the other. Each computation
/// reads every input once and writes its output once; a workspace is written and read once.
BankTraffics follow_banks(const Graph& graph, std::span<const Instruction> program,
                          std::span<const BankRange> banks);

}  // namespace poet

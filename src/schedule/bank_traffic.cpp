// What a program reads and writes in each bank, from its instructions and their offsets alone. The
// search for banks counts the traffic of buffers, whose lifetimes it has computed itself; this walk
// knows of none, so that a mistake there shows in a file.

#include "schedule/bank_traffic.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "schedule/findings.hpp"

namespace poet {
namespace {

class BankFollower {
 public:
  BankFollower(const Graph& graph, std::span<const BankRange> banks)
      : graph_(graph), banks_(banks), bank_of_(graph.nodes.size(), -1), findings_(graph) {
    found_.banks.resize(banks.size());
  }

  BankTraffics run(std::span<const Instruction> program) {
    found_.findings = findings_.follow(program, [&](const Instruction& step) { run_step(step); });
    return std::move(found_);
  }

 private:
  void run_step(const Instruction& step) {
    const Node& node = graph_.nodes[step.node];
    switch (step.op) {
      case Instruction::Op::compute:
        for (const int input : node.inputs) read(bank_of_[input], graph_.nodes[input].bytes);
        put(step.node, step.offset);
        write(bank_of_[step.node], node.bytes);
        use_workspace(step);
        break;
      case Instruction::Op::page_in:
        put(step.node, step.offset);
        write(bank_of_[step.node], node.bytes);
        break;
      case Instruction::Op::page_out:
        read(bank_of_[step.node], node.bytes);
        break;
      case Instruction::Op::move:
        read(bank_of_[step.node], node.bytes);
        put(step.node, step.offset);
        write(bank_of_[step.node], node.bytes);
        break;
      case Instruction::Op::free:
        bank_of_[step.node] = -1;
        break;
    }
  }

  void use_workspace(const Instruction& step) {
    const Bytes bytes = graph_.nodes[step.node].workspace_bytes;
    if (bytes == 0 || !step.workspace_offset) return;
    const int bank = find_bank(step.node, *step.workspace_offset, bytes, "the workspace");
    write(bank, bytes);
    read(bank, bytes);
  }

  void put(int node, const std::optional<Bytes>& offset) {
    const Node& made = graph_.nodes[node];
    const int bank = offset ? find_bank(node, *offset, made.bytes, "the output") : -1;
    if (bank >= 0 && made.bytes > 0 && !made.bank.empty() && made.bank != banks_[bank].name) {
      findings_.add(node, fmt::format("is in the bank '{}'; the node demands '{}'",
                                      printable(banks_[bank].name), printable(made.bank)));
    }
    bank_of_[node] = bank;
  }

  int find_bank(int node, Bytes offset, Bytes bytes, const char* what) {
    for (std::size_t k = 0; k < banks_.size(); ++k) {
      if (offset < banks_[k].from || offset >= banks_[k].to) continue;
      if (bytes > banks_[k].to - offset) break;
      Bytes& used = found_.banks[k].used_bytes;
      used = std::max(used, offset + bytes - banks_[k].from);
      return static_cast<int>(k);
    }
    if (bytes > 0) {
      findings_.add(node, fmt::format("has {} of {} bytes at {}, where no single bank holds it",
                                      what, bytes, offset));
    }
    return -1;
  }

  void read(int bank, Bytes bytes) {
    if (bank >= 0) found_.banks[bank].read_bytes += bytes;
  }

  void write(int bank, Bytes bytes) {
    if (bank >= 0) found_.banks[bank].written_bytes += bytes;
  }

  const Graph& graph_;
  std::span<const BankRange> banks_;
  std::vector<int> bank_of_;  ///< by node: where it is now, or -1
  BankTraffics found_;
  ProgramFindings findings_;
};

}  // namespace

BankTraffics follow_banks(const Graph& graph, std::span<const Instruction> program,
                          std::span<const BankRange> banks) {
  return BankFollower(graph, banks).run(program);
}

}  // namespace poet

#include "export/program_table.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/text/escape.hpp"
#include "export/resolve_memory.hpp"

namespace poet {
namespace {

std::string_view word_of(poet_op op) {
  switch (op) {
    case POET_COMPUTE:
      return "compute";
    case POET_PAGE_OUT:
      return "page_out";
    case POET_PAGE_IN:
      return "page_in";
    case POET_MOVE:
      return "move";
  }
  return "?";
}

/// Offsets of the inputs, by blanks.
std::string words(const std::vector<Bytes>& numbers) {
  std::string text;
  for (const Bytes number : numbers) text += fmt::format("{}{}", text.empty() ? "" : " ", number);
  return text;
}

}  // namespace

FolderFiles program_table(const PlacedStep& placed) {
  const ResolvedProgram program = resolve_memory(placed.graph, placed.program);
  std::string table = "instruction,op,node,name,bytes,offset,from,storage,inputs\n";
  for (const ResolvedInstruction& each : program.instructions) {
    const bool is_page = each.op == POET_PAGE_OUT || each.op == POET_PAGE_IN;
    const std::string from = each.op == POET_MOVE ? fmt::format("{}", each.from) : "";
    const std::string storage = is_page ? fmt::format("{}", each.from) : "";
    const std::string& name = placed.graph.nodes[static_cast<std::size_t>(each.node)].name;
    table +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", each.number, word_of(each.op), each.node,
                    csv_field(name), each.bytes, each.offset, from, storage, words(each.inputs));
  }
  return {{"program.csv", table}};
}

}  // namespace poet

#include "export/program_table.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text/escape.hpp"
#include "export/resolve_memory.hpp"

namespace poet {
namespace {

/// `page_out` of POET_PAGE_OUT.
std::string word_of(poet_op op) {
  std::string word(name_of(op).substr(std::string_view("POET_").size()));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
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
    const std::string& name = placed.graph.nodes[each.node].name;
    table +=
        fmt::format("{},{},{},{},{},{},{},{},{}\n", each.number, word_of(each.op), each.node,
                    csv_field(name), each.bytes, each.offset, from, storage, words(each.inputs));
  }
  return {{"program.csv", table}};
}

}  // namespace poet

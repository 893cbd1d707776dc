#include "export/memory_plan.hpp"

#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "base/text/escape.hpp"
#include "export/resolve_memory.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kSubgraphs = 1;

void append(std::string& bytes, std::uint32_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>(value >> shift & 0xffU);
  }
}

}  // namespace

FolderFiles memory_plan(const PlacedStep& placed) {
  const std::vector<Lifetime> lifetimes = lifetimes_of(placed.graph, placed.program);
  std::string metadata;
  append(metadata, kVersion);
  append(metadata, kSubgraphs);
  append(metadata, static_cast<std::uint32_t>(lifetimes.size()));
  std::string table = "tensor,node,name,first,end,offset,bytes\n";
  for (std::size_t i = 0; i < lifetimes.size(); ++i) {
    const Lifetime& each = lifetimes[i];
    if (each.moves) {
      throw InputError(fmt::format(
          "instruction {}: the tensor is moved later, and an offline memory plan cannot say so; "
          "expected offsets without moves, as 'place --no-moves' finds them",
          each.first));
    }
    if (each.offset > std::numeric_limits<std::int32_t>::max()) {
      throw InputError(fmt::format("found the offset {}; expected at most 2^31 - 1", each.offset));
    }
    append(metadata, static_cast<std::uint32_t>(each.offset));
    const std::string& name = placed.graph.nodes[each.node].name;
    table += fmt::format("{},{},{},{},{},{},{}\n", i, each.node, csv_field(name), each.first,
                         each.end, each.offset, each.bytes);
  }
  return {{"offline_memory_plan.bin", metadata}, {"offline_memory_plan.csv", table}};
}

}  // namespace poet

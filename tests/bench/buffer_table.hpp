#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "poet/arena.hpp"

namespace poet::bench {

/// Buffers of the benchmarks of MiniMalloc, with what they are called.
struct BufferTable {
  std::vector<std::string> ids;
  std::vector<Buffer> buffers;
};

/// Reads a table of MiniMalloc: the columns `id`, `lower`, `upper` and `size` in any order, one
/// buffer per line, `upper` exclusive. Others, such as `offset`, are ignored. Throws InputError
/// with the line for anything malformed; `source` is named.
BufferTable parse_buffers(std::string_view text, const std::string& source);

/// The table with a column `offset`.
std::string write_buffers(const BufferTable& table, std::span<const Bytes> offsets);

}  // namespace poet::bench

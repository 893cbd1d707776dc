#include "schedule/explain.hpp"

#include <fmt/format.h>

namespace poet {

std::string explain(const SolveResult& result) {
  std::string text = result.reason;
  if (!result.smallest_ram_bytes) return text;
  text += result.smallest_ram_is_exact
              ? fmt::format("; the smallest RAM budget that works is {} bytes",
                            *result.smallest_ram_bytes)
              : fmt::format("; no RAM budget below {} bytes can work (a lower bound)",
                            *result.smallest_ram_bytes);
  return text;
}

}  // namespace poet

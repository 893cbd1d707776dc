#include "execute/stored_copies.hpp"

#include <algorithm>

namespace poet {

Bytes StoredCopies::write(int node, std::optional<Bytes> slot, Bytes bytes) {
  const Bytes from = slot ? *slot : chosen_.emplace(node, end_).first->second;
  const Bytes to = from + bytes;
  std::erase_if(copies_, [&](const Copy& copy) { return copy.from < to && from < copy.to; });
  copies_.push_back({.node = node, .from = from, .to = to});
  end_ = std::max(end_, to);
  return from;
}

std::optional<Bytes> StoredCopies::find(int node, std::optional<Bytes> slot) const {
  const auto found = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& copy) {
    return copy.node == node && (!slot || copy.from == *slot);
  });
  if (found == copies_.end()) return std::nullopt;
  return found->from;
}

}  // namespace poet

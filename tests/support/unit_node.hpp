#pragma once

#include <string>
#include <utility>
#include <vector>

#include "poet/graph.hpp"

namespace poet::test {

/// A node whose output takes a second and a joule to compute, and `transfer_joules` to page out or
/// in.
inline Node unit_node(std::string name, Bytes bytes, std::vector<int> inputs,
                      Joules transfer_joules = 0) {
  return {.name = std::move(name),
          .op = "custom",
          .bytes = bytes,
          .runtime_seconds = 1,
          .energy_joules = 1,
          .page_in_energy_joules = transfer_joules,
          .page_out_energy_joules = transfer_joules,
          .inputs = std::move(inputs)};
}

}  // namespace poet::test

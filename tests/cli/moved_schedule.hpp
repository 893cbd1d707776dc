#pragma once

#include <algorithm>
#include <cstdint>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace poet::test {

/// A placed schedule whose first tensor that nothing takes over goes above all others.
struct MovedSchedule {
  nlohmann::json file;
  int node = -1;
  std::int64_t bytes = 0;        ///< of that tensor
  std::int64_t arena_bytes = 0;  ///< of the larger arena
};

inline MovedSchedule move_one_tensor(nlohmann::json placed) {
  nlohmann::json& program = placed["program"];
  std::set<int> taken;
  for (const nlohmann::json& step : program) taken.insert(step.value("over", -1));
  const auto first = std::find_if(program.begin(), program.end(), [&](const nlohmann::json& step) {
    return step.at("op") == "compute" && !taken.contains(step.at("node"));
  });
  if (first == program.end()) {
    ADD_FAILURE() << "no tensor can be moved";
    return {};
  }
  const int node = first->at("node");
  const auto end = placed["summary"]["arena_bytes"].get<std::int64_t>();
  const auto bytes = placed["nodes"][node]["bytes"].get<std::int64_t>();
  program.insert(first + 1,
                 nlohmann::json::object({{"op", "move"}, {"node", node}, {"offset", end}}));
  placed["summary"]["arena_bytes"] = end + bytes;
  placed["summary"]["moved_bytes"] = bytes;
  nlohmann::json& memory = placed["summary"]["memory"];
  if (memory.contains("exported")) {
    nlohmann::json& exported = memory["exported"];
    exported["arena_bytes"] = end + bytes;
    exported["total_ram_bytes"] = exported["total_ram_bytes"].get<std::int64_t>() + bytes;
  }
  return {.file = std::move(placed), .node = node, .bytes = bytes, .arena_bytes = end + bytes};
}

}  // namespace poet::test

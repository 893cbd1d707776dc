#pragma once

#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

namespace poet {

/// A file under tests/data/reference: what POET's published models are, node for node.
inline nlohmann::json reference(const std::string& name) {
  std::ifstream file(std::string(POET_TEST_DATA) + "/reference/" + name);
  if (!file) throw std::runtime_error("no reference file " + name);
  return nlohmann::json::parse(file);
}

}  // namespace poet

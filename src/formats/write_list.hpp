#pragma once

#include <string>
#include <vector>

#include "poet/platform.hpp"

namespace poet {

/// A built-in model in a list. Sizes at batch size 1 and four bytes an element.
struct ModelListing {
  std::string name;
  int node_count = 0;
  int forward_node_count = 0;
  Bytes baseline_peak_ram_bytes = 0;
  Bytes working_set_bytes = 0;
};

/// `{"models": [...], "platforms": [...]}`; a null list is left out. On several
/// lines, or on one where it is to be `compact`.
std::string list_json(const std::vector<ModelListing>* models,
                      const std::vector<Platform>* platforms, bool compact);

}  // namespace poet

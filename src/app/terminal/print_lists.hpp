#pragma once

#include <string>

namespace poet::cli {

/// Which lists of what is built in are asked for.
struct Lists {
  bool models = false;
  bool platforms = false;
  bool ops = false;
  bool json = false;  ///< as JSON, not as tables

  bool any() const { return models || platforms || ops; }
};

/// The lists as one text.
std::string print_lists(const Lists& wanted, bool compact);

}  // namespace poet::cli

// Runs after patterns have been joined: what is taken apart here stands alone. What comes of one
// node may have to be taken apart once more, such as the sum of absolute numbers.

#include "import/lower.hpp"

#include <string>

#include <fmt/format.h>

#include "base/input_errors.hpp"
#include "base/text/printable.hpp"
#include "import/match.hpp"

namespace poet {

void lower(OnnxGraph& graph) {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    replace_nodes(graph, [](GraphBuilder& builder) {
      const OnnxNode& node = builder.node();
      const std::string place =
          fmt::format("{} (node {})", printable(node.op), printable(node.name));
      with_place(place, [&] {
        lower_elementwise(builder);
        lower_products(builder);
        lower_shapes(builder);
        lower_padding(builder);
        lower_resize(builder);
      });
    });
  }
}

}  // namespace poet

#include <algorithm>

#include <fmt/format.h>

#include "model/ops.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet::ops {

// Y = rows, out;  params = (in + 1) out;  flop = 2 params + out, as if there were one row
LayerCosts linear(const LayerCall& call) {
  const Shape& in = call.input();
  expect_rank(in, 2, "rows, features; a flatten layer makes them");
  const std::int64_t out = call.value("out_features");
  const std::int64_t parameters = checked_product({checked_sum({in[1], 1}), out});
  return {{in[0], out}, parameters, checked_sum({checked_product({2, parameters}), out})};
}

// Y = rows, out;  params = (in + 1) out;  flop = 2 params + out + |Y|
LayerCosts linear_relu(const LayerCall& call) {
  LayerCosts costs = linear(call);
  costs.flop = checked_sum({costs.flop, element_count(costs.out_shape)});
  return costs;
}

// Y = classes;  flop = |X| classes
LayerCosts cross_entropy_loss(const LayerCall& call) {
  const Shape& in = call.input();
  const std::int64_t classes = call.value("classes");
  // POET's transformers count the 512 positions of the sequence as classes, so any extent will do.
  if (std::find(in.begin(), in.end(), classes) == in.end()) {
    throw InputError(
        fmt::format("the input's shape is {}, expected one extent to be the {} classes",
                    shape_text(in), classes));
  }
  return {{classes}, 0, checked_product({element_count(in), classes})};
}

}  // namespace poet::ops

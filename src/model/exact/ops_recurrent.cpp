#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "poet/error.hpp"

// One time step of a recurrent network; a sequence is a layer for each step, which share their
// parameters by "weights". r = rows (the batch), H = hidden size. The parameters of the input and
// of the hidden state have a gradient node each. The gates of a step are one tensor, from which c
// and h follow at little cost: a schedule keeps the gates, or computes them again from the states.
namespace poet::exact {
namespace {

/// The two matrix products of a step, for all gates at once.
struct Gates {
  std::int64_t rows, in, hidden;
  std::int64_t cells;        ///< r H
  std::int64_t input_flop;   ///< W x
  std::int64_t hidden_flop;  ///< U h
  std::int64_t bias_flop;    ///< of one bias
  Shape shape;
  std::vector<ParameterGroup> parameters;
};

Gates gates(const LayerCall& call, std::int64_t count) {
  const Shape& x = call.inputs[0];
  const Shape& h = call.inputs[1];
  bool fits = x.size() == 2 && h.size() == 2 && x[0] == h[0];
  for (const Shape& state : call.inputs.subspan(1)) fits = fits && state == h;
  if (!fits) {
    throw InputError(
        fmt::format("the input's shape is {} and the state's {}, expected two extents "
                    "(rows, features) and equal rows, all states alike",
                    shape_text(x), shape_text(h)));
  }
  Gates result{.rows = x[0], .in = x[1], .hidden = h[1], .cells = element_count(h)};
  const std::int64_t width = checked_product({count, result.hidden});
  result.shape = {result.rows, width};
  result.input_flop = checked_product({2, result.rows, width, result.in});
  result.hidden_flop = checked_product({2, result.rows, width, result.hidden});
  const bool has_bias = call.value("bias") != 0;
  result.bias_flop = has_bias ? element_count(result.shape) : 0;
  result.parameters = {{"input", {{width, result.in}}}, {"hidden", {{width, result.hidden}}}};
  for (ParameterGroup& group : result.parameters) {
    if (has_bias) group.shapes.push_back({width});
  }
  return result;
}

/// gW of the input, gW of the state, gX, all from the gradient of the gates.
std::vector<GradientStep> product_steps(const LayerCall& call, const Gates& gates,
                                        TensorRef gradient, std::vector<TensorRef> hidden_reads) {
  hidden_reads.push_back(gradient);
  return {{.of = GradientStep::Of::parameters,
           .index = 0,
           .shape = {},
           .flop = checked_sum({gates.input_flop, gates.bias_flop}),
           .reads = {ref::x(0), gradient}},
          {.of = GradientStep::Of::parameters,
           .index = 1,
           .shape = {},
           .flop = checked_sum({gates.hidden_flop, gates.bias_flop}),
           .reads = std::move(hidden_reads)},
          {.index = 0,
           .shape = call.inputs[0],
           .flop = gates.input_flop,
           .reads = {gradient},
           .parameters = {0}}};
}

}  // namespace

// X = x, h, c;  gates = r, 4 H: x, h; 8 r H (in + H) + (4 E + 6) r H;  c: gates, c; 3 r H;
// h: gates, c; (E + 1) r H.  dcell = the gradient of c by way of h too: gates, c, dh, dc;
// (E + 6) r H, over dc;  gc: gates, dcell; r H;  dgates: gates, c, the c before, dh, dcell;
// (E + 20) r H, over gates;  gx, gh: dgates, W;  gW: x or h, dgates
ExactLayer lstm(const LayerCall& call) {
  const Gates all = gates(call, 4);
  const Shape& state = call.inputs[1];
  const auto per_cell = [&](std::int64_t flop) { return checked_product({flop, all.cells}); };
  const TensorRef gates_node = ref::y(0);
  const TensorRef cell_node = ref::y(1);
  ExactLayer layer;
  layer.nodes = {
      {.suffix = "gates",
       .shape = all.shape,
       .flop = checked_sum({all.input_flop, all.hidden_flop, per_cell(4 * kExpFlop + 6)}),
       .reads = {ref::x(0), ref::x(1)},
       .parameters = {0, 1}},
      {.suffix = "c",
       .shape = state,
       .flop = per_cell(3),
       .reads = {gates_node, ref::x(2)},
       .is_readable = true},
      {.suffix = "",
       .shape = state,
       .flop = per_cell(kExpFlop + 1),
       .reads = {gates_node, cell_node}}};
  layer.parameters = all.parameters;
  layer.steps = {
      {.of = GradientStep::Of::inner,
       .shape = state,
       .flop = per_cell(kExpFlop + 6),
       .reads = {gates_node, cell_node, ref::dy(2), ref::dy(1)},
       .over = {ref::dy(1)},
       .name = "cell"},
      {.index = 2, .shape = state, .flop = all.cells, .reads = {gates_node, ref::step(0)}},
      {.of = GradientStep::Of::inner,
       .shape = all.shape,
       .flop = per_cell(kExpFlop + 20),
       .reads = {gates_node, cell_node, ref::x(2), ref::dy(2), ref::step(0)},
       .over = {gates_node},
       .name = "gates"}};
  for (GradientStep& step : product_steps(call, all, ref::step(2), {ref::x(1)})) {
    layer.steps.push_back(std::move(step));
  }
  layer.steps.push_back({.index = 1,
                         .shape = state,
                         .flop = all.hidden_flop,
                         .reads = {ref::step(2)},
                         .parameters = {1}});
  return layer;
}

// X = x, h;  gates = r, 3 H: x, h; 6 r H (in + H) + (3 E + 5) r H, the reset gate applied to h
// before its product (Cho et al., 2014);  h: gates, h; 3 r H.
// dgates: gates, h, dY, W; 2 r H H + 12 r H;  gx: dgates, W;  gh: dgates, gates, dY, W, with 4 r H
// on top;  gW: x, dgates; or h, gates, dgates. dgates is not over gates, which gh reads again.
// With `reset_after` the reset gate is applied to the product, bias included, as in cuDNN and
// torch.nn.GRU. The product has no tensor of its own: dgates computes that part of it again, which
// costs as much as the other form's way back through the product. So both forms have the same nodes
// and figures.
ExactLayer gru(const LayerCall& call) {
  const Gates all = gates(call, 3);
  const Shape& state = call.inputs[1];
  const auto per_cell = [&](std::int64_t flop) { return checked_product({flop, all.cells}); };
  ExactLayer layer;
  layer.nodes = {
      {.suffix = "gates",
       .shape = all.shape,
       .flop = checked_sum({all.input_flop, all.hidden_flop, per_cell(3 * kExpFlop + 5)}),
       .reads = {ref::x(0), ref::x(1)},
       .parameters = {0, 1}},
      {.suffix = "", .shape = state, .flop = per_cell(3), .reads = {ref::y(0), ref::x(1)}}};
  layer.parameters = all.parameters;
  layer.steps = {{.of = GradientStep::Of::inner,
                  .shape = all.shape,
                  .flop = checked_sum({all.hidden_flop / 3, per_cell(12)}),
                  .reads = {ref::y(0), ref::x(1), ref::dy(1)},
                  .parameters = {1},
                  .name = "gates"}};
  for (GradientStep& step : product_steps(call, all, ref::step(0), {ref::x(1), ref::y(0)})) {
    layer.steps.push_back(std::move(step));
  }
  layer.steps.push_back({.index = 1,
                         .shape = state,
                         .flop = checked_sum({all.hidden_flop, per_cell(4)}),
                         .reads = {ref::step(0), ref::y(0), ref::dy(1)},
                         .parameters = {1}});
  return layer;
}

}  // namespace poet::exact

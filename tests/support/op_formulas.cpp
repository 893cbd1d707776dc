// From the definitions of the ops, and not from src/model. A normalisation computes its statistics
// again. A rectifier, a sigmoid, a tanh and a softmax have gradients that follow from Y; a GELU, a
// SiLU and the hard functions need X. A dropout draws its mask from its seed again. A maximum has
// to know where it was.

#include "support/op_formulas.hpp"

#include <initializer_list>
#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace poet::test {
namespace {

using Table = std::map<std::string, OpFormulas>;

Table all_ops() {
  const OpFormulas product = {.output = "XW", .inputs = {"DW"}, .parameters = {"XD"}};
  const OpFormulas normalisation = {
      .output = "XW", .inputs = {"XDW/D"}, .parameters = {"XDW"}, .is_joint = true};
  const OpFormulas from_output = {.output = "X/X", .inputs = {"YD/D"}};
  const OpFormulas from_input = {.output = "X/X", .inputs = {"XD/D"}};
  const OpFormulas linear_map = {.output = "X", .inputs = {"D"}};
  const OpFormulas in_place_map = {.output = "X/X", .inputs = {"D/D"}};
  const OpFormulas loss = {.output = "XT", .inputs = {"XTD/X"}};
  Table table = {
      {"add", {.output = "XZ/XZ", .inputs = {"="}}},
      {"sub", {.output = "XZ/XZ", .inputs = {"=", "D/D"}}},
      {"mul", {.output = "XZ", .inputs = {"ZD/D", "XD"}}},
      {"div", {.output = "XZ", .inputs = {"ZD/D", "XZD"}}},
      {"matmul", {.output = "XZ", .inputs = {"ZD", "XD"}}},
      {"concat", {.output = "A", .inputs = {"D"}}},
      {"split", {.output = "X", .inputs = {"S"}}},
      {"embedding", {.output = "XW", .inputs = {""}, .parameters = {"XD"}}},
      {"max_pool2d", {.output = "X", .inputs = {"PD"}, .others = {{"index", "X"}}}},
      {"max_pool1d", {.output = "X", .inputs = {"PD"}, .others = {{"index", "X"}}}},
      // A slope may be negative, so that only X tells which elements it belongs to.
      {"prelu", {.output = "XW/X", .inputs = {"XDW/D"}, .parameters = {"XD"}}},
      {"linear_relu",
       {.output = "XW", .inputs = {"GW"}, .parameters = {"XG"}, .gradients = {{"z", "YD/D"}}}},
      // Y = P V with P = softmax(X Z'): the gradient of V is P' D, and that of P is D V'. The
      // gradient of the scores below softmax follows from P and that.
      {"attention",
       {.output = "PV",
        .inputs = {"GZ", "GX", "PD"},
        .others = {{"scores", "XZ"}},
        .gradients = {{"scores", "DVP/P"}}}},
      // The same in three layers, with the queries, keys and values in one tensor, which the last
      // one has for its second input. It makes the gradients of the layer between as well.
      {"attention_qkv", product},
      {"attention_scores", {.output = "X", .inputs = {""}}},
      {"attention_context",
       {.output = "XZ", .inputs = {"", "GXZD"}, .gradients = {{"scores", "DXZ"}}}},
      // P = gates of X = x and Z = h; the cell is Q = P V with V = the cell before; Y = P tanh(Q).
      // E is the gradient of the cell from the next time step, G from there and from Y.
      {"lstm",
       {.output = "PQ",
        .inputs = {"HW", "HU", "PG"},
        .parameters = {"XH", "ZH"},
        .parameter_names = {"input", "hidden"},
        .others = {{"gates", "XZWU"}, {"c", "PV"}},
        .gradients = {{"cell", "PQDE/E"}, {"gates", "PQVDG/P"}}}},
      // P = gates, one of which is applied to Z = h before its product with U, or to that product.
      // So the product is part of the gradients of the gates, of h and of U.
      {"gru",
       {.output = "PZ",
        .inputs = {"GW", "GPDU"},
        .parameters = {"XG", "ZPG"},
        .parameter_names = {"input", "hidden"},
        .others = {{"gates", "XZWU"}},
        .gradients = {{"gates", "PZDU"}}}}};
  const auto add = [&](const OpFormulas& formulas, std::initializer_list<const char*> ops) {
    for (const char* const op : ops) table.emplace(op, formulas);
  };
  add(product, {"conv2d", "conv1d", "conv_transpose2d", "linear"});
  add(normalisation, {"batch_norm2d", "batch_norm1d", "layer_norm", "group_norm"});
  add(from_output,
      {"relu", "relu6", "leaky_relu", "sigmoid", "tanh", "elu", "softmax", "log_softmax"});
  add(from_input, {"hard_sigmoid", "hard_swish", "silu", "gelu", "softplus"});
  add(in_place_map, {"dropout", "stochastic_depth"});
  add(linear_map, {"avg_pool2d", "avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool1d",
                   "global_avg_pool", "mean", "upsample2d", "slice", "permute"});
  add(loss, {"cross_entropy", "cross_entropy_loss", "mse"});
  return table;
}

/// `saves` says what the gradients read.
OpFormulas custom(const nlohmann::json& layer) {
  std::string reads;
  for (const std::string saved : layer.value("saves", nlohmann::json::array())) {
    reads += saved == "inputs" ? "A" : "Y";
  }
  reads += "D";
  const std::string over = layer.value("in_place", false) ? "/A" : "";
  if (layer.value("parameters", 0) == 0) return {.output = "A" + over, .inputs = {reads}};
  const bool is_joint = !layer.contains("grad_parameter_flops");
  return {.output = "AW" + over,
          .inputs = {reads + "W"},
          .parameters = {is_joint ? reads + "W" : reads},
          .is_joint = is_joint};
}

/// What an op has, whatever its layer says of its memory.
OpFormulas usual_formulas(const nlohmann::json& layer) {
  static const Table table = all_ops();
  const std::string op = layer.at("op");
  if (op == "custom") return custom(layer);
  const auto found = table.find(op);
  if (found == table.end()) throw std::runtime_error("no formulas for the op " + op);
  OpFormulas formulas = found->second;
  // The statistics of an earlier training make it a product with a diagonal matrix.
  if (layer.value("frozen", false)) {
    formulas = {.output = "XW/X", .inputs = {"DW/D"}};
  }
  if (op == "split") formulas.parts = static_cast<int>(layer.at("sizes").size());
  return formulas;
}

/// A layer that is stated to work in place overwrites D in the gradients of its inputs too.
std::string over_gradient(const std::string& formula) {
  if (formula.find('D') == std::string::npos) return formula;
  return formula + (formula.find('/') == std::string::npos ? "/D" : "D");
}

}  // namespace

OpFormulas formulas_of(const nlohmann::json& layer) {
  OpFormulas formulas = usual_formulas(layer);
  const auto stated = layer.find("in_place");
  if (stated == layer.end() || *stated != true) return formulas;
  for (std::string& formula : formulas.inputs) formula = over_gradient(formula);
  return formulas;
}

bool is_view(const std::string& op) {
  return op == "flatten" || op == "reshape" || op == "identity";
}

}  // namespace poet::test

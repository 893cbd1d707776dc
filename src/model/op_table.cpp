// One row per op of the model format: its name, how many inputs it takes, its attributes and the
// function that infers shape, parameters and FLOPs. The reader checks files against this table,
// defaults and error messages included, so a new op is a row here, a function in an ops_*.cpp, and
// a line in docs/model-format.md.

#include <algorithm>

#include "model/op.hpp"
#include "model/ops.hpp"

namespace poet {
namespace {

using Kind = AttributeRule::Kind;

std::vector<OpRule> make_rules() {
  const AttributeRule kernel{.name = "kernel", .kind = Kind::window};
  const AttributeRule pool_stride{.name = "stride"};
  const AttributeRule sequence{.name = "sequence"};
  const AttributeRule head_dim{.name = "head_dim"};
  const AttributeRule heads{.name = "heads"};
  const AttributeRule out_features{.name = "out_features"};
  return {
      {"conv2d",
       1,
       {{.name = "out_channels"},
        kernel,
        {.name = "stride", .otherwise = 1},
        {.name = "padding", .kind = Kind::window, .least = 0, .otherwise = 0}},
       ops::conv2d},
      {"batch_norm2d", 1, {}, ops::batch_norm2d},
      {"relu", 1, {}, ops::elementwise},
      {"dropout", 1, {}, ops::elementwise},
      {"flatten", 1, {}, ops::flatten},
      {"add",
       2,
       {{.name = "broadcast_channels", .kind = Kind::flag, .least = 0, .otherwise = 0}},
       ops::add},
      {"max_pool2d", 1, {kernel, pool_stride}, ops::pool2d},
      {"avg_pool2d", 1, {kernel, pool_stride}, ops::pool2d},
      {"global_avg_pool", 1, {}, ops::global_avg_pool},
      {"tanh", 1, {}, ops::tanh},
      {"sigmoid", 1, {}, ops::sigmoid},
      {"linear", 1, {out_features}, ops::linear},
      {"linear_relu", 1, {out_features}, ops::linear_relu},
      {"cross_entropy_loss", 1, {{.name = "classes"}}, ops::cross_entropy_loss},
      {"attention_qkv", 1, {sequence, {.name = "hidden"}, head_dim, heads}, ops::attention_qkv},
      {"attention_scores", 1, {sequence, head_dim, heads}, ops::attention_scores},
      {"attention_context", 1, {sequence, head_dim, heads}, ops::attention_context},
  };
}

}  // namespace

std::span<const OpRule> op_rules() {
  static const std::vector<OpRule> rules = make_rules();
  return rules;
}

const OpRule* find_op(std::string_view name) {
  const std::span<const OpRule> rules = op_rules();
  const auto rule = std::find_if(rules.begin(), rules.end(), [name](const OpRule& candidate) {
    return candidate.name == name;
  });
  return rule == rules.end() ? nullptr : &*rule;
}

}  // namespace poet

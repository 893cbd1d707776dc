// One row per op of the model format: its name, how many inputs it takes, its attributes, and the
// functions that say what it comes to: POET's formulas for the ops that POET's release has, and the
// true training step for all. The reader checks files against this table, defaults and error
// messages included, so a new op is a row here, a function in src/model/exact, and a line in
// docs/model-format.md.
//
// Tables by family keep the rows of ops with common attributes together. Lookups go through the
// list from the front: it has some fifty rows, and a file is read once.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/exact/exact_ops.hpp"
#include "model/op.hpp"
#include "model/ops.hpp"

namespace poet {
namespace {

using Kind = AttributeRule::Kind;

constexpr InputCount kOne{1, 1};
constexpr InputCount kTwo{2, 2};
constexpr InputCount kThree{3, 3};
constexpr InputCount kAny{1, kMaxInputs};

AttributeRule flag(std::string_view name, bool otherwise, int since = 2) {
  return {.name = name, .kind = Kind::flag, .least = 0, .otherwise = otherwise, .since = since};
}

AttributeRule axis(std::int64_t otherwise) {
  return {.name = "axis", .least = -8, .otherwise = otherwise, .since = 2};
}

/// Numbers that change results and no costs. Their defaults are what kernels had before layers had
/// numbers.
AttributeRule number(std::string_view name, AttributeRange range, double usual) {
  return {.name = name, .kind = Kind::number, .since = 2, .range = range, .usual_number = usual};
}

constexpr double kMostNumber = 1e30;

const AttributeRule kEpsilon = number("epsilon", {.least = 0, .most = kMostNumber}, 1e-5);

const AttributeRule kKernel{.name = "kernel", .kind = Kind::window};
const AttributeRule kBias = flag("bias", true);
const AttributeRule kGroups{.name = "groups", .otherwise = 1, .since = 2};
const AttributeRule kOutFeatures{.name = "out_features"};

std::vector<OpRule> window_ops() {
  const AttributeRule stride{
      .name = "stride", .kind = Kind::window, .otherwise = 1, .kind_of_version_1 = Kind::integer};
  const AttributeRule padding{.name = "padding",
                              .kind = Kind::padding,
                              .least = 0,
                              .otherwise = 0,
                              .kind_of_version_1 = Kind::window};
  const AttributeRule dilation{
      .name = "dilation", .kind = Kind::window, .otherwise = 1, .since = 2};
  const AttributeRule pool_stride{.name = "stride",
                                  .kind = Kind::window,
                                  .otherwise = 0,
                                  .kind_of_version_1 = Kind::integer,
                                  .is_required_in_version_1 = true,
                                  .default_text = "kernel"};
  const AttributeRule plain_padding{
      .name = "padding", .kind = Kind::window, .least = 0, .otherwise = 0, .since = 2};
  const AttributeRule ceil_mode = flag("ceil_mode", false);
  const AttributeRule channels{.name = "out_channels"};
  const AttributeRule signal_kernel{.name = "kernel"};
  const AttributeRule signal_stride{.name = "stride", .otherwise = 0, .default_text = "kernel"};
  const AttributeRule signal_padding{.name = "padding", .least = 0, .otherwise = 0};
  return {
      {"conv2d",
       kOne,
       {channels, kKernel, stride, padding, kGroups, dilation, kBias},
       ops::conv2d,
       exact::conv2d},
      {"conv1d",
       kOne,
       {channels,
        signal_kernel,
        {.name = "stride", .otherwise = 1},
        padding,
        kGroups,
        {.name = "dilation", .otherwise = 1},
        kBias},
       nullptr,
       exact::conv1d},
      {"conv_transpose2d",
       kOne,
       {channels,
        kKernel,
        stride,
        plain_padding,
        {.name = "output_padding", .kind = Kind::window, .least = 0, .otherwise = 0},
        kGroups,
        dilation,
        kBias},
       nullptr,
       exact::conv_transpose2d},
      {"max_pool2d",
       kOne,
       {kKernel, pool_stride, plain_padding, ceil_mode},
       ops::pool2d,
       exact::max_pool2d},
      {"avg_pool2d",
       kOne,
       {kKernel, pool_stride, plain_padding, ceil_mode, flag("count_include_pad", true)},
       ops::pool2d,
       exact::avg_pool2d},
      {"adaptive_avg_pool2d",
       kOne,
       {{.name = "output_size", .kind = Kind::window}},
       nullptr,
       exact::adaptive_avg_pool2d},
      {"max_pool1d",
       kOne,
       {signal_kernel, signal_stride, signal_padding, ceil_mode},
       nullptr,
       exact::max_pool1d},
      {"avg_pool1d",
       kOne,
       {signal_kernel, signal_stride, signal_padding, ceil_mode, flag("count_include_pad", true)},
       nullptr,
       exact::avg_pool1d},
      {"adaptive_avg_pool1d", kOne, {{.name = "output_size"}}, nullptr, exact::adaptive_avg_pool1d},
      {"global_avg_pool", kOne, {}, ops::global_avg_pool, exact::global_avg_pool},
      {"mean",
       kOne,
       {{.name = "axes", .kind = Kind::list, .least = -8}, flag("keep_dims", false)},
       nullptr,
       exact::mean},
      {"upsample2d",
       kOne,
       {{.name = "scale", .kind = Kind::window},
        {.name = "mode", .kind = Kind::choice, .otherwise = 0, .words = {"nearest", "bilinear"}}},
       nullptr,
       exact::upsample2d},
  };
}

std::vector<OpRule> dense_ops() {
  AttributeRule value = number("value", {.least = -kMostNumber, .most = kMostNumber}, 0);
  value.may_be_absent = true;
  value.default_text = "the seed's";
  return {
      {"linear", kOne, {kOutFeatures, kBias}, ops::linear, exact::linear},
      {"linear_relu", kOne, {kOutFeatures, kBias}, ops::linear_relu, exact::linear_relu},
      {"matmul",
       kTwo,
       {flag("transpose_a", false), flag("transpose_b", false)},
       nullptr,
       exact::matmul},
      {"embedding", kOne, {{.name = "vocabulary"}, {.name = "width"}}, nullptr, exact::embedding},
      {"parameter",
       {0, 0},
       {{.name = "shape", .kind = Kind::shape}, value},
       nullptr,
       exact::parameter},
  };
}

std::vector<OpRule> elementwise_ops() {
  const AttributeRule frozen = flag("frozen", false);
  const AttributeRule mask = flag("mask", false);
  const AttributeRule momentum = number("momentum", {.least = 0, .most = 1}, 0.1);
  // The gradient follows from the output, which must have the sign of the input.
  const AttributeRule slope = number("slope", {.least = 0, .most = kMostNumber}, 0.01);
  const AttributeRule alpha = number("alpha", {.least = 0, .most = kMostNumber}, 1);
  const AttributeRule beta = number("beta", {.least = 1e-6, .most = kMostNumber}, 1);
  const AttributeRule threshold =
      number("threshold", {.least = -kMostNumber, .most = kMostNumber}, 20);
  const AttributeRule rate = number("rate", {.least = 0, .most = 1, .is_below_most = true}, 0.1);
  return {
      {"batch_norm2d", kOne, {frozen, kEpsilon, momentum}, ops::batch_norm2d, exact::batch_norm2d},
      {"batch_norm1d", kOne, {frozen, kEpsilon, momentum}, nullptr, exact::batch_norm1d},
      {"layer_norm",
       kOne,
       {{.name = "dims", .otherwise = 1}, kBias, kEpsilon},
       nullptr,
       exact::layer_norm},
      {"group_norm", kOne, {{.name = "groups"}, kEpsilon}, nullptr, exact::group_norm},
      {"relu", kOne, {mask}, ops::elementwise, exact::relu},
      {"relu6", kOne, {mask}, nullptr, exact::relu},
      {"leaky_relu", kOne, {mask, slope}, nullptr, exact::relu},
      {"sigmoid", kOne, {}, ops::sigmoid, exact::sigmoid},
      {"tanh", kOne, {}, ops::tanh, exact::sigmoid},
      {"hard_sigmoid", kOne, {}, nullptr, exact::hard_sigmoid},
      {"hard_swish", kOne, {}, nullptr, exact::hard_sigmoid},
      {"silu", kOne, {}, nullptr, exact::silu},
      {"gelu", kOne, {}, nullptr, exact::silu},
      {"prelu", kOne, {flag("per_channel", false)}, nullptr, exact::prelu},
      {"elu", kOne, {alpha}, nullptr, exact::elu},
      {"softplus", kOne, {beta, threshold}, nullptr, exact::softplus},
      {"softmax", kOne, {axis(-1)}, nullptr, exact::softmax},
      {"log_softmax", kOne, {axis(-1)}, nullptr, exact::log_softmax},
      {"dropout", kOne, {rate}, ops::elementwise, exact::dropout},
      {"stochastic_depth", kOne, {rate}, nullptr, exact::dropout},
      {"add", kTwo, {flag("broadcast_channels", false, 1)}, ops::add, exact::add},
      {"sub", kTwo, {}, nullptr, exact::sub},
      {"mul", kTwo, {}, nullptr, exact::mul},
      {"div", kTwo, {}, nullptr, exact::div},
  };
}

std::vector<OpRule> shape_ops() {
  return {
      {"concat", kAny, {axis(1)}, nullptr, exact::concat},
      {"split", kOne, {{.name = "sizes", .kind = Kind::list}, axis(1)}, nullptr, exact::split},
      {"slice",
       kOne,
       {{.name = "start", .least = 0, .otherwise = 0}, {.name = "size"}, axis(1)},
       nullptr,
       exact::slice},
      {"reshape", kOne, {{.name = "shape", .kind = Kind::shape}}, nullptr, exact::reshape},
      {"flatten", kOne, {}, ops::flatten, exact::flatten},
      {"identity", kOne, {}, nullptr, exact::identity},
      {"permute",
       kOne,
       {{.name = "order", .kind = Kind::list, .least = 0}},
       nullptr,
       exact::permute},
  };
}

// Attributes whose default stands for something else, such as the kernel for a pool's stride, have
// a text for --list-ops beside their number.
std::vector<OpRule> composite_ops() {
  const AttributeRule sequence{.name = "sequence"};
  const AttributeRule head_dim{.name = "head_dim"};
  const AttributeRule heads{.name = "heads"};
  const std::vector<AttributeRule> classes = {{.name = "classes"}};
  const auto flops = [](std::string_view name, std::string_view default_text) -> AttributeRule {
    return {.name = name, .least = 0, .otherwise = -1, .default_text = default_text};
  };
  return {
      {"cross_entropy", kOne, classes, nullptr, exact::cross_entropy, true},
      {"cross_entropy_loss", kOne, classes, ops::cross_entropy_loss, exact::cross_entropy, true},
      {"mse", kOne, {}, nullptr, exact::mse, true},
      {"attention", kThree, {heads, flag("causal", false)}, nullptr, exact::attention},
      {"attention_qkv",
       kOne,
       {sequence, {.name = "hidden"}, head_dim, heads},
       ops::attention_qkv,
       exact::attention_qkv},
      {"attention_scores",
       kOne,
       {sequence, head_dim, heads},
       ops::attention_scores,
       exact::attention_scores},
      {"attention_context",
       kOne,
       {sequence, head_dim, heads},
       ops::attention_context,
       exact::attention_context,
       false,
       true},
      {"lstm", kThree, {kBias}, nullptr, exact::lstm},
      {"gru", kTwo, {kBias, flag("reset_after", false)}, nullptr, exact::gru},
      {"custom",
       kAny,
       {{.name = "shape", .kind = Kind::shape},
        {.name = "flops", .least = 0},
        {.name = "parameters", .least = 0, .otherwise = 0},
        {.name = "saves",
         .kind = Kind::choices,
         .otherwise = 0,
         .words = {"inputs", "output"},
         .default_text = "none"},
        flops("grad_flops", "flops"),
        flops("grad_parameter_flops", "in the same node")},
       nullptr,
       exact::custom},
  };
}

std::vector<OpRule> make_rules() {
  std::vector<OpRule> rules;
  for (auto family : {window_ops, dense_ops, elementwise_ops, shape_ops, composite_ops}) {
    for (OpRule& rule : family()) rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

bool AttributeRange::contains(double value) const {
  const auto single = static_cast<float>(value);
  const bool is_small_enough = is_below_most ? double{single} < most : value <= most;
  return std::isfinite(single) && value >= least && is_small_enough;
}

std::string AttributeRange::text() const {
  return fmt::format("a number from {} to {}{}", least, is_below_most ? "below " : "", most);
}

Attribute AttributeRule::usual() const {
  if (kind == Kind::number) return {.number = usual_number};
  return {.height = *otherwise, .width = *otherwise};
}

bool AttributeRule::is_usual(const Attribute& attribute) const {
  if (kind == Kind::number) {
    return may_be_absent ? attribute.height == 0 : attribute.number == usual_number;
  }
  // Flags and choices keep their value in `height` alone.
  const bool is_scalar = kind == Kind::flag || kind == Kind::choice;
  const std::int64_t width = is_scalar ? attribute.height : attribute.width;
  return otherwise && attribute.list.empty() && attribute.height == *otherwise &&
         width == *otherwise;
}

Shape LayerCall::shape(std::string_view name) const {
  Shape shape = list(name);
  for (std::int64_t& extent : shape) {
    if (extent == 0) extent = batch_size;
  }
  return shape;
}

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

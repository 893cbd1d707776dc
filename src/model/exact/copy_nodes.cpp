// Copies that gradients read in place of tensors of the forward pass, so that the tensors may go
// after their last forward reader. A copy is a node like others: it is made from its tensor, and
// may be made again, paged and freed. What it saves and what it costs is for the solver to weigh;
// here a gradient is charged for the conversion of what it reads, and reads as many bytes as
// without copies (memory_waits.cpp), so that no gradient gets cheaper by a copy.

#include "model/exact/copy_nodes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"
#include "problem/alignment.hpp"

namespace poet {
namespace {

using Copied = TensorRef::Copied;

/// Scales of fewer elements take more bytes than they are worth.
constexpr std::int64_t kLeastGroup = 8;
constexpr std::int64_t kWordBytes = 4;  ///< of a scale, and of an element of a tensor with copies
constexpr std::int64_t kBitsInByte = 8;

bool serves(CopyMode mode, Copied copied) {
  if (mode == CopyMode::exact) return copied == Copied::sign;
  return mode == CopyMode::int8 && copied != Copied::never;
}

/// Layers and inputs say "copy": "never"; elements of less than four bytes are not worth a copy.
bool may_have_copy(const ModelNode& node, CopyRule rule) {
  return rule == CopyRule::chosen &&
         (!node.bytes || *node.bytes == kWordBytes * element_count(node.out_shape));
}

bool is_smaller(const ModelNode& node, CopyMode mode, Bytes alignment) {
  return aligned(copy_bytes(node.out_shape, mode), alignment) <
         aligned(kWordBytes * element_count(node.out_shape), alignment);
}

CopyRule rule_of(const Draft& draft, const ModelSpec& spec, int node) {
  const int layer = draft.formulas[node].layer;
  if (layer >= 0) return draft.layers[layer].spec->copy;
  const auto input = std::find_if(
      spec.inputs.begin(), spec.inputs.end(),
      [&](const InputSpec& each) { return each.name == draft.model.nodes[node].name; });
  return input == spec.inputs.end() ? CopyRule::never : input->copy;
}

[[noreturn]] void fail(const std::string& name) {
  throw InputError("copies", fmt::format("found '{}', which is no tensor of the forward pass that "
                                         "gradients can read from a smaller copy; info lists them",
                                         printable(name)));
}

}  // namespace

// A plane of an image, or else a row, has one scale; short ones share it with their neighbours.
CopyLayout copy_layout(const Shape& shape) {
  const std::int64_t count = element_count(shape);
  std::size_t left = shape.size();
  std::int64_t size = 1;
  const auto take_next = [&] { size *= shape[--left]; };
  if (shape.size() == 4) take_next();
  if (left > 0) take_next();
  while (size < kLeastGroup && left > 0) take_next();
  const std::int64_t groups = size > 0 ? count / size : 0;
  return {groups, size,
          checked_sum({aligned(count, kWordBytes), checked_product({kWordBytes, groups})})};
}

Bytes copy_bytes(const Shape& shape, CopyMode mode) {
  if (mode == CopyMode::int8) return copy_layout(shape).bytes;
  return (element_count(shape) + kBitsInByte - 1) / kBitsInByte;
}

// A layer whose tensor is not to be paged has no copy that is paged either.
void add_stated_copy(Draft& draft, const Copies& copies, int node, CopyRule rule) {
  const ModelNode& from = draft.model.nodes[node];
  if (std::find(copies.tensors.begin(), copies.tensors.end(), from.name) == copies.tensors.end()) {
    return;
  }
  if (!may_have_copy(from, rule) || !is_smaller(from, copies.mode, 1)) fail(from.name);
  const bool is_bytes = copies.mode == CopyMode::int8;
  ModelNode copy;
  copy.name = take_name(draft, fmt::format("{}({})", is_bytes ? "bytes" : "bits", from.name));
  copy.op = is_bytes ? kBytesOp : kBitsOp;
  copy.bytes = copy_bytes(from.out_shape, copies.mode);
  copy.out_shape = {*copy.bytes};
  copy.flop = checked_product({2, element_count(from.out_shape)});
  copy.page = from.page;
  copy.copy_of = node;
  copy.operands = {{node, from.out_shape}};
  NodeFormula formula{.layer = draft.formulas[node].layer,
                      .operands = {{FormulaOperand::Kind::tensor, node, from.out_shape}}};
  draft.copies[node] = add_node(draft, std::move(copy), std::move(formula), {});
}

int read_node(const Draft& draft, int node, TensorRef tensor) {
  const int copy = draft.copies[node];
  if (copy < 0) return node;
  const bool is_bits = draft.model.nodes[copy].op == kBitsOp;
  return serves(is_bits ? CopyMode::exact : CopyMode::int8, tensor.copied) ? copy : node;
}

void read_copy(Draft& draft, int copy, TensorRef tensor, ModelNode& gradient) {
  const Shape& shape = draft.formulas[copy].operands.front().shape;
  gradient.flop = checked_sum({gradient.flop, element_count(shape)});
  gradient.workspace_bytes =
      checked_sum({gradient.workspace_bytes, checked_product({kWordBytes, tensor.tile})});
  if (tensor.copied == Copied::sign) draft.formulas[copy].keeps_sign = true;
}

void expect_read_copies(const Draft& draft, const ModelSpec& spec) {
  std::vector<bool> is_read(draft.model.nodes.size());
  for (const ModelNode& node : draft.model.nodes) {
    for (const int input : node.inputs) is_read[input] = true;
  }
  for (const std::string& name : spec.copies.tensors) {
    const auto node = std::find_if(draft.model.nodes.begin(), draft.model.nodes.end(),
                                   [&](const ModelNode& each) { return each.name == name; });
    if (node == draft.model.nodes.end()) fail(name);
    const int copy = draft.copies[node - draft.model.nodes.begin()];
    if (copy < 0 || !is_read[copy]) fail(name);
  }
}

std::vector<std::string> copy_candidates(const Draft& draft, const ModelSpec& spec, CopyMode mode,
                                         Bytes alignment) {
  const std::vector<ModelNode>& nodes = draft.model.nodes;
  std::vector<bool> is_candidate(nodes.size());
  for (const NodeFormula& formula : draft.formulas) {
    if (formula.step < 0) continue;
    const GradientStep& step = draft.layers[formula.layer].exact.steps[formula.step];
    for (std::size_t r = 0; r < step.reads.size(); ++r) {
      const FormulaOperand& operand = formula.operands[r];
      if (operand.kind != FormulaOperand::Kind::tensor || !serves(mode, step.reads[r].copied)) {
        continue;
      }
      const ModelNode& node = nodes[operand.index];
      is_candidate[operand.index] = may_have_copy(node, rule_of(draft, spec, operand.index)) &&
                                    is_smaller(node, mode, alignment);
    }
  }
  std::vector<std::string> names;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (is_candidate[k]) names.push_back(nodes[k].name);
  }
  return names;
}

}  // namespace poet

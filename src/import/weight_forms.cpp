#include "import/weight_forms.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/constants.hpp"
#include "import/match.hpp"
#include "import/weight_numbers.hpp"

namespace poet {
namespace {

/// Whether a node does more to a weight than to give it another shape, or a part of it.
bool moves(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.op == "Transpose") return true;
  if (node.op != "Slice" && node.op != "Gather") return false;
  const bool is_slice = node.op == "Slice";
  const auto list = [&](std::size_t input, const char* key) {
    return whole_numbers(graph, node, input, key);
  };
  const bool is_first = is_slice
                            ? list(1, "starts").size() == 1 && are_all(graph, node, 3, "axes", 0) &&
                                  are_all(graph, node, 4, "steps", 1)
                            : node.integer("axis", 0) == 0 && are_neighbours(list(1, ""));
  return !is_first || graph.at(node.input(0)).origin >= 0;
}

/// What a node does to a weight, as words that are equal if the weights are.
std::string form_of(const OnnxGraph& graph, const OnnxNode& node) {
  if (node.op == "Cast" || node.op == "Identity") return {};
  std::string text =
      node.op == "Transpose"
          ? fmt::format("T{}", fmt::join(node.integers("perm"), ","))
          : fmt::format("{}{}", node.op == "Slice" || node.op == "Gather" ? node.op : "",
                        fmt::join(graph.at(node.output(0)).shape, ","));
  for (std::size_t i = 1; i < node.inputs.size() && node.op != "Reshape"; ++i) {
    const auto& values = node.inputs[i] < 0 ? std::nullopt : graph.at(node.inputs[i]).values;
    if (values) text += fmt::format(":{}", fmt::join(*values, ","));
  }
  return text + ";";
}

}  // namespace

void take_numbers(OnnxTensor& weight, std::shared_ptr<const std::vector<float>> numbers) {
  constexpr std::size_t kFew = 16;
  weight.numbers = std::move(numbers);
  if (weight.numbers && weight.numbers->size() <= kFew && weight.shape.size() < 2) {
    weight.values = weight.known();
  }
}

bool fold_form(OnnxGraph& graph, const OnnxNode& node) {
  if (node.outputs.size() != 1 || node.output(0) < 0 || node.input(0) < 0) return false;
  for (const int tensor : node.inputs) {
    if (tensor < 0) continue;
    OnnxTensor& in = graph.tensors[tensor];
    if (!in.is_constant) return false;
    if (!in.numbers) {
      in.numbers = std::make_shared<std::vector<float>>(in.values->begin(), in.values->end());
    }
  }
  const auto numbers = numbers_of_form(graph, node);
  if (!numbers) return false;
  graph.tensors[node.output(0)].values = {numbers->begin(), numbers->end()};
  return true;
}

bool take_form(OnnxGraph& graph, const OnnxNode& node, bool keep_numbers) {
  // Comparisons make masks of buffers.
  static const std::set<std::string> forms = {
      "Transpose", "Reshape", "Unsqueeze", "Squeeze", "Cast",        "Identity",
      "Slice",     "Concat",  "Expand",    "Gather",  "Equal",       "Less",
      "Greater",   "Not",     "And",       "Or",      "LessOrEqual", "GreaterOrEqual"};
  const int from = node.input(0);
  if (!forms.contains(node.op) || from < 0 || node.output(0) < 0) return false;
  if (node.op == "Gather" && !are_neighbours(whole_numbers(graph, node, 1, ""))) return false;
  for (const int tensor : node.inputs) {
    if (tensor >= 0 && graph.at(tensor).is_data()) return false;
  }
  OnnxTensor& out = graph.tensors[node.output(0)];
  const bool has_numbers = graph.at(from).numbers || graph.at(from).values;
  if (!graph.at(from).is_weight || (out.is_integer && has_numbers)) return false;
  out.is_weight = true;
  graph.forms[node.output(0)] = node;
  // Several weights in one are a weight of their own.
  if (node.op == "Concat") {
    take_numbers(out, numbers_of_form(graph, node));
    return true;
  }
  out.origin = graph.at(from).origin < 0 ? from : graph.at(from).origin;
  out.form = graph.at(from).form + form_of(graph, node);
  out.is_moved = graph.at(from).is_moved || moves(graph, node);
  const int start = node.op == "Slice" || node.op == "Gather" ? node.input(1) : -1;
  const auto& values = start < 0 ? out.values : graph.at(start).values;
  out.part_start =
      values && !values->empty() ? whole_number(values->front()) : graph.at(from).part_start;
  const bool is_asked_for = keep_numbers || node.op != "Transpose";
  if (is_asked_for) take_numbers(out, numbers_of_form(graph, node));
  return true;
}

}  // namespace poet

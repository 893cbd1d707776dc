#include "import/train_layers.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

bool has_parameters(const LayerSpec& layer) {
  static const std::set<std::string_view> ops = {
      "conv1d",     "conv2d",     "conv_transpose2d", "linear",    "batch_norm1d", "batch_norm2d",
      "layer_norm", "group_norm", "embedding",        "parameter", "lstm"};
  if (layer.op == "custom") return layer.attributes.at("parameters").height > 0;
  return ops.contains(layer.op);
}

/// The number of `last:3`.
std::size_t count_of(const std::string& text) {
  std::size_t count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc{} && stop == text.data() + text.size() && count > 0) return count;
  throw InputError(
      fmt::format("found 'last:{}'; expected a number from 1 after last:", printable(text)));
}

}  // namespace

void choose_trainable(ModelSpec& spec, const std::string& wanted) {
  if (wanted.empty() || wanted == "all") return;
  std::vector<LayerSpec*> own;
  for (LayerSpec& layer : spec.layers) {
    if (has_parameters(layer) && layer.trainable && !layer.weights) own.push_back(&layer);
  }
  std::set<std::string> chosen;
  constexpr std::string_view kLast = "last:";
  if (wanted.starts_with(kLast)) {
    const std::size_t count = std::min(count_of(wanted.substr(kLast.size())), own.size());
    for (auto layer = own.end() - static_cast<std::ptrdiff_t>(count); layer != own.end(); ++layer) {
      chosen.insert((*layer)->name);
    }
  } else {
    for (const LayerSpec* layer : own) {
      if (::fnmatch(wanted.c_str(), layer->name.c_str(), 0) == 0) chosen.insert(layer->name);
    }
  }
  if (chosen.empty()) {
    std::vector<std::string_view> names;
    names.reserve(own.size());
    for (const LayerSpec* layer : own) names.emplace_back(layer->name);
    throw InputError(fmt::format(
        "no layer with parameters has a name like '{}'; expected all, last:N or a pattern such as "
        "'{}*'{}",
        printable(wanted), names.empty() ? "fc" : printable(names.back()),
        did_you_mean(wanted, names)));
  }
  for (LayerSpec& layer : spec.layers) {
    const std::string& owner = layer.weights ? layer.weights->name : layer.name;
    if (has_parameters(layer) && !chosen.contains(owner)) layer.trainable = false;
  }
}

}  // namespace poet

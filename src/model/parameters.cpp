// What the layers of each op learn: PyTorch's names, what the tensors begin as, and where an ONNX
// file has them. Bytes (training_arrays.cpp), imports, seeds, files of parameters, checkpoints and
// exports all ask this table, so that a new op has one row to add and a name one place to be
// misspelled in.

#include "model/parameters.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

namespace poet {
namespace {

using Form = OnnxForm;

constexpr std::string_view kWeightName = "weight";
constexpr std::string_view kBiasName = "bias";
constexpr std::string_view kMean = "running_mean";
constexpr std::string_view kVariance = "running_var";
constexpr std::string_view kBatches = "num_batches_tracked";

// Each with its name, what it begins near, its group, the input of the ONNX node, and its form
// there.

constexpr std::nullopt_t kFanIn = std::nullopt;
constexpr LayerTensor kWeight{kWeightName, kFanIn, 0, kWeightInput};
constexpr LayerTensor kGamma{kWeightName, 1.0F, 0, kWeightInput, Form::flat};
constexpr LayerTensor kFlatBias{kBiasName, 0.0F, 0, 2, Form::flat};

constexpr std::array kWeightAlone{kWeight};
constexpr std::array kWeightAndBias{kWeight, kFlatBias};
constexpr std::array kLearnedTensor{LayerTensor{"", kFanIn, 0, kWeightInput}};
// The slopes of a prelu: He et al., 2015, section 2.1.
constexpr std::array kSlopes{LayerTensor{kWeightName, 0.25F, 0, kWeightInput}};
constexpr std::array kLayerNorm{LayerTensor{kWeightName, 1.0F, 0, kWeightInput},
                                LayerTensor{kBiasName, 0.0F, 0, 2}};
constexpr std::array kGroupNorm{kGamma, kFlatBias};
constexpr std::array kBatchNorm{kGamma, kFlatBias,
                                LayerTensor{kMean, 0.0F, kStatistics, 3, Form::flat},
                                LayerTensor{kVariance, 1.0F, kStatistics, 4, Form::flat},
                                LayerTensor{kBatches, 0.0F, kStatistics}};

/// The input of a cell is group 0, and its state is group 1.
constexpr std::array<LayerTensor, 4> cell(std::span<const std::size_t> gates) {
  return {{{"weight_ih", kFanIn, 0, kWeightInput, Form::gates, gates},
           {"weight_hh", kFanIn, 1, 2, Form::gates, gates},
           {"bias_ih", 0.0F, 0, 3, Form::input_bias, gates},
           {"bias_hh", 0.0F, 1, 3, Form::hidden_bias, gates}}};
}

constexpr std::array<std::size_t, 4> kLstmGates{0, 2, 3, 1};  // i f g o, of i o f c
constexpr std::array<std::size_t, 3> kGruGates{1, 0, 2};      // r z n, of z r h
constexpr std::array kLstm = cell(kLstmGates);
constexpr std::array kGru = cell(kGruGates);

struct OpTensors {
  std::string_view op;
  std::span<const LayerTensor> tensors;
};

constexpr OpTensors kTable[] = {{"conv1d", kWeightAndBias},
                                {"conv2d", kWeightAndBias},
                                {"conv_transpose2d", kWeightAndBias},
                                {"linear", kWeightAndBias},
                                {"linear_relu", kWeightAndBias},
                                {"attention_qkv", kWeightAlone},
                                {"embedding", kWeightAlone},
                                {"custom", kWeightAlone},
                                {"parameter", kLearnedTensor},
                                {"prelu", kSlopes},
                                {"layer_norm", kLayerNorm},
                                {"group_norm", kGroupNorm},
                                {"batch_norm1d", kBatchNorm},
                                {"batch_norm2d", kBatchNorm},
                                {"lstm", kLstm},
                                {"gru", kGru}};

constexpr std::array<std::string_view, 1> kMomentum = {"momentum_buffer"};
constexpr std::array<std::string_view, 2> kAdam = {"exp_avg", "exp_avg_sq"};

}  // namespace

std::span<const LayerTensor> tensors_of_op(std::string_view op) {
  const auto* const found = std::ranges::find(kTable, op, &OpTensors::op);
  return found == std::end(kTable) ? std::span<const LayerTensor>() : found->tensors;
}

std::string tensor_name(std::string_view layer, const LayerTensor& tensor) {
  return tensor.name.empty() ? std::string(layer) : fmt::format("{}.{}", layer, tensor.name);
}

std::string_view layer_of_weight(std::string_view name) {
  const std::size_t end = name.rfind(fmt::format(".{}", kWeightName));
  return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

bool is_weight_name(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return last.size() < name.size() && (last == kWeightName || last == kBiasName);
}

StatisticsNames statistics_names(std::string_view layer) {
  const auto full = [&](std::string_view name) { return fmt::format("{}.{}", layer, name); };
  return {full(kMean), full(kVariance), full(kBatches)};
}

std::span<const std::string_view> moments_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::sgd:
      return {};
    case Optimizer::momentum:
      return kMomentum;
    case Optimizer::adam:
      break;
  }
  return kAdam;
}

}  // namespace poet

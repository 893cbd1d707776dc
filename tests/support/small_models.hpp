#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace poet::test {

/// A model file in parts.
struct SmallModel {
  std::string name;
  std::string inputs;
  std::string layers;
};

inline void PrintTo(const SmallModel& model, std::ostream* out) {
  *out << model.name;
}

inline const std::string kImages = R"(
  {"name": "conv", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 3, "padding": "same"},
  {"name": "norm", "op": "batch_norm2d", "inputs": ["conv"]},
  {"name": "swish", "op": "hard_swish", "inputs": ["norm"]},
  {"name": "up", "op": "conv_transpose2d", "inputs": ["swish"], "out_channels": 4, "kernel": 2, "stride": 2},
  {"name": "max", "op": "max_pool2d", "inputs": ["up"], "kernel": 2},
  {"name": "parts", "op": "split", "inputs": ["max"], "sizes": [1, 3]},
  {"name": "join", "op": "concat", "inputs": ["parts.1", "parts.0"]},
  {"name": "squeeze", "op": "adaptive_avg_pool2d", "inputs": ["join"], "output_size": 1},
  {"name": "excite", "op": "hard_sigmoid", "inputs": ["squeeze"]},
  {"name": "scale", "op": "mul", "inputs": ["join", "excite"]},
  {"name": "large", "op": "upsample2d", "inputs": ["scale"], "scale": 2, "mode": "nearest"},
  {"name": "small", "op": "avg_pool2d", "inputs": ["large"], "kernel": 2},
  {"name": "groups", "op": "group_norm", "inputs": ["small"], "groups": 2},
  {"name": "leaky", "op": "leaky_relu", "inputs": ["groups"]},
  {"name": "silu", "op": "silu", "inputs": ["groups"]},
  {"name": "ratio", "op": "div", "inputs": ["leaky", "silu"]},
  {"name": "frozen", "op": "batch_norm2d", "inputs": ["ratio"], "frozen": true},
  {"name": "depth", "op": "stochastic_depth", "inputs": ["frozen"]},
  {"name": "skip", "op": "add", "inputs": ["depth", "groups"]},
  {"name": "relu6", "op": "relu6", "inputs": ["skip"]},
  {"name": "pool", "op": "global_avg_pool", "inputs": ["relu6"]},
  {"name": "fc", "op": "linear", "inputs": ["pool"], "out_features": 4, "trainable": false},
  {"name": "loss", "op": "cross_entropy_loss", "inputs": ["fc"], "classes": 4})";

// Their inputs have both signs.
inline const std::string kActivations = R"(
  {"name": "conv", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 1},
  {"name": "slopes", "op": "prelu", "inputs": ["conv"], "per_channel": true},
  {"name": "mixed", "op": "conv2d", "inputs": ["slopes"], "out_channels": 4, "kernel": 1},
  {"name": "elu", "op": "elu", "inputs": ["mixed"], "alpha": 0.5},
  {"name": "plus", "op": "softplus", "inputs": ["elu"], "beta": 2, "threshold": 1},
  {"name": "side", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 1},
  {"name": "sum", "op": "add", "inputs": ["plus", "side"]},
  {"name": "flat", "op": "flatten", "inputs": ["sum"]},
  {"name": "fc", "op": "linear", "inputs": ["flat"], "out_features": 4},
  {"name": "loss", "op": "cross_entropy_loss", "inputs": ["fc"], "classes": 4})";

inline const std::string kSequences = R"(
  {"name": "table", "op": "embedding", "inputs": ["input"], "vocabulary": 7, "width": 4},
  {"name": "place", "op": "parameter", "inputs": [], "shape": [1, 6, 4]},
  {"name": "placed", "op": "add", "inputs": ["table", "place"]},
  {"name": "norm", "op": "layer_norm", "inputs": ["placed"]},
  {"name": "q", "op": "linear", "inputs": ["norm"], "out_features": 4},
  {"name": "k", "op": "linear", "inputs": ["norm"], "out_features": 4},
  {"name": "v", "op": "linear", "inputs": ["norm"], "out_features": 4},
  {"name": "heads", "op": "attention", "inputs": ["q", "k", "v"], "heads": 2},
  {"name": "gelu", "op": "gelu", "inputs": ["heads"]},
  {"name": "cut", "op": "slice", "inputs": ["gelu"], "axis": 1, "start": 5, "size": 1},
  {"name": "last", "op": "reshape", "inputs": ["cut"], "shape": ["N", 4]},
  {"name": "step1", "op": "lstm", "inputs": ["last", "h0", "c0"]},
  {"name": "step2", "op": "lstm", "inputs": ["last", "step1", "step1.c"], "weights": "step1"},
  {"name": "gru", "op": "gru", "inputs": ["step2", "step1"]},
  {"name": "after", "op": "gru", "inputs": ["gru", "step2"], "reset_after": true},
  {"name": "drop", "op": "dropout", "inputs": ["after"]},
  {"name": "out", "op": "linear", "inputs": ["drop"], "out_features": 7, "bias": false, "weights": "table"},
  {"name": "loss", "op": "cross_entropy", "inputs": ["out"], "classes": 7, "target": "next"})";

inline const std::string kSignals = R"(
  {"name": "below", "op": "conv1d", "inputs": ["input"], "out_channels": 3, "kernel": 1, "trainable": false},
  {"name": "conv", "op": "conv1d", "inputs": ["below"], "out_channels": 4, "kernel": 3, "padding": 1},
  {"name": "norm", "op": "batch_norm1d", "inputs": ["conv"]},
  {"name": "tanh", "op": "tanh", "inputs": ["norm"]},
  {"name": "turned", "op": "permute", "inputs": ["tanh"], "order": [0, 2, 1]},
  {"name": "square", "op": "matmul", "inputs": ["tanh", "turned"]},
  {"name": "soft", "op": "softmax", "inputs": ["square"]},
  {"name": "mixed", "op": "matmul", "inputs": ["soft", "tanh"]},
  {"name": "rest", "op": "sub", "inputs": ["norm", "mixed"]},
  {"name": "level", "op": "mean", "inputs": ["rest"], "axes": [2], "keep_dims": true},
  {"name": "even", "op": "sub", "inputs": ["rest", "level"]},
  {"name": "sigmoid", "op": "sigmoid", "inputs": ["even"]},
  {"name": "max", "op": "max_pool1d", "inputs": ["sigmoid"], "kernel": 2},
  {"name": "logs", "op": "log_softmax", "inputs": ["max"], "axis": 1},
  {"name": "smooth", "op": "avg_pool1d", "inputs": ["logs"], "kernel": 3, "stride": 1, "padding": 1},
  {"name": "slope", "op": "prelu", "inputs": ["smooth"]},
  {"name": "two", "op": "adaptive_avg_pool1d", "inputs": ["slope"], "output_size": 2},
  {"name": "flat", "op": "flatten", "inputs": ["two"]},
  {"name": "dense", "op": "linear_relu", "inputs": ["flat"], "out_features": 4},
  {"name": "same", "op": "identity", "inputs": ["dense"]},
  {"name": "own", "op": "custom", "inputs": ["same"], "shape": ["N", 4], "flops": 9, "parameters": 3,
   "saves": ["inputs", "output"], "grad_parameter_flops": 2},
  {"name": "joint", "op": "custom", "inputs": ["own", "dense"], "shape": ["N", 4], "flops": 9,
   "parameters": 3, "saves": ["output"], "in_place": true},
  {"name": "plain", "op": "custom", "inputs": ["joint"], "shape": ["N", 4], "flops": 9},
  {"name": "relu", "op": "relu", "inputs": ["plain"]},
  {"name": "loss", "op": "mse", "inputs": ["relu"], "target": "wanted"})";

// Learned tensors in every place, and parameters that several layers use or only some may change.
inline const std::string kLearned = R"(
  {"name": "h0", "op": "parameter", "inputs": [], "shape": [1, 4]},
  {"name": "c0", "op": "parameter", "inputs": [], "shape": [1, 4]},
  {"name": "lstm", "op": "lstm", "inputs": ["input", "h0", "c0"]},
  {"name": "twice", "op": "parameter", "inputs": [], "shape": [1, 4]},
  {"name": "norm", "op": "layer_norm", "inputs": ["twice"]},
  {"name": "half", "op": "div", "inputs": ["twice", "lstm"]},
  {"name": "sum", "op": "add", "inputs": ["half", "norm"]},
  {"name": "again", "op": "layer_norm", "inputs": ["sum"], "weights": "norm"},
  {"name": "fixed", "op": "parameter", "inputs": [], "shape": [4], "trainable": false},
  {"name": "shift", "op": "mul", "inputs": ["again", "fixed"]},
  {"name": "only", "op": "parameter", "inputs": [], "shape": [1, 4]},
  {"name": "alone", "op": "layer_norm", "inputs": ["only"]},
  {"name": "first", "op": "parameter", "inputs": [], "shape": [1, 4]},
  {"name": "custom", "op": "custom", "inputs": ["first", "shift"], "shape": [1, 4], "flops": 9,
   "parameters": 3, "saves": ["inputs"]},
  {"name": "scaled", "op": "mul", "inputs": ["custom", "alone"]},
  {"name": "fc", "op": "linear", "inputs": ["scaled"], "out_features": 4},
  {"name": "same", "op": "linear", "inputs": ["fc"], "out_features": 4, "weights": "fc", "trainable": false},
  {"name": "factor", "op": "parameter", "inputs": [], "shape": [4, 4]},
  {"name": "thin", "op": "parameter", "inputs": [], "shape": [4, 2]},
  {"name": "wide", "op": "parameter", "inputs": [], "shape": [2, 4]},
  {"name": "low_rank", "op": "matmul", "inputs": ["thin", "wide"]},
  {"name": "basis", "op": "linear", "inputs": ["factor"], "out_features": 4},
  {"name": "matrix", "op": "add", "inputs": ["basis", "low_rank"]},
  {"name": "product", "op": "matmul", "inputs": ["same", "matrix"]},
  {"name": "loss", "op": "mse", "inputs": ["product"]})";

/// Small models with all ops of model files, each with all kinds of updates.
inline std::vector<SmallModel> small_models() {
  std::vector<SmallModel> all;
  for (const char* const update : {"fused", "buffered", "accumulate"}) {
    const auto add = [&](const std::string& name, const std::string& inputs,
                         const std::string& layers) {
      all.push_back({fmt::format("{}_{}", name, update),
                     fmt::format(R"("update": "{}", {})", update, inputs), layers});
    };
    add("images", R"("input": {"shape": ["N", 3, 4, 4]},)", kImages);
    add("activations", R"("input": {"shape": ["N", 3, 4, 4]},)", kActivations);
    add("sequences", R"("input": {"shape": ["N", 6], "dtype": "int32"},
        "inputs": {"h0": {"shape": ["N", 4]}, "c0": {"shape": ["N", 4]},
                   "next": {"shape": ["N"], "dtype": "int32"}},)",
        kSequences);
    add("signals", R"("input": {"shape": ["N", 3, 6], "repeatable": true},
        "inputs": {"wanted": {"shape": ["N", 4]}},)",
        kSignals);
    add("learned", R"("input": {"shape": [1, 3]},)", kLearned);
  }
  return all;
}

/// The model file.
inline std::string text_of(const SmallModel& model) {
  return fmt::format(R"({{"format": "poet-model", "version": 2, "name": "{}", {} "layers": [{}]}})",
                     model.name, model.inputs, model.layers);
}

}  // namespace poet::test

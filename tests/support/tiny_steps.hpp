#pragma once

#include <ostream>
#include <string>

#include "support/exact_model.hpp"

namespace poet::test {

/// A small model: the shape of its input, its layers, of which `last` is the last one, and other
/// keys of the file.
struct Tiny {
  const char* name;
  const char* shape;
  const char* layers;
  const char* keys = "";
};

inline std::ostream& operator<<(std::ostream& out, const Tiny& tiny) {
  return out << tiny.name;
}

/// The end of most models: a loss of five classes.
inline std::string classified(const std::string& layers, const std::string& last) {
  return layers + R"(, {"name": "flat", "op": "flatten", "inputs": [")" + last + R"("]},
    {"name": "fc", "op": "linear", "inputs": ["flat"], "out_features": 5},
    {"name": "loss", "op": "cross_entropy", "inputs": ["fc"], "classes": 5})";
}

inline std::string text_of(const Tiny& tiny) {
  return exact_text(tiny.shape, classified(tiny.layers, "last"), tiny.keys);
}

// Ops of which a gradient of parameters in front of them tells whether their own is right.
inline const Tiny kTinySteps[] = {
    {"Convolutions", "[2, 4, 9, 8]", R"(
     {"name": "a", "op": "conv2d", "inputs": ["input"], "out_channels": 6, "kernel": [3, 2],
      "stride": [2, 1], "padding": [1, 0], "groups": 2},
     {"name": "b", "op": "conv2d", "inputs": ["a"], "out_channels": 4, "kernel": 3,
      "padding": "same", "stride": 2, "bias": false},
     {"name": "c", "op": "conv2d", "inputs": ["b"], "out_channels": 3, "kernel": 2, "dilation": [1, 2],
      "padding": 1},
     {"name": "d", "op": "conv_transpose2d", "inputs": ["c"], "out_channels": 4, "kernel": 3,
      "stride": 2, "padding": 1, "output_padding": [1, 0]},
     {"name": "last", "op": "tanh", "inputs": ["d"]})"},
    {"Signals", "[3, 4, 11]", R"(
     {"name": "a", "op": "conv1d", "inputs": ["input"], "out_channels": 6, "kernel": 3, "stride": 2,
      "padding": "same", "groups": 2},
     {"name": "b", "op": "batch_norm1d", "inputs": ["a"]},
     {"name": "c", "op": "conv1d", "inputs": ["b"], "out_channels": 4, "kernel": 2, "dilation": 2,
      "padding": 1},
     {"name": "last", "op": "leaky_relu", "inputs": ["c"]})"},
    {"Pools", "[2, 3, 9, 9]", R"(
     {"name": "a", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 1},
     {"name": "b", "op": "max_pool2d", "inputs": ["a"], "kernel": 3, "stride": 2, "padding": 1,
      "ceil_mode": true},
     {"name": "c", "op": "avg_pool2d", "inputs": ["b"], "kernel": 2, "stride": 1, "padding": 1,
      "count_include_pad": false},
     {"name": "d", "op": "upsample2d", "inputs": ["c"], "scale": [2, 1]},
     {"name": "e", "op": "upsample2d", "inputs": ["d"], "scale": 2, "mode": "bilinear"},
     {"name": "last", "op": "adaptive_avg_pool2d", "inputs": ["e"], "output_size": [3, 2]})"},
    {"Means", "[2, 3, 4, 5]", R"(
     {"name": "a", "op": "conv2d", "inputs": ["input"], "out_channels": 4, "kernel": 1},
     {"name": "b", "op": "global_avg_pool", "inputs": ["a"]},
     {"name": "c", "op": "mean", "inputs": ["a"], "axes": [1, -1]},
     {"name": "d", "op": "matmul", "inputs": ["b", "c"], "transpose_a": true},
     {"name": "last", "op": "reshape", "inputs": ["d"], "shape": [2, 8]})"},
    {"Norms", "[4, 6, 3, 3]", R"(
     {"name": "a", "op": "conv2d", "inputs": ["input"], "out_channels": 6, "kernel": 1},
     {"name": "b", "op": "batch_norm2d", "inputs": ["a"]},
     {"name": "b1", "op": "tanh", "inputs": ["b"]},
     {"name": "c", "op": "group_norm", "inputs": ["b1"], "groups": 2},
     {"name": "c1", "op": "tanh", "inputs": ["c"]},
     {"name": "d", "op": "layer_norm", "inputs": ["c1"], "dims": 2},
     {"name": "d1", "op": "tanh", "inputs": ["d"]},
     {"name": "e", "op": "batch_norm2d", "inputs": ["d1"], "frozen": true},
     {"name": "last", "op": "layer_norm", "inputs": ["e"], "bias": false})"},
    {"Maps", "[2, 12]", R"(
     {"name": "a", "op": "linear_relu", "inputs": ["input"], "out_features": 9},
     {"name": "a1", "op": "linear", "inputs": ["a"], "out_features": 8},
     {"name": "b", "op": "silu", "inputs": ["a1"]},
     {"name": "c", "op": "gelu", "inputs": ["b"]},
     {"name": "d", "op": "hard_swish", "inputs": ["c"]},
     {"name": "e", "op": "hard_sigmoid", "inputs": ["d"]},
     {"name": "f", "op": "sigmoid", "inputs": ["e"]},
     {"name": "g", "op": "relu6", "inputs": ["f"]},
     {"name": "h", "op": "softmax", "inputs": ["g"], "axis": 0},
     {"name": "i", "op": "dropout", "inputs": ["h"]},
     {"name": "last", "op": "stochastic_depth", "inputs": ["i"]})"},
    {"Broadcasting", "[2, 3, 4]", R"(
     {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
     {"name": "m", "op": "mean", "inputs": ["a"], "axes": [1], "keep_dims": true},
     {"name": "b", "op": "add", "inputs": ["a", "m"]},
     {"name": "c", "op": "mul", "inputs": ["m", "b"]},
     {"name": "d", "op": "sub", "inputs": ["c", "m"]},
     {"name": "n", "op": "sigmoid", "inputs": ["m"]},
     {"name": "last", "op": "div", "inputs": ["d", "n"]})"},
    {"RepeatedChannels", "[2, 3, 2, 2]", R"(
     {"name": "a", "op": "conv2d", "inputs": ["input"], "out_channels": 2, "kernel": 1},
     {"name": "b", "op": "conv2d", "inputs": ["input"], "out_channels": 6, "kernel": 1},
     {"name": "last", "op": "add", "inputs": ["b", "a"], "broadcast_channels": true})"},
    {"Parts", "[2, 3, 6]", R"(
     {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 6},
     {"name": "s", "op": "split", "inputs": ["a"], "sizes": [1, 2, 3], "axis": -1},
     {"name": "b", "op": "slice", "inputs": ["a"], "start": 1, "size": 2},
     {"name": "p", "op": "permute", "inputs": ["b"], "order": [0, 2, 1]},
     {"name": "q", "op": "permute", "inputs": ["p"], "order": [0, 2, 1]},
     {"name": "t", "op": "slice", "inputs": ["s.1"], "start": 0, "size": 2},
     {"name": "last", "op": "concat", "inputs": ["q", "t"], "axis": 2})"},
    {"LearnedTensors", "[3, 2, 4]", R"(
     {"name": "p", "op": "parameter", "inputs": [], "shape": [1, 1, 4]},
     {"name": "w", "op": "parameter", "inputs": [], "shape": [3, 4, 5]},
     {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
     {"name": "b", "op": "concat", "inputs": ["p", "a"], "axis": 1},
     {"name": "c", "op": "matmul", "inputs": ["b", "w"]},
     {"name": "last", "op": "tanh", "inputs": ["c"]})"},
    {"Attention", "[2, 5, 6]", R"(
     {"name": "q", "op": "linear", "inputs": ["input"], "out_features": 6},
     {"name": "k", "op": "linear", "inputs": ["input"], "out_features": 6},
     {"name": "v", "op": "linear", "inputs": ["input"], "out_features": 6},
     {"name": "s", "op": "slice", "inputs": ["q"], "start": 1, "size": 3},
     {"name": "last", "op": "attention", "inputs": ["s", "k", "v"], "heads": 2, "causal": true})"},
    {"AttentionInThreeLayers", "[5, 6]", R"(
     {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 6},
     {"name": "q", "op": "attention_qkv", "inputs": ["a"], "sequence": 5, "hidden": 6,
      "head_dim": 3, "heads": 2},
     {"name": "s", "op": "attention_scores", "inputs": ["q"], "sequence": 5, "head_dim": 3,
      "heads": 2},
     {"name": "last", "op": "attention_context", "inputs": ["s"], "sequence": 5, "head_dim": 3,
      "heads": 2})"},
    {"Recurrence", "[2, 3]", R"(
     {"name": "h", "op": "linear", "inputs": ["input"], "out_features": 4},
     {"name": "c", "op": "linear", "inputs": ["input"], "out_features": 4},
     {"name": "l1", "op": "lstm", "inputs": ["input", "h", "c"]},
     {"name": "l2", "op": "lstm", "inputs": ["input", "l1", "l1.c"], "weights": "l1"},
     {"name": "g1", "op": "gru", "inputs": ["h", "l2"]},
     {"name": "last", "op": "gru", "inputs": ["c", "g1"], "weights": "g1"})"},
    {"FirstStates", "[1, 3]", R"(
     {"name": "h", "op": "parameter", "inputs": [], "shape": [1, 2]},
     {"name": "c", "op": "parameter", "inputs": [], "shape": [1, 2]},
     {"name": "last", "op": "lstm", "inputs": ["input", "h", "c"], "bias": false})",
     R"("update": "buffered",)"},
};

/// Shared parameters, a normalisation, and a learned tensor in a product.
inline std::string trained_text(const std::string& keys) {
  return exact_text("[3, 4]", R"(
    {"name": "a", "op": "linear", "inputs": ["input"], "out_features": 4},
    {"name": "n", "op": "batch_norm1d", "inputs": ["a"]},
    {"name": "b", "op": "linear", "inputs": ["n"], "out_features": 4, "weights": "a"},
    {"name": "p", "op": "parameter", "inputs": [], "shape": [4, 5]},
    {"name": "c", "op": "matmul", "inputs": ["b", "p"]},
    {"name": "loss", "op": "cross_entropy", "inputs": ["c"], "classes": 5})",
                    keys);
}

}  // namespace poet::test

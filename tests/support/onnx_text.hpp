#pragma once

#include <gtest/gtest.h>

#include <string>

#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

namespace poet::test {

/// A model from the text that libonnx prints and reads.
inline onnx::ModelProto onnx_model(const std::string& graph) {
  onnx::ModelProto model;
  const std::string text = "<ir_version: 7, opset_import: [\"\" : 14]> " + graph;
  onnx::OnnxParser parser(text.c_str());
  const auto status = parser.Parse(model);
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  return model;
}

inline std::string onnx_bytes(const std::string& graph) {
  return onnx_model(graph).SerializeAsString();
}

/// A convolution with a batch norm, and a classifier, as PyTorch exports them without weights.
inline const std::string kSmallOnnx = R"(
net (float[N,3,8,8] x, float[4,3,3,3] w, float[4] s, float[4] b, float[4] m, float[4] v,
     float[5,4] fw, float[5] fb) => (float[N,5] y) {
  c = Conv<kernel_shape=[3,3], pads=[1,1,1,1], strides=[2,2]>(x, w)
  n, rm, rv = BatchNormalization<training_mode=1>(c, s, b, m, v)
  r = Relu(n)
  g = GlobalAveragePool(r)
  f = Flatten<axis=1>(g)
  y = Gemm<transB=1>(f, fw, fb)
}
)";

}  // namespace poet::test

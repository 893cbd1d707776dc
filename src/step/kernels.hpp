#pragma once

#include "step/kernel.hpp"

// Every kernel of runtime/poet_kernels.h. over(i) says that the output may be the buffer of operand
// i, as the comments there do.
namespace poet::kernels {

inline constexpr auto kUpdate = kernel<apply_update>("poet_update");

inline constexpr auto kConv2d = kernel<poet_conv2d>("poet_conv2d");
inline constexpr auto kConv2dGrad = kernel<poet_conv2d_grad>("poet_conv2d_grad");
inline constexpr auto kConv2dGradw = kernel<poet_conv2d_gradw>("poet_conv2d_gradw");
inline constexpr auto kConvTranspose2d = kernel<poet_conv_transpose2d>("poet_conv_transpose2d");
inline constexpr auto kConvTranspose2dGrad =
    kernel<poet_conv_transpose2d_grad>("poet_conv_transpose2d_grad");
inline constexpr auto kConvTranspose2dGradw =
    kernel<poet_conv_transpose2d_gradw>("poet_conv_transpose2d_gradw");

inline constexpr auto kLinear = kernel<poet_linear>("poet_linear");
inline constexpr auto kLinearRelu = kernel<poet_linear_relu>("poet_linear_relu");
inline constexpr auto kLinearReluGradZ =
    kernel<poet_linear_relu_grad_z>("poet_linear_relu_grad_z", over(1));
inline constexpr auto kLinearGrad = kernel<poet_linear_grad>("poet_linear_grad");
inline constexpr auto kLinearGradw = kernel<poet_linear_gradw>("poet_linear_gradw");

inline constexpr auto kMatmul = kernel<poet_matmul>("poet_matmul");
inline constexpr auto kMatmulGradA = kernel<poet_matmul_grad_a>("poet_matmul_grad_a");
inline constexpr auto kMatmulGradB = kernel<poet_matmul_grad_b>("poet_matmul_grad_b");

inline constexpr auto kEmbedding = kernel<poet_embedding>("poet_embedding");
inline constexpr auto kEmbeddingGradw = kernel<poet_embedding_gradw>("poet_embedding_gradw");

inline constexpr auto kBatchNorm = kernel<poet_batch_norm>("poet_batch_norm");
inline constexpr auto kBatchNormGrad =
    kernel<poet_batch_norm_grad>("poet_batch_norm_grad", over(1));
inline constexpr auto kFrozenNorm = kernel<poet_frozen_norm>("poet_frozen_norm", over(0));
inline constexpr auto kFrozenNormGrad =
    kernel<poet_frozen_norm_grad>("poet_frozen_norm_grad", over(0));

inline constexpr auto kGroupNorm = kernel<poet_group_norm>("poet_group_norm");
inline constexpr auto kGroupNormGrad =
    kernel<poet_group_norm_grad>("poet_group_norm_grad", over(1));

inline constexpr auto kRelu = kernel<poet_relu>("poet_relu", over(0));
inline constexpr auto kReluGrad = kernel<poet_relu_grad>("poet_relu_grad", over(1));
inline constexpr auto kRelu6 = kernel<poet_relu6>("poet_relu6", over(0));
inline constexpr auto kRelu6Grad = kernel<poet_relu6_grad>("poet_relu6_grad", over(1));
inline constexpr auto kLeakyRelu = kernel<poet_leaky_relu>("poet_leaky_relu", over(0));
inline constexpr auto kLeakyReluGrad =
    kernel<poet_leaky_relu_grad>("poet_leaky_relu_grad", over(1));
inline constexpr auto kSigmoid = kernel<poet_sigmoid>("poet_sigmoid", over(0));
inline constexpr auto kSigmoidGrad = kernel<poet_sigmoid_grad>("poet_sigmoid_grad", over(1));
inline constexpr auto kTanh = kernel<poet_tanh>("poet_tanh", over(0));
inline constexpr auto kTanhGrad = kernel<poet_tanh_grad>("poet_tanh_grad", over(1));
inline constexpr auto kHardSigmoid = kernel<poet_hard_sigmoid>("poet_hard_sigmoid", over(0));
inline constexpr auto kHardSigmoidGrad =
    kernel<poet_hard_sigmoid_grad>("poet_hard_sigmoid_grad", over(1));
inline constexpr auto kHardSwish = kernel<poet_hard_swish>("poet_hard_swish", over(0));
inline constexpr auto kHardSwishGrad =
    kernel<poet_hard_swish_grad>("poet_hard_swish_grad", over(1));
inline constexpr auto kSilu = kernel<poet_silu>("poet_silu", over(0));
inline constexpr auto kSiluGrad = kernel<poet_silu_grad>("poet_silu_grad", over(1));
inline constexpr auto kGelu = kernel<poet_gelu>("poet_gelu", over(0));
inline constexpr auto kGeluGrad = kernel<poet_gelu_grad>("poet_gelu_grad", over(1));
inline constexpr auto kAccumulate = kernel<poet_accumulate>("poet_accumulate", over(0, 1));

inline constexpr auto kSoftmax = kernel<poet_softmax>("poet_softmax", over(0));
inline constexpr auto kSoftmaxGrad = kernel<poet_softmax_grad>("poet_softmax_grad", over(1));

inline constexpr auto kDropout = kernel<poet_dropout>("poet_dropout", over(0));
inline constexpr auto kDropoutGrad = kernel<poet_dropout_grad>("poet_dropout_grad", over(0));

inline constexpr auto kAdd = kernel<poet_add>("poet_add", over(0, 1));
inline constexpr auto kSub = kernel<poet_sub>("poet_sub", over(0, 1));
inline constexpr auto kMul = kernel<poet_mul>("poet_mul");
inline constexpr auto kDiv = kernel<poet_div>("poet_div");
inline constexpr auto kAddGradA = kernel<poet_add_grad_a>("poet_add_grad_a", over(0));
inline constexpr auto kAddGradB = kernel<poet_add_grad_b>("poet_add_grad_b", over(0));
inline constexpr auto kSubGradA = kernel<poet_sub_grad_a>("poet_sub_grad_a", over(0));
inline constexpr auto kSubGradB = kernel<poet_sub_grad_b>("poet_sub_grad_b", over(0));
inline constexpr auto kMulGradA = kernel<poet_mul_grad_a>("poet_mul_grad_a", over(1));
inline constexpr auto kMulGradB = kernel<poet_mul_grad_b>("poet_mul_grad_b");
inline constexpr auto kDivGradA = kernel<poet_div_grad_a>("poet_div_grad_a", over(1));
inline constexpr auto kDivGradB = kernel<poet_div_grad_b>("poet_div_grad_b");

inline constexpr auto kMean = kernel<poet_mean>("poet_mean");
inline constexpr auto kMeanGrad = kernel<poet_mean_grad>("poet_mean_grad");

inline constexpr auto kMaxPool2d = kernel<poet_max_pool2d>("poet_max_pool2d");
inline constexpr auto kMaxPool2dIndex = kernel<poet_max_pool2d_index>("poet_max_pool2d_index");
inline constexpr auto kMaxPool2dIndexWide =
    kernel<poet_max_pool2d_index_wide>("poet_max_pool2d_index_wide");
inline constexpr auto kMaxPool2dGrad = kernel<poet_max_pool2d_grad>("poet_max_pool2d_grad");
inline constexpr auto kMaxPool2dGradWide =
    kernel<poet_max_pool2d_grad_wide>("poet_max_pool2d_grad_wide");
inline constexpr auto kAvgPool2d = kernel<poet_avg_pool2d>("poet_avg_pool2d");
inline constexpr auto kAvgPool2dGrad = kernel<poet_avg_pool2d_grad>("poet_avg_pool2d_grad");
inline constexpr auto kAdaptiveAvgPool2d =
    kernel<poet_adaptive_avg_pool2d>("poet_adaptive_avg_pool2d");
inline constexpr auto kAdaptiveAvgPool2dGrad =
    kernel<poet_adaptive_avg_pool2d_grad>("poet_adaptive_avg_pool2d_grad");

inline constexpr auto kUpsample2dNearest =
    kernel<poet_upsample2d_nearest>("poet_upsample2d_nearest");
inline constexpr auto kUpsample2dNearestGrad =
    kernel<poet_upsample2d_nearest_grad>("poet_upsample2d_nearest_grad");
inline constexpr auto kUpsample2dBilinear =
    kernel<poet_upsample2d_bilinear>("poet_upsample2d_bilinear");
inline constexpr auto kUpsample2dBilinearGrad =
    kernel<poet_upsample2d_bilinear_grad>("poet_upsample2d_bilinear_grad");

inline constexpr auto kInsert = kernel<poet_insert>("poet_insert");
inline constexpr auto kInsertZeros = kernel<poet_insert_zeros>("poet_insert_zeros");
inline constexpr auto kSliceGrad = kernel<poet_slice_grad>("poet_slice_grad");
inline constexpr auto kExtract = kernel<poet_extract>("poet_extract");
inline constexpr auto kConcatGrad = kernel<poet_concat_grad>("poet_concat_grad");

inline constexpr auto kPermute = kernel<poet_permute>("poet_permute");
inline constexpr auto kPermuteGrad = kernel<poet_permute_grad>("poet_permute_grad");

inline constexpr auto kCrossEntropy = kernel<poet_cross_entropy>("poet_cross_entropy");
inline constexpr auto kCrossEntropyGrad =
    kernel<poet_cross_entropy_grad>("poet_cross_entropy_grad", over(0));

inline constexpr auto kMse = kernel<poet_mse>("poet_mse");
inline constexpr auto kMseGrad = kernel<poet_mse_grad>("poet_mse_grad", over(0));

inline constexpr auto kAttentionScores = kernel<poet_attention_scores>("poet_attention_scores");
inline constexpr auto kAttentionContext = kernel<poet_attention_context>("poet_attention_context");
inline constexpr auto kAttentionGradScores =
    kernel<poet_attention_grad_scores>("poet_attention_grad_scores", over(2));
inline constexpr auto kAttentionGradQ = kernel<poet_attention_grad_q>("poet_attention_grad_q");
inline constexpr auto kAttentionGradK = kernel<poet_attention_grad_k>("poet_attention_grad_k");
inline constexpr auto kAttentionGradV = kernel<poet_attention_grad_v>("poet_attention_grad_v");
inline constexpr auto kAttentionGradQkv =
    kernel<poet_attention_grad_qkv>("poet_attention_grad_qkv");

inline constexpr auto kLstmGates = kernel<poet_lstm_gates>("poet_lstm_gates");
inline constexpr auto kLstmC = kernel<poet_lstm_c>("poet_lstm_c");
inline constexpr auto kLstmH = kernel<poet_lstm_h>("poet_lstm_h");
inline constexpr auto kLstmGradCell = kernel<poet_lstm_grad_cell>("poet_lstm_grad_cell", over(3));
inline constexpr auto kLstmGradC = kernel<poet_lstm_grad_c>("poet_lstm_grad_c");
inline constexpr auto kLstmGradGates =
    kernel<poet_lstm_grad_gates>("poet_lstm_grad_gates", over(0));
inline constexpr auto kGruGates = kernel<poet_gru_gates>("poet_gru_gates");
inline constexpr auto kGruH = kernel<poet_gru_h>("poet_gru_h");
inline constexpr auto kGruGradGates = kernel<poet_gru_grad_gates>("poet_gru_grad_gates");
inline constexpr auto kGruGradH = kernel<poet_gru_grad_h>("poet_gru_grad_h");
inline constexpr auto kGruGradwHidden = kernel<poet_gru_gradw_hidden>("poet_gru_gradw_hidden");

}  // namespace poet::kernels

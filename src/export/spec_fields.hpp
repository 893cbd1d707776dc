#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "base/fields.hpp"
#include "step/kernel.hpp"

// The members of each poet_X_spec of runtime/poet_kernels.h, in their order.
namespace poet {

/// How C names the type of a geometry.
template <typename Spec>
inline constexpr std::string_view kSpecType{};

template <>
inline constexpr std::string_view kSpecType<UpdateSpec> = "int32_t";

template <>
inline constexpr std::string_view kSpecType<poet_conv2d_spec> = "struct poet_conv2d_spec";
template <>
inline constexpr auto kFields<poet_conv2d_spec> = std::tuple(
    Field<&poet_conv2d_spec::batch>{"batch"}, Field<&poet_conv2d_spec::channels>{"channels"},
    Field<&poet_conv2d_spec::height>{"height"}, Field<&poet_conv2d_spec::width>{"width"},
    Field<&poet_conv2d_spec::filters>{"filters"},
    Field<&poet_conv2d_spec::map_height>{"map_height"},
    Field<&poet_conv2d_spec::map_width>{"map_width"},
    Field<&poet_conv2d_spec::kernel_height>{"kernel_height"},
    Field<&poet_conv2d_spec::kernel_width>{"kernel_width"},
    Field<&poet_conv2d_spec::stride_height>{"stride_height"},
    Field<&poet_conv2d_spec::stride_width>{"stride_width"},
    Field<&poet_conv2d_spec::pad_top>{"pad_top"}, Field<&poet_conv2d_spec::pad_left>{"pad_left"},
    Field<&poet_conv2d_spec::dilation_height>{"dilation_height"},
    Field<&poet_conv2d_spec::dilation_width>{"dilation_width"},
    Field<&poet_conv2d_spec::groups>{"groups"}, Field<&poet_conv2d_spec::has_bias>{"has_bias"});

template <>
inline constexpr std::string_view kSpecType<poet_linear_spec> = "struct poet_linear_spec";
template <>
inline constexpr auto kFields<poet_linear_spec> = std::tuple(
    Field<&poet_linear_spec::rows>{"rows"}, Field<&poet_linear_spec::inputs>{"inputs"},
    Field<&poet_linear_spec::outputs>{"outputs"}, Field<&poet_linear_spec::has_bias>{"has_bias"});

template <>
inline constexpr std::string_view kSpecType<poet_matmul_spec> = "struct poet_matmul_spec";
template <>
inline constexpr auto kFields<poet_matmul_spec> = std::tuple(
    Field<&poet_matmul_spec::batches>{"batches"}, Field<&poet_matmul_spec::rows>{"rows"},
    Field<&poet_matmul_spec::inner>{"inner"}, Field<&poet_matmul_spec::columns>{"columns"},
    Field<&poet_matmul_spec::transpose_a>{"transpose_a"},
    Field<&poet_matmul_spec::transpose_b>{"transpose_b"});

template <>
inline constexpr std::string_view kSpecType<poet_embedding_spec> = "struct poet_embedding_spec";
template <>
inline constexpr auto kFields<poet_embedding_spec> =
    std::tuple(Field<&poet_embedding_spec::tokens>{"tokens"},
               Field<&poet_embedding_spec::vocabulary>{"vocabulary"},
               Field<&poet_embedding_spec::width>{"width"});

template <>
inline constexpr std::string_view kSpecType<poet_batch_norm_spec> = "struct poet_batch_norm_spec";
template <>
inline constexpr auto kFields<poet_batch_norm_spec> = std::tuple(
    Field<&poet_batch_norm_spec::batch>{"batch"},
    Field<&poet_batch_norm_spec::channels>{"channels"},
    Field<&poet_batch_norm_spec::plane>{"plane"}, Field<&poet_batch_norm_spec::epsilon>{"epsilon"});

template <>
inline constexpr std::string_view kSpecType<poet_group_norm_spec> = "struct poet_group_norm_spec";
template <>
inline constexpr auto kFields<poet_group_norm_spec> =
    std::tuple(Field<&poet_group_norm_spec::samples>{"samples"},
               Field<&poet_group_norm_spec::groups>{"groups"},
               Field<&poet_group_norm_spec::channels>{"channels"},
               Field<&poet_group_norm_spec::plane>{"plane"},
               Field<&poet_group_norm_spec::has_bias>{"has_bias"},
               Field<&poet_group_norm_spec::epsilon>{"epsilon"});

template <>
inline constexpr std::string_view kSpecType<poet_map_spec> = "struct poet_map_spec";
template <>
inline constexpr auto kFields<poet_map_spec> = std::tuple(Field<&poet_map_spec::count>{"count"},
                                                          Field<&poet_map_spec::slope>{"slope"});

template <>
inline constexpr std::string_view kSpecType<poet_softmax_spec> = "struct poet_softmax_spec";
template <>
inline constexpr auto kFields<poet_softmax_spec> =
    std::tuple(Field<&poet_softmax_spec::outer>{"outer"}, Field<&poet_softmax_spec::axis>{"axis"},
               Field<&poet_softmax_spec::inner>{"inner"});

template <>
inline constexpr std::string_view kSpecType<poet_dropout_spec> = "struct poet_dropout_spec";
template <>
inline constexpr auto kFields<poet_dropout_spec> =
    std::tuple(Field<&poet_dropout_spec::count>{"count"}, Field<&poet_dropout_spec::block>{"block"},
               Field<&poet_dropout_spec::rate>{"rate"}, Field<&poet_dropout_spec::seed>{"seed"});

template <>
inline constexpr std::string_view kSpecType<poet_broadcast_spec> = "struct poet_broadcast_spec";
template <>
inline constexpr auto kFields<poet_broadcast_spec> =
    std::tuple(Field<&poet_broadcast_spec::extent>{"extent"},
               Field<&poet_broadcast_spec::stride_a>{"stride_a"},
               Field<&poet_broadcast_spec::stride_b>{"stride_b"});

template <>
inline constexpr std::string_view kSpecType<poet_mean_spec> = "struct poet_mean_spec";
template <>
inline constexpr auto kFields<poet_mean_spec> =
    std::tuple(Field<&poet_mean_spec::extent>{"extent"}, Field<&poet_mean_spec::stride>{"stride"});

template <>
inline constexpr std::string_view kSpecType<poet_pool2d_spec> = "struct poet_pool2d_spec";
template <>
inline constexpr auto kFields<poet_pool2d_spec> = std::tuple(
    Field<&poet_pool2d_spec::planes>{"planes"}, Field<&poet_pool2d_spec::height>{"height"},
    Field<&poet_pool2d_spec::width>{"width"}, Field<&poet_pool2d_spec::out_height>{"out_height"},
    Field<&poet_pool2d_spec::out_width>{"out_width"},
    Field<&poet_pool2d_spec::kernel_height>{"kernel_height"},
    Field<&poet_pool2d_spec::kernel_width>{"kernel_width"},
    Field<&poet_pool2d_spec::stride_height>{"stride_height"},
    Field<&poet_pool2d_spec::stride_width>{"stride_width"},
    Field<&poet_pool2d_spec::pad_top>{"pad_top"}, Field<&poet_pool2d_spec::pad_left>{"pad_left"},
    Field<&poet_pool2d_spec::count_include_pad>{"count_include_pad"});

template <>
inline constexpr std::string_view kSpecType<poet_upsample2d_spec> = "struct poet_upsample2d_spec";
template <>
inline constexpr auto kFields<poet_upsample2d_spec> = std::tuple(
    Field<&poet_upsample2d_spec::planes>{"planes"}, Field<&poet_upsample2d_spec::height>{"height"},
    Field<&poet_upsample2d_spec::width>{"width"},
    Field<&poet_upsample2d_spec::scale_height>{"scale_height"},
    Field<&poet_upsample2d_spec::scale_width>{"scale_width"});

template <>
inline constexpr std::string_view kSpecType<poet_part_spec> = "struct poet_part_spec";
template <>
inline constexpr auto kFields<poet_part_spec> = std::tuple(
    Field<&poet_part_spec::outer>{"outer"}, Field<&poet_part_spec::axis>{"axis"},
    Field<&poet_part_spec::inner>{"inner"}, Field<&poet_part_spec::start>{"start"},
    Field<&poet_part_spec::size>{"size"}, Field<&poet_part_spec::part_outer>{"part_outer"});

template <>
inline constexpr std::string_view kSpecType<poet_permute_spec> = "struct poet_permute_spec";
template <>
inline constexpr auto kFields<poet_permute_spec> = std::tuple(
    Field<&poet_permute_spec::extent>{"extent"}, Field<&poet_permute_spec::stride>{"stride"});

template <>
inline constexpr std::string_view kSpecType<poet_cross_entropy_spec> =
    "struct poet_cross_entropy_spec";
template <>
inline constexpr auto kFields<poet_cross_entropy_spec> =
    std::tuple(Field<&poet_cross_entropy_spec::rows>{"rows"},
               Field<&poet_cross_entropy_spec::classes>{"classes"});

template <>
inline constexpr std::string_view kSpecType<poet_attention_spec> = "struct poet_attention_spec";
template <>
inline constexpr auto kFields<poet_attention_spec> = std::tuple(
    Field<&poet_attention_spec::batch>{"batch"}, Field<&poet_attention_spec::heads>{"heads"},
    Field<&poet_attention_spec::queries>{"queries"}, Field<&poet_attention_spec::keys>{"keys"},
    Field<&poet_attention_spec::head_dim>{"head_dim"},
    Field<&poet_attention_spec::causal>{"causal"},
    Field<&poet_attention_spec::row_stride>{"row_stride"},
    Field<&poet_attention_spec::output_stride>{"output_stride"},
    Field<&poet_attention_spec::head_stride>{"head_stride"},
    Field<&poet_attention_spec::element_stride>{"element_stride"},
    Field<&poet_attention_spec::probability_head>{"probability_head"},
    Field<&poet_attention_spec::probability_query>{"probability_query"},
    Field<&poet_attention_spec::probability_key>{"probability_key"});

template <>
inline constexpr std::string_view kSpecType<poet_recurrent_spec> = "struct poet_recurrent_spec";
template <>
inline constexpr auto kFields<poet_recurrent_spec> = std::tuple(
    Field<&poet_recurrent_spec::rows>{"rows"}, Field<&poet_recurrent_spec::inputs>{"inputs"},
    Field<&poet_recurrent_spec::hidden>{"hidden"},
    Field<&poet_recurrent_spec::has_bias>{"has_bias"});

}  // namespace poet

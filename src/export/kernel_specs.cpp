// Geometry as C, member by member. Designated initialisers keep the text readable and independent
// of the order of members. The tables of members are written by hand, because C++20 cannot list the
// members of a C struct; their sizes are added up at compile time and compared with the struct's,
// so that a member which is forgotten does not compile. That works as no such struct has padding:
// all members have four bytes.

#include "export/kernel_specs.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "base/fields.hpp"
#include "export/c_names.hpp"
#include "step/kernel.hpp"

namespace poet {

// The members of each poet_X_spec of runtime/poet_kernels.h, in their order.

template <>
inline constexpr auto kFields<poet_conv2d_spec> = kMembers<
    &poet_conv2d_spec::batch, &poet_conv2d_spec::channels, &poet_conv2d_spec::height,
    &poet_conv2d_spec::width, &poet_conv2d_spec::filters, &poet_conv2d_spec::map_height,
    &poet_conv2d_spec::map_width, &poet_conv2d_spec::kernel_height, &poet_conv2d_spec::kernel_width,
    &poet_conv2d_spec::stride_height, &poet_conv2d_spec::stride_width, &poet_conv2d_spec::pad_top,
    &poet_conv2d_spec::pad_left, &poet_conv2d_spec::dilation_height,
    &poet_conv2d_spec::dilation_width, &poet_conv2d_spec::groups, &poet_conv2d_spec::has_bias>;

template <>
inline constexpr auto kFields<poet_linear_spec> =
    kMembers<&poet_linear_spec::rows, &poet_linear_spec::inputs, &poet_linear_spec::outputs,
             &poet_linear_spec::has_bias>;

template <>
inline constexpr auto kFields<poet_matmul_spec> =
    kMembers<&poet_matmul_spec::batches, &poet_matmul_spec::rows, &poet_matmul_spec::inner,
             &poet_matmul_spec::columns, &poet_matmul_spec::transpose_a,
             &poet_matmul_spec::transpose_b>;

template <>
inline constexpr auto kFields<poet_embedding_spec> =
    kMembers<&poet_embedding_spec::tokens, &poet_embedding_spec::vocabulary,
             &poet_embedding_spec::width>;

template <>
inline constexpr auto kFields<poet_batch_norm_spec> =
    kMembers<&poet_batch_norm_spec::batch, &poet_batch_norm_spec::channels,
             &poet_batch_norm_spec::plane, &poet_batch_norm_spec::epsilon,
             &poet_batch_norm_spec::keep, &poet_batch_norm_spec::take>;

template <>
inline constexpr auto kFields<poet_group_norm_spec> =
    kMembers<&poet_group_norm_spec::samples, &poet_group_norm_spec::groups,
             &poet_group_norm_spec::channels, &poet_group_norm_spec::plane,
             &poet_group_norm_spec::has_bias, &poet_group_norm_spec::epsilon>;

template <>
inline constexpr auto kFields<poet_map_spec> =
    kMembers<&poet_map_spec::count, &poet_map_spec::slope>;

template <>
inline constexpr auto kFields<poet_softmax_spec> =
    kMembers<&poet_softmax_spec::outer, &poet_softmax_spec::axis, &poet_softmax_spec::inner>;

template <>
inline constexpr auto kFields<poet_prelu_spec> =
    kMembers<&poet_prelu_spec::outer, &poet_prelu_spec::channels, &poet_prelu_spec::inner>;

template <>
inline constexpr auto kFields<poet_softplus_spec> =
    kMembers<&poet_softplus_spec::count, &poet_softplus_spec::beta, &poet_softplus_spec::threshold>;

template <>
inline constexpr auto kFields<poet_dropout_spec> =
    kMembers<&poet_dropout_spec::count, &poet_dropout_spec::block, &poet_dropout_spec::rate,
             &poet_dropout_spec::seed>;

template <>
inline constexpr auto kFields<poet_broadcast_spec> =
    kMembers<&poet_broadcast_spec::extent, &poet_broadcast_spec::stride_a,
             &poet_broadcast_spec::stride_b>;

template <>
inline constexpr auto kFields<poet_mean_spec> =
    kMembers<&poet_mean_spec::extent, &poet_mean_spec::stride>;

template <>
inline constexpr auto kFields<poet_pool2d_spec> =
    kMembers<&poet_pool2d_spec::planes, &poet_pool2d_spec::height, &poet_pool2d_spec::width,
             &poet_pool2d_spec::out_height, &poet_pool2d_spec::out_width,
             &poet_pool2d_spec::kernel_height, &poet_pool2d_spec::kernel_width,
             &poet_pool2d_spec::stride_height, &poet_pool2d_spec::stride_width,
             &poet_pool2d_spec::pad_top, &poet_pool2d_spec::pad_left,
             &poet_pool2d_spec::count_include_pad>;

template <>
inline constexpr auto kFields<poet_upsample2d_spec> =
    kMembers<&poet_upsample2d_spec::planes, &poet_upsample2d_spec::height,
             &poet_upsample2d_spec::width, &poet_upsample2d_spec::scale_height,
             &poet_upsample2d_spec::scale_width>;

template <>
inline constexpr auto kFields<poet_part_spec> =
    kMembers<&poet_part_spec::outer, &poet_part_spec::axis, &poet_part_spec::inner,
             &poet_part_spec::start, &poet_part_spec::size, &poet_part_spec::part_outer>;

template <>
inline constexpr auto kFields<poet_permute_spec> =
    kMembers<&poet_permute_spec::extent, &poet_permute_spec::stride>;

template <>
inline constexpr auto kFields<poet_cross_entropy_spec> =
    kMembers<&poet_cross_entropy_spec::rows, &poet_cross_entropy_spec::classes>;

template <>
inline constexpr auto kFields<poet_attention_spec> =
    kMembers<&poet_attention_spec::batch, &poet_attention_spec::heads,
             &poet_attention_spec::queries, &poet_attention_spec::keys,
             &poet_attention_spec::head_dim, &poet_attention_spec::causal,
             &poet_attention_spec::row_stride, &poet_attention_spec::output_stride,
             &poet_attention_spec::head_stride, &poet_attention_spec::element_stride,
             &poet_attention_spec::probability_head, &poet_attention_spec::probability_query,
             &poet_attention_spec::probability_key>;

template <>
inline constexpr auto kFields<poet_recurrent_spec> =
    kMembers<&poet_recurrent_spec::rows, &poet_recurrent_spec::inputs, &poet_recurrent_spec::hidden,
             &poet_recurrent_spec::has_bias>;

template <>
inline constexpr auto kFields<poet_copy_spec> =
    kMembers<&poet_copy_spec::groups, &poet_copy_spec::group_size, &poet_copy_spec::keeps_sign>;

template <>
inline constexpr auto kFields<poet_conv2d_copy_spec> =
    kMembers<&poet_conv2d_copy_spec::conv, &poet_conv2d_copy_spec::copy>;

template <>
inline constexpr auto kFields<poet_linear_copy_spec> =
    kMembers<&poet_linear_copy_spec::linear, &poet_linear_copy_spec::copy>;

template <>
inline constexpr auto kFields<poet_batch_norm_copy_spec> =
    kMembers<&poet_batch_norm_copy_spec::norm, &poet_batch_norm_copy_spec::copy>;

template <>
inline constexpr auto kFields<poet_group_norm_copy_spec> =
    kMembers<&poet_group_norm_copy_spec::norm, &poet_group_norm_copy_spec::copy>;

template <>
inline constexpr auto kFields<poet_map_copy_spec> =
    kMembers<&poet_map_copy_spec::map, &poet_map_copy_spec::copy>;

template <>
inline constexpr auto kFields<poet_attention_copy_spec> =
    kMembers<&poet_attention_copy_spec::attention, &poet_attention_copy_spec::copy>;

namespace {

template <typename Spec>
std::string members(const Spec& spec);

std::string number_text(std::int32_t value) {
  return fmt::format("{}", value);
}

std::string number_text(std::uint32_t value) {
  return fmt::format("{}u", value);
}

std::string number_text(float value) {
  return float_literal(value);
}

/// A spec within another, such as how a copy lies.
template <typename Spec>
requires std::is_class_v<Spec> std::string number_text(const Spec& spec) {
  return members(spec);
}

// Strides and extents of broadcasts are arrays, and so is the seed of dropout.
template <typename Number, std::size_t count>
std::string number_text(const Number (&values)[count]) {
  std::string text;
  for (const Number value : values) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", number_text(value));
  }
  return "{" + text + "}";
}

/// The bytes of all members of a table. A struct without padding has no others.
template <typename Spec>
constexpr std::size_t member_bytes() {
  std::size_t bytes = 0;
  for_each_field(kFields<Spec>, [&](const auto& field) {
    bytes += sizeof(typename std::remove_cvref_t<decltype(field)>::Value);
  });
  return bytes;
}

template <typename Spec>
std::string members(const Spec& spec) {
  // Without this, a member that runtime/poet_kernels.h gains would silently be 0 on every device.
  static_assert(member_bytes<Spec>() == sizeof(Spec), "a member is missing in its table");
  std::string text;
  for_each_field(kFields<Spec>, [&](const auto& field) {
    text +=
        fmt::format("{}.{} = {}", text.empty() ? "" : ", ", field.key, number_text(field.of(spec)));
  });
  return "{" + text + "}";
}

/// `poet_update` gets a number and no struct.
std::string members(const UpdateSpec& spec) {
  return number_text(spec.count);
}

}  // namespace

// The name of the struct is asked of the compiler, so that it cannot differ from the header's.
SpecText spec_text(const KernelSpec& spec) {
  return std::visit(
      [](const auto& held) {
        using Spec = std::remove_cvref_t<decltype(held)>;
        const bool is_number = std::is_same_v<Spec, UpdateSpec>;
        return SpecText{
            .type = is_number ? "int32_t" : fmt::format("struct {}", type_in_code<Spec>()),
            .initializer = members(held)};
      },
      spec);
}

bool is_random(const KernelSpec& spec) {
  return std::holds_alternative<poet_dropout_spec>(spec);
}

}  // namespace poet

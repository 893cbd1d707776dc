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

// POET_SPEC(x, a, b, ...) is the table of poet_x_spec, whose members are a, b and so on, in their
// order. The preprocessor does not expand a macro within itself, so each member's turn waits for
// another scan of the text, of which POET_SCAN makes 81.
#define POET_SCAN(...) POET_SCAN_27(POET_SCAN_27(POET_SCAN_27(__VA_ARGS__)))
#define POET_SCAN_27(...) POET_SCAN_9(POET_SCAN_9(POET_SCAN_9(__VA_ARGS__)))
#define POET_SCAN_9(...) POET_SCAN_3(POET_SCAN_3(POET_SCAN_3(__VA_ARGS__)))
#define POET_SCAN_3(...) POET_SCAN_1(POET_SCAN_1(POET_SCAN_1(__VA_ARGS__)))
#define POET_SCAN_1(...) __VA_ARGS__
#define POET_LATER()
#define POET_MEMBERS_AGAIN() POET_MEMBERS
#define POET_MEMBERS(spec, member, ...) \
  &spec::member __VA_OPT__(, POET_MEMBERS_AGAIN POET_LATER()()(spec, __VA_ARGS__))
#define POET_SPEC(name, ...)                          \
  template <>                                         \
  inline constexpr auto kFields<poet_##name##_spec> = \
      kMembers<POET_SCAN(POET_MEMBERS(poet_##name##_spec, __VA_ARGS__))>;

POET_SPEC(conv2d, batch, channels, height, width, filters, map_height, map_width, kernel_height,
          kernel_width, stride_height, stride_width, pad_top, pad_left, dilation_height,
          dilation_width, groups, has_bias)
POET_SPEC(linear, rows, inputs, outputs, has_bias)
POET_SPEC(matmul, batches, rows, inner, columns, transpose_a, transpose_b)
POET_SPEC(embedding, tokens, vocabulary, width)
POET_SPEC(batch_norm, batch, channels, plane, epsilon, keep, take)
POET_SPEC(group_norm, samples, groups, channels, plane, has_bias, epsilon)
POET_SPEC(map, count, slope)
POET_SPEC(softmax, outer, axis, inner)
POET_SPEC(prelu, outer, channels, inner)
POET_SPEC(softplus, count, beta, threshold)
POET_SPEC(dropout, count, block, rate, seed)
POET_SPEC(broadcast, extent, stride_a, stride_b)
POET_SPEC(mean, extent, stride)
POET_SPEC(pool2d, planes, height, width, out_height, out_width, kernel_height, kernel_width,
          stride_height, stride_width, pad_top, pad_left, count_include_pad)
POET_SPEC(upsample2d, planes, height, width, scale_height, scale_width)
POET_SPEC(part, outer, axis, inner, start, size, part_outer)
POET_SPEC(permute, extent, stride)
POET_SPEC(cross_entropy, rows, classes)
POET_SPEC(attention, batch, heads, queries, keys, head_dim, causal, row_stride, output_stride,
          head_stride, element_stride, probability_head, probability_query, probability_key)
POET_SPEC(recurrent, rows, inputs, hidden, has_bias)
POET_SPEC(copy, groups, group_size, keeps_sign)
POET_SPEC(conv2d_copy, conv, copy)
POET_SPEC(linear_copy, linear, copy)
POET_SPEC(batch_norm_copy, norm, copy)
POET_SPEC(group_norm_copy, norm, copy)
POET_SPEC(map_copy, map, copy)
POET_SPEC(attention_copy, attention, copy)

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

#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>

#include <poet_kernels.h>

namespace poet {

/// What every kernel of `runtime` looks like to whoever calls it: its geometry, its operands in
/// order, its output, and where a gradient goes. An argument that the kernel lacks is not read.
using KernelFunction = void (*)(const void* spec, const void* const* in, void* out,
                                const poet_sink* sink);

/// A kernel of `runtime`.
struct Kernel {
  std::string_view name;  ///< the function in poet_kernels.h
  KernelFunction call = nullptr;
  int operand_count = 0;
  bool has_output = false;  ///< it writes a tensor
  bool has_sink = false;    ///< it passes a gradient to a sink
  bool has_tile = false;    ///< its last operand is workspace, which it may write
  unsigned over = 0;        ///< a bit for each operand whose buffer the output may be
};

/// A kernel with the type of its geometry, so that no other can be passed.
template <typename Spec>
struct TypedKernel {
  Kernel kernel;
};

namespace detail {

template <typename Argument>
inline constexpr bool kIsSink = std::is_same_v<Argument, const poet_sink*>;
template <typename Argument>
inline constexpr bool kIsTile = std::is_same_v<Argument, poet_workspace*>;
template <typename Argument>
inline constexpr bool kIsOutput =
    !std::is_const_v<std::remove_pointer_t<Argument>> && !kIsTile<Argument>;

template <typename Argument>
Argument argument(const void* const*& in, void* out, const poet_sink* sink) {
  if constexpr (kIsSink<Argument>) {
    return sink;
  } else if constexpr (kIsOutput<Argument>) {
    return static_cast<Argument>(out);
  } else if constexpr (kIsTile<Argument>) {
    return static_cast<Argument>(const_cast<void*>(*in++));
  } else {
    return static_cast<Argument>(*in++);
  }
}

/// The arguments of a kernel behind its geometry. Braces evaluate them from left to right.
template <auto function, typename Spec, typename... Arguments>
void call(const void* spec, const void* const* in, void* out, const poet_sink* sink) {
  std::tuple<Arguments...> arguments{argument<Arguments>(in, out, sink)...};
  std::apply([&](auto... all) { function(static_cast<const Spec*>(spec), all...); }, arguments);
}

/// Declarations in poet_kernels.h say what is what: a pointer to const and workspace are operands,
/// a sink is a sink, and any other pointer is the output.
template <auto function, typename Spec, typename... Arguments>
constexpr TypedKernel<Spec> describe(void (*)(const Spec*, Arguments...), std::string_view name,
                                     unsigned over) {
  constexpr int kOutputs = (0 + ... + (kIsOutput<Arguments> && !kIsSink<Arguments> ? 1 : 0));
  constexpr int kSinks = (0 + ... + (kIsSink<Arguments> ? 1 : 0));
  return {{.name = name,
           .call = call<function, Spec, Arguments...>,
           .operand_count = static_cast<int>(sizeof...(Arguments)) - kOutputs - kSinks,
           .has_output = kOutputs > 0,
           .has_sink = kSinks > 0,
           .has_tile = (false || ... || kIsTile<Arguments>),
           .over = over}};
}

}  // namespace detail

/// The number of parameters that `poet_update` applies the gradient of.
struct UpdateSpec {
  int32_t count;
};

inline void apply_update(const UpdateSpec* spec, const poet_real* gradient, const poet_sink* sink) {
  poet_update(spec->count, gradient, sink);
}

/// The geometry of any kernel.
using KernelSpec =
    std::variant<UpdateSpec, poet_conv2d_spec, poet_linear_spec, poet_matmul_spec,
                 poet_embedding_spec, poet_batch_norm_spec, poet_group_norm_spec, poet_map_spec,
                 poet_prelu_spec, poet_softplus_spec, poet_softmax_spec, poet_dropout_spec,
                 poet_broadcast_spec, poet_mean_spec, poet_pool2d_spec, poet_upsample2d_spec,
                 poet_part_spec, poet_permute_spec, poet_cross_entropy_spec, poet_attention_spec,
                 poet_recurrent_spec, poet_copy_spec, poet_conv2d_copy_spec, poet_linear_copy_spec,
                 poet_batch_norm_copy_spec, poet_group_norm_copy_spec, poet_map_copy_spec,
                 poet_attention_copy_spec>;

inline const void* address_of(const KernelSpec& spec) {
  return std::visit([](const auto& held) -> const void* { return &held; }, spec);
}

}  // namespace poet

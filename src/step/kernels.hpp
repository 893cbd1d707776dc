#pragma once

#include <type_traits>

#include "base/fields.hpp"
#include "step/kernel.hpp"

// What the C declarations in runtime/poet_kernels.h leave open.
namespace poet {

// By the function and not by its type, as many kernels have one type.
template <auto function, auto... others>
inline constexpr bool kIsOneOf =
    (... || std::is_same_v<std::integral_constant<decltype(function), function>,
                           std::integral_constant<decltype(others), others>>);

/// The operands whose buffer the output may be, a bit for each, as the comments in poet_kernels.h
/// say.
template <auto function>
inline constexpr unsigned kOver =
    (kIsOneOf<function, poet_batch_norm, poet_group_norm, poet_frozen_norm, poet_frozen_norm_grad,
              poet_running_norm, poet_copy, poet_relu, poet_relu6, poet_leaky_relu, poet_sigmoid,
              poet_tanh, poet_hard_sigmoid, poet_hard_swish, poet_silu, poet_gelu, poet_elu,
              poet_softplus, poet_prelu, poet_accumulate, poet_softmax, poet_log_softmax,
              poet_dropout, poet_dropout_grad, poet_add, poet_sub, poet_add_grad_a, poet_add_grad_b,
              poet_sub_grad_a, poet_sub_grad_b, poet_cross_entropy_grad, poet_mse_grad,
              poet_lstm_grad_gates>
         ? 1U << 0U
         : 0U) |
    (kIsOneOf<function, poet_linear_relu_grad_z, poet_batch_norm_grad, poet_batch_norm_grad_gamma,
              poet_batch_norm_grad_beta, poet_group_norm_grad, poet_relu_grad, poet_relu6_grad,
              poet_leaky_relu_grad, poet_sigmoid_grad, poet_tanh_grad, poet_hard_sigmoid_grad,
              poet_hard_swish_grad, poet_silu_grad, poet_gelu_grad, poet_elu_grad,
              poet_softplus_grad, poet_prelu_grad, poet_accumulate, poet_softmax_grad,
              poet_log_softmax_grad, poet_add, poet_sub, poet_mul_grad_a, poet_div_grad_a,
              poet_batch_norm_grad_of_bytes, poet_batch_norm_grad_gamma_of_bytes,
              poet_batch_norm_grad_beta_of_bytes, poet_group_norm_grad_of_bytes,
              poet_relu_grad_of_bytes, poet_relu6_grad_of_bytes, poet_leaky_relu_grad_of_bytes,
              poet_sigmoid_grad_of_bytes, poet_tanh_grad_of_bytes, poet_elu_grad_of_bytes,
              poet_hard_sigmoid_grad_of_bytes, poet_hard_swish_grad_of_bytes,
              poet_silu_grad_of_bytes, poet_gelu_grad_of_bytes, poet_relu_grad_of_bits,
              poet_leaky_relu_grad_of_bits>
         ? 1U << 1U
         : 0U) |
    (kIsOneOf<function, poet_attention_grad_scores> ? 1U << 2U : 0U) |
    (kIsOneOf<function, poet_lstm_grad_cell> ? 1U << 3U : 0U);

/// The kernel of a function in poet_kernels.h: its name and arguments follow from the function.
template <auto function>
inline constexpr auto kKernelOf = detail::describe<function>(function, name_in_code<function>(),
                                                             kOver<function>);
template <>
inline constexpr auto kKernelOf<apply_update> = detail::describe<apply_update>(apply_update,
                                                                               "poet_update", 0);

}  // namespace poet

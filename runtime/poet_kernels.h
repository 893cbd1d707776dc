/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a training step: forward pass, gradients and updates of every op of
 * docs/model-format.md, in plain C99.
 *
 * Rules that hold for all of them (docs/runtime.md):
 * - No allocation, no state, nothing from libc but memcpy, memmove and memset.
 * - Loops and sums have a fixed order, so results have the same bits everywhere.
 * - Tensors are dense and row-major. Geometry is int32_t; a tensor has fewer than 2^31 elements.
 * - `x` and `y` are input and output, `dy` the gradient of y, `w` the weights. A bias that the
 *   layer does not have is NULL. Outputs come last.
 * - NAME_grad makes the gradient of an input, NAME_gradw the gradient of the parameters, through a
 *   sink. If an operand may be a learned tensor, NAME_grad takes a sink too (poet_sink.h).
 * - "over X": the output may be X itself. All other outputs overlap no input.
 * - A gradient of a loss, or of another root of the backward pass, reads a `dy` of 1.
 * - Kernels are weak symbols if the compiler has them, so that a program can replace one. */
#ifndef POET_KERNELS_H
#define POET_KERNELS_H

#include "poet_sink.h"

#if defined(__GNUC__)
#define POET_KERNEL __attribute__((weak))
#else
#define POET_KERNEL
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sink.c: checks the compiler ---------------------------------------------------------------
 */

/* Whether the kernels were compiled so that products are fused with sums: then results depend on
 * the compiler, and -ffp-contract=off is missing. */
int poet_fuses_products(void);

/* ---- conv.c: conv2d, conv1d (height 1), conv_transpose2d ------------------------------------- */

/* A convolution from an image to a map of filters. A transposed convolution is the gradient of
 * such a convolution, so that its X is the map and its Y the image; its weights have the same
 * layout: filters, channels / groups, kernel_height, kernel_width. */
struct poet_conv2d_spec {
  int32_t batch;
  int32_t channels, height, width;        /* the image: X of conv2d, Y of conv_transpose2d */
  int32_t filters, map_height, map_width; /* the map: Y of conv2d, X of conv_transpose2d */
  int32_t kernel_height, kernel_width;
  int32_t stride_height, stride_width;
  int32_t pad_top, pad_left; /* "same": half of the padding needed, rounded down */
  int32_t dilation_height, dilation_width;
  int32_t groups;
  int32_t has_bias; /* for gradw */
};

void poet_conv2d(const struct poet_conv2d_spec* c, const poet_real* x, const poet_real* w,
                 const poet_real* bias, poet_real* y);
void poet_conv2d_grad(const struct poet_conv2d_spec* c, const poet_real* dy, const poet_real* w,
                      poet_real* dx);
void poet_conv2d_gradw(const struct poet_conv2d_spec* c, const poet_real* x, const poet_real* dy,
                       const struct poet_sink* dw);
void poet_conv_transpose2d(const struct poet_conv2d_spec* c, const poet_real* x, const poet_real* w,
                           const poet_real* bias, poet_real* y);
void poet_conv_transpose2d_grad(const struct poet_conv2d_spec* c, const poet_real* dy,
                                const poet_real* w, poet_real* dx);
void poet_conv_transpose2d_gradw(const struct poet_conv2d_spec* c, const poet_real* x,
                                 const poet_real* dy, const struct poet_sink* dw);

/* ---- dense.c: linear, linear_relu, matmul, embedding ----------------------------------------- */

/* y = x w^T + bias; w is outputs x inputs. attention_qkv is linear with a row for each position. */
struct poet_linear_spec {
  int32_t rows, inputs, outputs;
  int32_t has_bias; /* for gradw */
};

void poet_linear(const struct poet_linear_spec* l, const poet_real* x, const poet_real* w,
                 const poet_real* bias, poet_real* y);
void poet_linear_relu(const struct poet_linear_spec* l, const poet_real* x, const poet_real* w,
                      const poet_real* bias, poet_real* y);
/* grad(NAME.z) of linear_relu, over dy */
void poet_linear_relu_grad_z(const struct poet_linear_spec* l, const poet_real* y,
                             const poet_real* dy, poet_real* dz);
void poet_linear_grad(const struct poet_linear_spec* l, const poet_real* dy, const poet_real* w,
                      poet_real* dx);
void poet_linear_gradw(const struct poet_linear_spec* l, const poet_real* x, const poet_real* dy,
                       const struct poet_sink* dw);

/* Y = A B in each batch: Y rows x columns, A rows x inner and B inner x columns, or transposed. */
struct poet_matmul_spec {
  int32_t batches, rows, inner, columns;
  int32_t transpose_a, transpose_b;
};

void poet_matmul(const struct poet_matmul_spec* m, const poet_real* a, const poet_real* b,
                 poet_real* y);
void poet_matmul_grad_a(const struct poet_matmul_spec* m, const poet_real* b, const poet_real* dy,
                        const struct poet_sink* da);
void poet_matmul_grad_b(const struct poet_matmul_spec* m, const poet_real* a, const poet_real* dy,
                        const struct poet_sink* db);

/* y[t] = w[x[t]]; an index outside the vocabulary gives zeros and gets no gradient. */
struct poet_embedding_spec {
  int32_t tokens, vocabulary, width;
};

void poet_embedding(const struct poet_embedding_spec* e, const int32_t* x, const poet_real* w,
                    poet_real* y);
void poet_embedding_gradw(const struct poet_embedding_spec* e, const int32_t* x,
                          const poet_real* dy, const struct poet_sink* dw);

/* ---- int8.c: convolutions and dense layers whose frozen weights have one byte ------------------
 */

/* The same kernels with weights of w[i] scale[f] (int8 times float32): f is the filter or the
 * output of weight i, the first extent of w. Products have to be exact, as with scales of 17
 * significant bits; then results have the bits of the kernels above. */
void poet_conv2d_int8(const struct poet_conv2d_spec* c, const poet_real* x, const int8_t* w,
                      const poet_real* scale, const poet_real* bias, poet_real* y);
void poet_conv2d_int8_grad(const struct poet_conv2d_spec* c, const poet_real* dy, const int8_t* w,
                           const poet_real* scale, poet_real* dx);
void poet_linear_int8(const struct poet_linear_spec* l, const poet_real* x, const int8_t* w,
                      const poet_real* scale, const poet_real* bias, poet_real* y);
void poet_linear_relu_int8(const struct poet_linear_spec* l, const poet_real* x, const int8_t* w,
                           const poet_real* scale, const poet_real* bias, poet_real* y);
void poet_linear_int8_grad(const struct poet_linear_spec* l, const poet_real* dy, const int8_t* w,
                           const poet_real* scale, poet_real* dx);

/* ---- norm.c: batch_norm1d, batch_norm2d, layer_norm, group_norm ------------------------------ */

/* Means and variances are computed again by the gradients. The gradient node of a normalisation
 * makes dx and the gradients of gamma and beta; dx is NULL if nothing below trains, dw if the layer
 * does not train. y may be over x, and dx over dy; the sink may change gamma: it is read before.
 *
 * A sink with `running` makes the gradient of a batch norm take the batch into the running
 * statistics: r = keep r + take s, where s is the mean, or the variance over count - 1 (a count of
 * 1: over 1). The gradient does it, and not the forward pass, since it runs once in each step. */
struct poet_batch_norm_spec {
  int32_t batch, channels, plane; /* plane: H W, L, or 1 */
  poet_real epsilon;
  poet_real keep, take; /* for the gradient; 1 - momentum and momentum, as a rule */
};

void poet_batch_norm(const struct poet_batch_norm_spec* b, const poet_real* x,
                     const poet_real* gamma, const poet_real* beta, poet_real* y);
void poet_batch_norm_grad(const struct poet_batch_norm_spec* b, const poet_real* x,
                          const poet_real* dy, const poet_real* gamma, poet_real* dx,
                          const struct poet_sink* dw);
/* The same if only one of them trains: it is all that the sink has. */
void poet_batch_norm_grad_gamma(const struct poet_batch_norm_spec* b, const poet_real* x,
                                const poet_real* dy, const poet_real* gamma, poet_real* dx,
                                const struct poet_sink* dw);
void poet_batch_norm_grad_beta(const struct poet_batch_norm_spec* b, const poet_real* x,
                               const poet_real* dy, const poet_real* gamma, poet_real* dx,
                               const struct poet_sink* dw);
/* `frozen`: gamma x + beta, over x; dx over dy */
void poet_frozen_norm(const struct poet_batch_norm_spec* b, const poet_real* x,
                      const poet_real* gamma, const poet_real* beta, poet_real* y);
void poet_frozen_norm_grad(const struct poet_batch_norm_spec* b, const poet_real* dy,
                           const poet_real* gamma, poet_real* dx);
/* A norm that was trained, in an inference: (x - mean) / sqrt(variance + epsilon) gamma + beta with
 * the running statistics, as a scale and a shift, which are made anew for each channel. y over x */
void poet_running_norm(const struct poet_batch_norm_spec* b, const poet_real* x,
                       const poet_real* gamma, const poet_real* beta, const poet_real* mean,
                       const poet_real* variance, poet_real* y);

/* Statistics over the channels of a group and their planes, in each sample. layer_norm over its
 * last extents: a sample for each row, 1 group, a channel for each of their elements, plane 1. */
struct poet_group_norm_spec {
  int32_t samples, groups, channels, plane; /* channels: of one group */
  int32_t has_bias;                         /* for the gradient: beta has one too */
  poet_real epsilon;
};

void poet_group_norm(const struct poet_group_norm_spec* n, const poet_real* x,
                     const poet_real* gamma, const poet_real* beta, poet_real* y);
void poet_group_norm_grad(const struct poet_group_norm_spec* n, const poet_real* x,
                          const poet_real* dy, const poet_real* gamma, poet_real* dx,
                          const struct poet_sink* dw);

/* ---- elementwise.c: activations, softmaxes, dropout, stochastic_depth, accumulate ------------ */

struct poet_map_spec {
  int32_t count;
  poet_real slope; /* of leaky_relu, below 0; alpha of elu */
};

/* y over x; dx over dy. The gradients of the first six read y, of the last four x. */
void poet_relu(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_relu_grad(const struct poet_map_spec* m, const poet_real* y, const poet_real* dy,
                    poet_real* dx);
void poet_relu6(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_relu6_grad(const struct poet_map_spec* m, const poet_real* y, const poet_real* dy,
                     poet_real* dx);
void poet_leaky_relu(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_leaky_relu_grad(const struct poet_map_spec* m, const poet_real* y, const poet_real* dy,
                          poet_real* dx);
void poet_sigmoid(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_sigmoid_grad(const struct poet_map_spec* m, const poet_real* y, const poet_real* dy,
                       poet_real* dx);
void poet_tanh(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_tanh_grad(const struct poet_map_spec* m, const poet_real* y, const poet_real* dy,
                    poet_real* dx);
void poet_hard_sigmoid(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_hard_sigmoid_grad(const struct poet_map_spec* m, const poet_real* x, const poet_real* dy,
                            poet_real* dx);
void poet_hard_swish(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_hard_swish_grad(const struct poet_map_spec* m, const poet_real* x, const poet_real* dy,
                          poet_real* dx);
void poet_silu(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_silu_grad(const struct poet_map_spec* m, const poet_real* x, const poet_real* dy,
                    poet_real* dx);
void poet_gelu(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_gelu_grad(const struct poet_map_spec* m, const poet_real* x, const poet_real* dy,
                    poet_real* dx);

/* What dropout and stochastic_depth are in an inference. y over x */
void poet_copy(const struct poet_map_spec* m, const poet_real* x, poet_real* y);

/* The sum of two contributions to a gradient, over either. */
void poet_accumulate(const struct poet_map_spec* m, const poet_real* a, const poet_real* b,
                     poet_real* y);

/* x where it is positive, else w x, with a slope w for each of the middle extents. y over x; dx
 * over dy. */
struct poet_prelu_spec {
  int32_t outer, channels, inner; /* one slope for all: 1, 1, |X| */
};

void poet_prelu(const struct poet_prelu_spec* p, const poet_real* x, const poet_real* w,
                poet_real* y);
void poet_prelu_grad(const struct poet_prelu_spec* p, const poet_real* x, const poet_real* dy,
                     const poet_real* w, poet_real* dx);
void poet_prelu_gradw(const struct poet_prelu_spec* p, const poet_real* x, const poet_real* dy,
                      const struct poet_sink* dw);

/* Over the middle one of three extents. y over x; dx over dy. */
struct poet_softmax_spec {
  int32_t outer, axis, inner;
};

void poet_softmax(const struct poet_softmax_spec* s, const poet_real* x, poet_real* y);
void poet_softmax_grad(const struct poet_softmax_spec* s, const poet_real* y, const poet_real* dy,
                       poet_real* dx);
void poet_log_softmax(const struct poet_softmax_spec* s, const poet_real* x, poet_real* y);
void poet_log_softmax_grad(const struct poet_softmax_spec* s, const poet_real* y,
                           const poet_real* dy, poet_real* dx);

/* Drops blocks of elements with probability `rate` and divides the others by 1 - rate. Block b is
 * decided by a hash of (seed, b), so that the gradient finds the same mask: see poet_keeps().
 * dropout: block 1. stochastic_depth: a block is a sample. y over x; dx over dy. */
struct poet_dropout_spec {
  int32_t count, block;
  poet_real rate;   /* 0 <= rate < 1 */
  uint32_t seed[2]; /* different for each layer and step */
};

int poet_keeps(const struct poet_dropout_spec* d, int32_t block);
void poet_dropout(const struct poet_dropout_spec* d, const poet_real* x, poet_real* y);
void poet_dropout_grad(const struct poet_dropout_spec* d, const poet_real* dy, poet_real* dx);

/* ---- exponential.c: elu, softplus ------------------------------------------------------------ */

/* y over x; dx over dy */
void poet_elu(const struct poet_map_spec* m, const poet_real* x, poet_real* y);
void poet_elu_grad(const struct poet_map_spec* m, const poet_real* y, const poet_real* dy,
                   poet_real* dx);

/* log(1 + exp(beta x)) / beta, and x itself where beta x is above the threshold. beta > 0. y over
 * x; dx over dy */
struct poet_softplus_spec {
  int32_t count;
  poet_real beta, threshold;
};

void poet_softplus(const struct poet_softplus_spec* s, const poet_real* x, poet_real* y);
void poet_softplus_grad(const struct poet_softplus_spec* s, const poet_real* x, const poet_real* dy,
                        poet_real* dx);

/* ---- broadcast.c: add, sub, mul, div, mean, global_avg_pool ---------------------------------- */

/* Y has these extents; a side's stride is 0 along an extent that is repeated. Each side is dense.
 * Equal shapes: {1, 1, 1, |Y|} and strides {0, 0, 0, 1}. POET's broadcast_channels splits the
 * channels in two extents, of which the outer one has stride 0 in B. */
struct poet_broadcast_spec {
  int32_t extent[4];
  int32_t stride_a[4], stride_b[4];
};

/* add and sub: y over a side of its shape */
void poet_add(const struct poet_broadcast_spec* s, const poet_real* a, const poet_real* b,
              poet_real* y);
void poet_sub(const struct poet_broadcast_spec* s, const poet_real* a, const poet_real* b,
              poet_real* y);
void poet_mul(const struct poet_broadcast_spec* s, const poet_real* a, const poet_real* b,
              poet_real* y);
void poet_div(const struct poet_broadcast_spec* s, const poet_real* a, const poet_real* b,
              poet_real* y);
/* Gradients. A side of Y's shape may be stored over dy. */
void poet_add_grad_a(const struct poet_broadcast_spec* s, const poet_real* dy,
                     const struct poet_sink* da);
void poet_add_grad_b(const struct poet_broadcast_spec* s, const poet_real* dy,
                     const struct poet_sink* db);
void poet_sub_grad_a(const struct poet_broadcast_spec* s, const poet_real* dy,
                     const struct poet_sink* da);
void poet_sub_grad_b(const struct poet_broadcast_spec* s, const poet_real* dy,
                     const struct poet_sink* db);
void poet_mul_grad_a(const struct poet_broadcast_spec* s, const poet_real* b, const poet_real* dy,
                     const struct poet_sink* da);
void poet_mul_grad_b(const struct poet_broadcast_spec* s, const poet_real* a, const poet_real* dy,
                     const struct poet_sink* db);
void poet_div_grad_a(const struct poet_broadcast_spec* s, const poet_real* b, const poet_real* dy,
                     const struct poet_sink* da);
void poet_div_grad_b(const struct poet_broadcast_spec* s, const poet_real* a, const poet_real* b,
                     const poet_real* dy, const struct poet_sink* db);

/* X has these extents; Y's stride is 0 along those that are averaged. */
struct poet_mean_spec {
  int32_t extent[4];
  int32_t stride[4];
};

void poet_mean(const struct poet_mean_spec* m, const poet_real* x, poet_real* y);
void poet_mean_grad(const struct poet_mean_spec* m, const poet_real* dy, poet_real* dx);

/* ---- pool.c: max_pool2d, avg_pool2d, adaptive_avg_pool2d; 1d: height 1 ----------------------- */

struct poet_pool2d_spec {
  int32_t planes; /* N C */
  int32_t height, width, out_height, out_width;
  int32_t kernel_height, kernel_width, stride_height, stride_width, pad_top, pad_left;
  int32_t count_include_pad; /* of avg_pool2d */
};

void poet_max_pool2d(const struct poet_pool2d_spec* p, const poet_real* x, poet_real* y);
/* Where in its window each maximum is, row by row; the first one of equal ones. _wide: for windows
 * of more than 256 positions. */
void poet_max_pool2d_index(const struct poet_pool2d_spec* p, const poet_real* x, uint8_t* index);
void poet_max_pool2d_index_wide(const struct poet_pool2d_spec* p, const poet_real* x,
                                uint16_t* index);
void poet_max_pool2d_grad(const struct poet_pool2d_spec* p, const uint8_t* index,
                          const poet_real* dy, poet_real* dx);
void poet_max_pool2d_grad_wide(const struct poet_pool2d_spec* p, const uint16_t* index,
                               const poet_real* dy, poet_real* dx);
void poet_avg_pool2d(const struct poet_pool2d_spec* p, const poet_real* x, poet_real* y);
void poet_avg_pool2d_grad(const struct poet_pool2d_spec* p, const poet_real* dy, poet_real* dx);
/* These read the planes and the four extents only. */
void poet_adaptive_avg_pool2d(const struct poet_pool2d_spec* p, const poet_real* x, poet_real* y);
void poet_adaptive_avg_pool2d_grad(const struct poet_pool2d_spec* p, const poet_real* dy,
                                   poet_real* dx);

/* ---- upsample.c ------------------------------------------------------------------------------ */

struct poet_upsample2d_spec {
  int32_t planes, height, width, scale_height, scale_width;
};

void poet_upsample2d_nearest(const struct poet_upsample2d_spec* u, const poet_real* x,
                             poet_real* y);
void poet_upsample2d_nearest_grad(const struct poet_upsample2d_spec* u, const poet_real* dy,
                                  poet_real* dx);
/* Pixels are squares: corners are not aligned (PyTorch's default). */
void poet_upsample2d_bilinear(const struct poet_upsample2d_spec* u, const poet_real* x,
                              poet_real* y);
void poet_upsample2d_bilinear_grad(const struct poet_upsample2d_spec* u, const poet_real* dy,
                                   poet_real* dx);

/* ---- shape.c: concat, split, slice, permute -------------------------------------------------- */

/* A part of a tensor along one axis. `inner` is the product of the extents behind the axis, `outer`
 * of those before. `part_outer` is the part's own: smaller for an input of concat whose batch of 1
 * is repeated, so that its blocks are taken round and round. */
struct poet_part_spec {
  int32_t outer, axis, inner; /* of the whole */
  int32_t start, size;        /* of the part, along the axis */
  int32_t part_outer;
};

/* concat: for each input. Gradient of split: for each part. */
void poet_insert(const struct poet_part_spec* p, const poet_real* part, poet_real* whole);
/* For a part of split that has no gradient, and before the gradient of slice. */
void poet_insert_zeros(const struct poet_part_spec* p, poet_real* whole);
/* The gradient of slice: zeros around the part. */
void poet_slice_grad(const struct poet_part_spec* p, const poet_real* dy, poet_real* dx);
/* split and slice. */
void poet_extract(const struct poet_part_spec* p, const poet_real* whole, poet_real* part);
/* The gradient of an input of concat: the sum over what was repeated. */
void poet_concat_grad(const struct poet_part_spec* p, const poet_real* dy,
                      const struct poet_sink* dx);

/* Extents of Y, and the strides in X along them. */
struct poet_permute_spec {
  int32_t extent[4];
  int32_t stride[4];
};

void poet_permute(const struct poet_permute_spec* p, const poet_real* x, poet_real* y);
void poet_permute_grad(const struct poet_permute_spec* p, const poet_real* dy,
                       const struct poet_sink* dx);

/* ---- loss.c: cross_entropy, mse -------------------------------------------------------------- */

/* The mean over rows of -log softmax(x)[target]; a target outside the classes matches none. */
struct poet_cross_entropy_spec {
  int32_t rows, classes;
};

void poet_cross_entropy(const struct poet_cross_entropy_spec* c, const poet_real* x,
                        const int32_t* target, poet_real* y);
/* dx over x; dy is one number */
void poet_cross_entropy_grad(const struct poet_cross_entropy_spec* c, const poet_real* x,
                             const int32_t* target, const poet_real* dy, poet_real* dx);
/* The mean of (x - target)^2 */
void poet_mse(const struct poet_map_spec* m, const poet_real* x, const poet_real* target,
              poet_real* y);
void poet_mse_grad(const struct poet_map_spec* m, const poet_real* x, const poet_real* target,
                   const poet_real* dy, poet_real* dx);

/* ---- attention.c: attention; attention_scores and attention_context -------------------------- */

/* Queries, keys, values and outputs of all heads lie in rows; a head's element d is at
 * head head_stride + d element_stride in its row. Probabilities P: query (s) and key (t) of a head
 * are at head probability_head + s probability_query + t probability_key.
 *   attention: rows of hidden = heads head_dim elements; row_stride = output_stride = hidden,
 *     head_stride = head_dim, element_stride = 1; P is batch, heads, queries, keys.
 *   attention_scores, attention_context: q, k and v are x, x + head_dim heads, x + 2 head_dim heads
 *     of one tensor with row_stride = 3 head_dim heads; output_stride = head_dim heads;
 *     head_stride = 1, element_stride = heads; P is queries, keys, heads.
 * poet_attention_layout() and poet_attention_qkv_layout() fill in the strides. */
struct poet_attention_spec {
  int32_t batch, heads, queries, keys, head_dim;
  int32_t causal; /* query s sees keys 0 to s */
  int32_t row_stride, output_stride, head_stride, element_stride;
  int32_t probability_head, probability_query, probability_key;
};

void poet_attention_layout(struct poet_attention_spec* a);
void poet_attention_qkv_layout(struct poet_attention_spec* a);

/* P = softmax(Q K^T / sqrt(head_dim)) */
void poet_attention_scores(const struct poet_attention_spec* a, const poet_real* q,
                           const poet_real* k, poet_real* p);
/* Y = P V */
void poet_attention_context(const struct poet_attention_spec* a, const poet_real* p,
                            const poet_real* v, poet_real* y);
/* The gradient of Q K^T, over p */
void poet_attention_grad_scores(const struct poet_attention_spec* a, const poet_real* dy,
                                const poet_real* v, const poet_real* p, poet_real* ds);
void poet_attention_grad_q(const struct poet_attention_spec* a, const poet_real* ds,
                           const poet_real* k, poet_real* dq);
void poet_attention_grad_k(const struct poet_attention_spec* a, const poet_real* ds,
                           const poet_real* q, poet_real* dk);
void poet_attention_grad_v(const struct poet_attention_spec* a, const poet_real* p,
                           const poet_real* dy, poet_real* dv);
/* All three, for attention_context */
void poet_attention_grad_qkv(const struct poet_attention_spec* a, const poet_real* ds,
                             const poet_real* qkv, const poet_real* p, const poet_real* dy,
                             poet_real* dqkv);

/* ---- recurrent.c: lstm; gru.c: gru ----------------------------------------------------------- */

/* One time step. Gates lie side by side in a row: i, f, g, o of lstm (Hochreiter and Schmidhuber,
 * 1997, with a forget gate); r, z, n of gru (Cho et al., 2014). They are stored activated.
 * poet_linear_grad makes the gradients of x, and of h for lstm; poet_linear_gradw makes the
 * gradients of all parameters but the hidden weights of gru. */
struct poet_recurrent_spec {
  int32_t rows, inputs, hidden;
  int32_t has_bias; /* for gradw */
};

void poet_lstm_gates(const struct poet_recurrent_spec* r, const poet_real* x, const poet_real* h,
                     const poet_real* w, const poet_real* w_bias, const poet_real* u,
                     const poet_real* u_bias, poet_real* gates);
void poet_lstm_c(const struct poet_recurrent_spec* r, const poet_real* gates,
                 const poet_real* c_before, poet_real* c);
void poet_lstm_h(const struct poet_recurrent_spec* r, const poet_real* gates, const poet_real* c,
                 poet_real* h);
/* The gradient of c by all ways, over dc. dh or dc may be NULL: no gradient. */
void poet_lstm_grad_cell(const struct poet_recurrent_spec* r, const poet_real* gates,
                         const poet_real* c, const poet_real* dh, const poet_real* dc,
                         poet_real* dcell);
void poet_lstm_grad_c(const struct poet_recurrent_spec* r, const poet_real* gates,
                      const poet_real* dcell, poet_real* dc_before);
/* Before the activation, over gates. dh may be NULL. */
void poet_lstm_grad_gates(const struct poet_recurrent_spec* r, const poet_real* gates,
                          const poet_real* c, const poet_real* c_before, const poet_real* dh,
                          const poet_real* dcell, poet_real* dgates);

void poet_gru_gates(const struct poet_recurrent_spec* r, const poet_real* x, const poet_real* h,
                    const poet_real* w, const poet_real* w_bias, const poet_real* u,
                    const poet_real* u_bias, poet_real* gates);
void poet_gru_h(const struct poet_recurrent_spec* r, const poet_real* gates,
                const poet_real* h_before, poet_real* h);
void poet_gru_grad_gates(const struct poet_recurrent_spec* r, const poet_real* gates,
                         const poet_real* h_before, const poet_real* dy, const poet_real* u,
                         poet_real* dgates);
void poet_gru_grad_h(const struct poet_recurrent_spec* r, const poet_real* dgates,
                     const poet_real* gates, const poet_real* dy, const poet_real* u,
                     poet_real* dh_before);
void poet_gru_gradw_hidden(const struct poet_recurrent_spec* r, const poet_real* h_before,
                           const poet_real* gates, const poet_real* dgates,
                           const struct poet_sink* du);
/* `reset_after`: the reset gate scales the product with the state and its bias, not the state.
 * poet_gru_h is the same. */
void poet_gru_after_gates(const struct poet_recurrent_spec* r, const poet_real* x,
                          const poet_real* h, const poet_real* w, const poet_real* w_bias,
                          const poet_real* u, const poet_real* u_bias, poet_real* gates);
void poet_gru_after_grad_gates(const struct poet_recurrent_spec* r, const poet_real* gates,
                               const poet_real* h_before, const poet_real* dy, const poet_real* u,
                               const poet_real* u_bias, poet_real* dgates);
void poet_gru_after_grad_h(const struct poet_recurrent_spec* r, const poet_real* dgates,
                           const poet_real* gates, const poet_real* dy, const poet_real* u,
                           poet_real* dh_before);
void poet_gru_after_gradw_hidden(const struct poet_recurrent_spec* r, const poet_real* h_before,
                                 const poet_real* gates, const poet_real* dgates,
                                 const struct poet_sink* du);
/* Of the bias of the state alone */
void poet_gru_after_gradb_hidden(const struct poet_recurrent_spec* r, const poet_real* gates,
                                 const poet_real* dgates, const struct poet_sink* db);

/* ---- sink.c ---------------------------------------------------------------------------------- */

/* Sets what a step applies, before it; a step that failed may be begun again. */
void poet_begin_step(struct poet_optimizer* optimizer);
/* Counts a step that has ended in the decays of Adam. */
void poet_end_step(struct poet_optimizer* optimizer);
/* Applies a stored gradient: what the sink does at once with a fused update. */
void poet_update(int32_t count, const poet_real* gradient, const struct poet_sink* sink);

/* ---- copies.c, and the files of the kernels: bytes and bits that gradients read in the place of
 * forward tensors ---- */

/* `groups` runs of `group_size` numbers, each with a scale (float32) of its own. A copy has a byte
 * for each number, padded to a multiple of four, and then the scales; a byte times its scale is
 * what gradients read in the place of the number. */
struct poet_copy_spec {
  int32_t groups, group_size;
  int32_t keeps_sign; /* for poet_copy_int8: only 0 becomes 0 */
};

/* Symmetric, to the nearest, ties to even: scale = largest magnitude / 127. A group with a number
 * that is not finite is NaN as a whole. */
void poet_copy_int8(const struct poet_copy_spec* c, const poet_real* x, int8_t* y);

/* Room for unpacked numbers, aligned as these. docs/runtime.md says how many a kernel needs. */
struct poet_workspace;

/* Kernels as above, with a copy in the place of a tensor: the same bits as of the unpacked one. */
struct poet_conv2d_copy_spec {
  struct poet_conv2d_spec conv;
  struct poet_copy_spec copy; /* of x */
};
void poet_conv2d_gradw_of_bytes(const struct poet_conv2d_copy_spec* c, const int8_t* x,
                                const poet_real* dy, struct poet_workspace* tile,
                                const struct poet_sink* dw);

struct poet_linear_copy_spec {
  struct poet_linear_spec linear;
  struct poet_copy_spec copy; /* of x */
};
void poet_linear_gradw_of_bytes(const struct poet_linear_copy_spec* l, const int8_t* x,
                                const poet_real* dy, struct poet_workspace* tile,
                                const struct poet_sink* dw);

struct poet_batch_norm_copy_spec {
  struct poet_batch_norm_spec norm;
  struct poet_copy_spec copy; /* of x */
};
void poet_batch_norm_grad_of_bytes(const struct poet_batch_norm_copy_spec* b, const int8_t* x,
                                   const poet_real* dy, const poet_real* gamma,
                                   struct poet_workspace* tile, poet_real* dx,
                                   const struct poet_sink* dw);
void poet_batch_norm_grad_gamma_of_bytes(const struct poet_batch_norm_copy_spec* b, const int8_t* x,
                                         const poet_real* dy, const poet_real* gamma,
                                         struct poet_workspace* tile, poet_real* dx,
                                         const struct poet_sink* dw);
void poet_batch_norm_grad_beta_of_bytes(const struct poet_batch_norm_copy_spec* b, const int8_t* x,
                                        const poet_real* dy, const poet_real* gamma,
                                        struct poet_workspace* tile, poet_real* dx,
                                        const struct poet_sink* dw);

struct poet_group_norm_copy_spec {
  struct poet_group_norm_spec norm;
  struct poet_copy_spec copy; /* of x */
};
void poet_group_norm_grad_of_bytes(const struct poet_group_norm_copy_spec* n, const int8_t* x,
                                   const poet_real* dy, const poet_real* gamma,
                                   struct poet_workspace* tile, poet_real* dx,
                                   const struct poet_sink* dw);

struct poet_attention_copy_spec {
  struct poet_attention_spec attention; /* as poet_attention_layout() has it */
  struct poet_copy_spec copy;           /* of p */
};
void poet_attention_grad_scores_of_bytes(const struct poet_attention_copy_spec* c,
                                         const poet_real* dy, const poet_real* v, const int8_t* p,
                                         struct poet_workspace* tile, poet_real* ds);
void poet_attention_grad_v_of_bytes(const struct poet_attention_copy_spec* c, const int8_t* p,
                                    const poet_real* dy, struct poet_workspace* tile,
                                    poet_real* dv);

struct poet_map_copy_spec {
  struct poet_map_spec map;
  struct poet_copy_spec copy; /* of what the gradient reads, x or y */
};
/* dx over dy */
void poet_relu_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* y,
                             const poet_real* dy, poet_real* dx);
void poet_relu6_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* y,
                              const poet_real* dy, poet_real* dx);
void poet_leaky_relu_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* y,
                                   const poet_real* dy, poet_real* dx);
void poet_sigmoid_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* y,
                                const poet_real* dy, poet_real* dx);
void poet_tanh_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* y,
                             const poet_real* dy, poet_real* dx);
void poet_elu_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* y,
                            const poet_real* dy, poet_real* dx);
void poet_hard_sigmoid_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* x,
                                     const poet_real* dy, poet_real* dx);
void poet_hard_swish_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* x,
                                   const poet_real* dy, poet_real* dx);
void poet_silu_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* x,
                             const poet_real* dy, poet_real* dx);
void poet_gelu_grad_of_bytes(const struct poet_map_copy_spec* m, const int8_t* x,
                             const poet_real* dy, poet_real* dx);

/* A bit for each number, from the lowest bit of a byte on: y > 0, or 0 < y < 6, which is all that
 * the gradient of a rectifier reads. dx over dy */
void poet_relu_bits(const struct poet_map_spec* m, const poet_real* x, uint8_t* y);
void poet_relu6_bits(const struct poet_map_spec* m, const poet_real* x, uint8_t* y);
void poet_relu_grad_of_bits(const struct poet_map_spec* m, const uint8_t* y, const poet_real* dy,
                            poet_real* dx);
void poet_leaky_relu_grad_of_bits(const struct poet_map_spec* m, const uint8_t* y,
                                  const poet_real* dy, poet_real* dx);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Frozen weights of one byte: a weight is a byte times the scale of its filter, or of its output. A
 * scale has 17 significant bits at most, so that the product is exact, and results have the bits of
 * the kernels that read the products as numbers. Sums stay numbers: bytes save flash, and no time.
 *
 * The weights are the left operands of every sum here. A dense layer is the product of its weights
 * and the transposed rows, which has the same terms in the same order. */
#include "poet_conv.h"
#include "poet_product.h"

/* `rows`, `columns`, `is_next` and `by_row`, which says that scales are of rows, are constants
 * wherever this is compiled for speed, as in block.c. */
POET_INLINE void sum_bytes(const struct poet_block* block, int32_t rows, int32_t columns,
                           int is_next, int by_row) {
  const struct poet_terms* t = &block->terms;
  const struct poet_left_bytes* from = &block->bytes;
  const int32_t left_step = t->left[2], right_step = t->right[2], scale_step = from->scale_inner;
  const int8_t* left = from->of->bytes + from->first;
  const poet_real* right = block->right;
  const poet_real* at_scale = from->of->scale + from->first_scale;
  poet_real sums[POET_MOST_SUMS], scale[POET_BLOCK], a[POET_BLOCK], b[POET_BLOCK];
  int32_t c, r, s, i, j;
  POET_UNROLL for (i = 0; i < rows; ++i) {
    const poet_real* start = block->start + i * block->start_row;
    if (by_row) scale[i] = at_scale[i];
    POET_UNROLL for (j = 0; j < columns; ++j) sums[i * columns + j] =
        start[j * block->start_column];
  }
  for (c = t->count[0]; c > 0; --c) {
    const int8_t* left_row = left;
    const poet_real* right_row = right;
    for (r = t->count[1]; r > 0; --r) {
      const int8_t* at_left[POET_BLOCK];
      const poet_real* at_right[POET_BLOCK];
      POET_UNROLL for (i = 0; i < rows; ++i) at_left[i] = left_row + i * block->left_row;
      POET_UNROLL for (j = 0; j < columns; ++j) at_right[j] = right_row + j * block->right_column;
      for (s = t->count[2]; s > 0; --s) {
        const poet_real of_term = *at_scale;
        POET_UNROLL for (i = 0; i < rows; ++i) {
          a[i] = (poet_real)*at_left[i] * (by_row ? scale[i] : of_term);
          at_left[i] += left_step;
        }
        if (!by_row) at_scale += scale_step;
        POET_UNROLL for (j = 0; j < columns; ++j) {
          b[j] = is_next ? at_right[0][j] : *at_right[j];
          if (!is_next) at_right[j] += right_step;
        }
        if (is_next) at_right[0] += right_step;
        POET_UNROLL for (i = 0; i < rows; ++i) {
          POET_UNROLL for (j = 0; j < columns; ++j) sums[i * columns + j] += a[i] * b[j];
        }
      }
      left_row += t->left[1];
      right_row += t->right[1];
    }
    left += t->left[0];
    right += t->right[0];
    if (!by_row) at_scale += from->scale_outer;
  }
  POET_UNROLL for (i = 0; i < rows; ++i) {
    poet_real* out = block->out + i * block->out_row;
    POET_UNROLL for (j = 0; j < columns; ++j) out[j * block->out_column] = sums[i * columns + j];
  }
}

#define POET_SUMS_OF_BYTES(name, rows, columns, is_next)           \
  POET_APART void name##_by_row(const struct poet_block* block) {  \
    sum_bytes(block, rows, columns, is_next, 1);                   \
  }                                                                \
  POET_APART void name##_by_term(const struct poet_block* block) { \
    sum_bytes(block, rows, columns, is_next, 0);                   \
  }
POET_SUMS_OF_BYTES(sum_bytes_next, POET_BLOCK, POET_BLOCK, 1)
POET_SUMS_OF_BYTES(sum_bytes_apart, POET_BLOCK, POET_BLOCK, 0)
POET_SUMS_OF_BYTES(sum_bytes_column, POET_BLOCK, 1, 0)
POET_SUMS_OF_BYTES(sum_bytes_row, 1, POET_BLOCK, 0)

POET_APART void sum_bytes_single(const struct poet_block* block) {
  sum_bytes(block, 1, 1, 0, block->bytes.scale_row != 0);
}

static void sum_block_of_bytes(const struct poet_block* block, int32_t rows, int32_t columns) {
  const int by_row = block->bytes.scale_row != 0;
  if (rows == 1 && columns == 1) {
    sum_bytes_single(block);
  } else if (rows == 1) {
    (by_row ? sum_bytes_row_by_row : sum_bytes_row_by_term)(block);
  } else if (columns == 1) {
    (by_row ? sum_bytes_column_by_row : sum_bytes_column_by_term)(block);
  } else if (block->right_column == 1) {
    (by_row ? sum_bytes_next_by_row : sum_bytes_next_by_term)(block);
  } else {
    (by_row ? sum_bytes_apart_by_row : sum_bytes_apart_by_term)(block);
  }
}

static struct poet_weights weights_of(const int8_t* w, const poet_real* scale) {
  const struct poet_weights weights = {.bytes = w, .scale = scale, .sum = sum_block_of_bytes};
  return weights;
}

POET_KERNEL void poet_conv2d_int8(const struct poet_conv2d_spec* c, const poet_real* x,
                                  const int8_t* w, const poet_real* scale, const poet_real* bias,
                                  poet_real* y) {
  const struct poet_weights weights = weights_of(w, scale);
  poet_convolve(c, 1, x, &weights, bias, y);
}

POET_KERNEL void poet_conv2d_int8_grad(const struct poet_conv2d_spec* c, const poet_real* dy,
                                       const int8_t* w, const poet_real* scale, poet_real* dx) {
  const struct poet_weights weights = weights_of(w, scale);
  poet_convolve(c, 0, dy, &weights, 0, dx);
}

POET_KERNEL void poet_linear_int8(const struct poet_linear_spec* l, const poet_real* x,
                                  const int8_t* w, const poet_real* scale, const poet_real* bias,
                                  poet_real* y) {
  const struct poet_weights weights = weights_of(w, scale);
  const struct poet_product_spec p = {.rows = l->outputs,
                                      .inner = l->inputs,
                                      .columns = l->rows,
                                      .a_row = l->inputs,
                                      .a_inner = 1,
                                      .b = x,
                                      .b_inner = 1,
                                      .b_column = l->inputs,
                                      .row_start = bias,
                                      .out_row = 1,
                                      .out_column = l->outputs,
                                      .bytes = {.of = &weights, .scale_row = 1}};
  const struct poet_sink out = {.gradient = y};
  poet_product(&p, &out);
}

POET_KERNEL void poet_linear_relu_int8(const struct poet_linear_spec* l, const poet_real* x,
                                       const int8_t* w, const poet_real* scale,
                                       const poet_real* bias, poet_real* y) {
  const struct poet_map_spec m = {l->rows * l->outputs, 0};
  poet_linear_int8(l, x, w, scale, bias, y);
  poet_relu(&m, y, y);
}

POET_KERNEL void poet_linear_int8_grad(const struct poet_linear_spec* l, const poet_real* dy,
                                       const int8_t* w, const poet_real* scale, poet_real* dx) {
  const struct poet_weights weights = weights_of(w, scale);
  const struct poet_product_spec p = {.rows = l->inputs,
                                      .inner = l->outputs,
                                      .columns = l->rows,
                                      .a_row = 1,
                                      .a_inner = l->inputs,
                                      .b = dy,
                                      .b_inner = 1,
                                      .b_column = l->outputs,
                                      .out_row = 1,
                                      .out_column = l->inputs,
                                      .bytes = {.of = &weights, .scale_inner = 1}};
  const struct poet_sink out = {.gradient = dx};
  poet_product(&p, &out);
}

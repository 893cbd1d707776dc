/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_copies.h"
#include "poet_product.h"

POET_KERNEL void poet_linear(const struct poet_linear_spec* l, const poet_real* x,
                             const poet_real* w, const poet_real* bias, poet_real* y) {
  const struct poet_product_spec p = {.rows = l->rows,
                                      .inner = l->inputs,
                                      .columns = l->outputs,
                                      .a = x,
                                      .a_row = l->inputs,
                                      .a_inner = 1,
                                      .b = w,
                                      .b_inner = 1,
                                      .b_column = l->inputs,
                                      .start = bias,
                                      .out_row = l->outputs,
                                      .out_column = 1};
  const struct poet_sink out = {.gradient = y};
  poet_product(&p, &out);
}

POET_KERNEL void poet_linear_relu(const struct poet_linear_spec* l, const poet_real* x,
                                  const poet_real* w, const poet_real* bias, poet_real* y) {
  const struct poet_map_spec m = {l->rows * l->outputs, 0};
  poet_linear(l, x, w, bias, y);
  poet_relu(&m, y, y);
}

POET_KERNEL void poet_linear_relu_grad_z(const struct poet_linear_spec* l, const poet_real* y,
                                         const poet_real* dy, poet_real* dz) {
  const struct poet_map_spec m = {l->rows * l->outputs, 0};
  poet_relu_grad(&m, y, dy, dz);
}

POET_KERNEL void poet_linear_grad(const struct poet_linear_spec* l, const poet_real* dy,
                                  const poet_real* w, poet_real* dx) {
  const struct poet_product_spec p = {.rows = l->rows,
                                      .inner = l->outputs,
                                      .columns = l->inputs,
                                      .a = dy,
                                      .a_row = l->outputs,
                                      .a_inner = 1,
                                      .b = w,
                                      .b_inner = l->inputs,
                                      .b_column = 1,
                                      .out_row = l->inputs,
                                      .out_column = 1};
  const struct poet_sink out = {.gradient = dx};
  poet_product(&p, &out);
}

static struct poet_product_spec dense_weights(const struct poet_linear_spec* l, const poet_real* x,
                                              const poet_real* dy) {
  const struct poet_product_spec p = {.rows = l->outputs,
                                      .inner = l->rows,
                                      .columns = l->inputs,
                                      .a = dy,
                                      .a_row = 1,
                                      .a_inner = l->outputs,
                                      .b = x,
                                      .b_inner = l->inputs,
                                      .b_column = 1,
                                      .out_row = l->inputs,
                                      .out_column = 1};
  return p;
}

static void dense_biases(const struct poet_linear_spec* l, const poet_real* dy,
                         const struct poet_sink* dw) {
  int32_t o, r;
  for (o = 0; o < l->outputs && l->has_bias; ++o) {
    const poet_real* at = dy + o;
    poet_real sum = 0;
    for (r = l->rows; r > 0; --r, at += l->outputs) sum += *at;
    poet_sink_put(dw, l->outputs * l->inputs + o, sum);
  }
}

POET_KERNEL void poet_linear_gradw(const struct poet_linear_spec* l, const poet_real* x,
                                   const poet_real* dy, const struct poet_sink* dw) {
  const struct poet_product_spec p = dense_weights(l, x, dy);
  poet_product(&p, dw);
  dense_biases(l, dy, dw);
}

/* Some columns of all rows at a time; of a single row more of them, since each run of products that
 * goes to the sink takes as many instructions as a few products. */
POET_KERNEL void poet_linear_gradw_of_bytes(const struct poet_linear_copy_spec* l, const int8_t* x,
                                            const poet_real* dy, struct poet_workspace* tile,
                                            const struct poet_sink* dw) {
  enum { kRow = 64 };
  const int32_t inputs = l->linear.inputs;
  const int32_t most = l->linear.rows == 1 ? kRow : POET_TILE_COLUMNS;
  poet_real row[kRow];
  poet_real* columns = l->linear.rows == 1 ? row : poet_tile_of(tile);
  struct poet_product_spec p = dense_weights(&l->linear, columns, dy);
  int32_t r;
  for (p.first = 0; p.first < inputs; p.first += p.columns) {
    const int32_t rest = inputs - p.first;
    p.columns = rest < most ? rest : most;
    p.b_inner = p.columns;
    for (r = 0; r < l->linear.rows; ++r) {
      poet_unpack(&l->copy, x, r * inputs + p.first, p.columns, columns + r * p.columns);
    }
    poet_product(&p, dw);
  }
  dense_biases(&l->linear, dy, dw);
}

/* A matrix of a batch: where it starts, and its strides as the formula reads it. */
struct matrix {
  const poet_real* first;
  int32_t row, column;
};

static struct matrix matrix_of(const poet_real* values, int32_t batch, int32_t rows,
                               int32_t columns, int32_t is_transposed) {
  struct matrix m;
  m.first = values + batch * rows * columns;
  m.row = is_transposed ? 1 : columns;
  m.column = is_transposed ? rows : 1;
  return m;
}

/* Batch `batch` of out = A B, or of its transpose if `out` is stored so. */
static void matrix_product(int32_t batch, int32_t rows, int32_t inner, int32_t columns,
                           struct matrix a, struct matrix b, int32_t is_transposed,
                           const struct poet_sink* out) {
  const struct poet_product_spec p = {.rows = rows,
                                      .inner = inner,
                                      .columns = columns,
                                      .a = a.first,
                                      .a_row = a.row,
                                      .a_inner = a.column,
                                      .b = b.first,
                                      .b_inner = b.row,
                                      .b_column = b.column,
                                      .first = batch * rows * columns,
                                      .out_row = is_transposed ? 1 : columns,
                                      .out_column = is_transposed ? rows : 1};
  poet_product(&p, out);
}

static struct matrix transposed(struct matrix m) {
  const int32_t row = m.row;
  m.row = m.column;
  m.column = row;
  return m;
}

POET_KERNEL void poet_matmul(const struct poet_matmul_spec* m, const poet_real* a,
                             const poet_real* b, poet_real* y) {
  const struct poet_sink out = {.gradient = y};
  int32_t n;
  for (n = 0; n < m->batches; ++n) {
    matrix_product(n, m->rows, m->inner, m->columns,
                   matrix_of(a, n, m->rows, m->inner, m->transpose_a),
                   matrix_of(b, n, m->inner, m->columns, m->transpose_b), 0, &out);
  }
}

POET_KERNEL void poet_matmul_grad_a(const struct poet_matmul_spec* m, const poet_real* b,
                                    const poet_real* dy, const struct poet_sink* da) {
  int32_t n;
  for (n = 0; n < m->batches; ++n) {
    matrix_product(n, m->rows, m->columns, m->inner, matrix_of(dy, n, m->rows, m->columns, 0),
                   transposed(matrix_of(b, n, m->inner, m->columns, m->transpose_b)),
                   m->transpose_a, da);
  }
}

POET_KERNEL void poet_matmul_grad_b(const struct poet_matmul_spec* m, const poet_real* a,
                                    const poet_real* dy, const struct poet_sink* db) {
  int32_t n;
  for (n = 0; n < m->batches; ++n) {
    matrix_product(n, m->inner, m->rows, m->columns,
                   transposed(matrix_of(a, n, m->rows, m->inner, m->transpose_a)),
                   matrix_of(dy, n, m->rows, m->columns, 0), m->transpose_b, db);
  }
}

POET_KERNEL void poet_embedding(const struct poet_embedding_spec* e, const int32_t* x,
                                const poet_real* w, poet_real* y) {
  int32_t t, j;
  for (t = 0; t < e->tokens; ++t) {
    const int is_known = x[t] >= 0 && x[t] < e->vocabulary;
    const poet_real* row = is_known ? w + x[t] * e->width : 0;
    for (j = 0; j < e->width; ++j) *y++ = row ? row[j] : (poet_real)0;
  }
}

/* A row of the table that no token has is found by one pass over the tokens. */
POET_KERNEL void poet_embedding_gradw(const struct poet_embedding_spec* e, const int32_t* x,
                                      const poet_real* dy, const struct poet_sink* dw) {
  int32_t v, j, t;
  for (v = 0; v < e->vocabulary; ++v) {
    int32_t first = 0;
    while (first < e->tokens && x[first] != v) ++first;
    for (j = 0; j < e->width; ++j) {
      poet_real sum = 0;
      for (t = first; t < e->tokens; ++t) {
        if (x[t] == v) sum += dy[t * e->width + j];
      }
      poet_sink_put(dw, v * e->width + j, sum);
    }
  }
}

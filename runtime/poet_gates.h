/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of lstm and gru share; sigmoids of others as well. */
#ifndef POET_GATES_H
#define POET_GATES_H

#include "poet_kernels.h"
#include "poet_product.h"

static const poet_real poet_unit = 1;

/* exp of a number that is not positive: no overflow. */
static inline poet_real poet_logistic(poet_real x) {
  const poet_real e = POET_EXP_BELOW(x > (poet_real)0 ? -x : x);
  return x > (poet_real)0 ? poet_unit / (poet_unit + e) : e / (poet_unit + e);
}

/* gates = x W^T + bias in the first `columns` of `width` columns; with `is_sum` it is added to what
 * is there. */
static inline void poet_gate_product(int32_t rows, int32_t inner, int32_t columns, int32_t width,
                                     const poet_real* x, const poet_real* w, const poet_real* bias,
                                     int is_sum, poet_real* gates) {
  const struct poet_product_spec p = {.rows = rows,
                                      .inner = inner,
                                      .columns = columns,
                                      .a = x,
                                      .a_row = inner,
                                      .a_inner = 1,
                                      .b = w,
                                      .b_inner = 1,
                                      .b_column = inner,
                                      .start = bias,
                                      .out_row = width,
                                      .out_column = 1};
  const struct poet_sink out = {.sum = is_sum ? gates : 0, .gradient = gates};
  poet_product(&p, &out);
}

#endif

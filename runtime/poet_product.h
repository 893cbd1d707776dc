/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of products of two strided operands: what dense, attention and recurrent kernels share. */
#ifndef POET_PRODUCT_H
#define POET_PRODUCT_H

#include "poet_block.h"
#include "poet_sink.h"

/* Element (i, j) = start[j] or row_start[i] + the sum over k of a[i a_row + k a_inner]
 * b[k b_inner + j b_column], put at first + i out_row + j out_column. */
struct poet_product_spec {
  int32_t rows, inner, columns;
  const poet_real* a;
  int32_t a_row, a_inner;
  const poet_real* b;
  int32_t b_inner, b_column;
  const poet_real* start;     /* of columns; NULL: 0, as well as */
  const poet_real* row_start; /* of rows, of which one at most is given */
  int32_t first, out_row, out_column;
  struct poet_left_bytes bytes; /* in the place of a */
};

void poet_product(const struct poet_product_spec* p, const struct poet_sink* out);

/* Softmax of `count` numbers that are `step` apart; y may be x. */
void poet_softmax_line(const poet_real* x, int32_t step, int32_t count, poet_real* y);

#endif

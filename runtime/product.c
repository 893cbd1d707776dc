/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_product.h"

#include "poet_lanes.h"

/* One term: every element is a product of its own, such as the gradients of a dense layer's weights
 * by one sample. The 0 in front makes 0 of -0, as in a sum. */
POET_APART void outer_product(const struct poet_product_spec* p, const struct poet_sink* out) {
  enum { kRun = 32 };
  int32_t i, j, c;
  for (i = 0; i < p->rows; ++i) {
    const poet_real left = p->a[i * p->a_row];
    for (j = 0; j < p->columns; j += kRun) {
      const int32_t count = p->columns - j < kRun ? p->columns - j : kRun;
      const poet_real* b = p->b + j * p->b_column;
      poet_real values[kRun];
      for (c = 0; c < count; ++c, b += p->b_column) values[c] = (poet_real)0 + left * *b;
      poet_sink_put_run(out, p->first + i * p->out_row + j * p->out_column, p->out_column, values,
                        count);
    }
  }
}

static int is_plain_store(const struct poet_sink* out) {
  return out->gradient && !out->sum && !out->observe && !out->optimizer;
}

/* Columns outermost: a block's part of b, which is often the larger one, is read once. */
static void product_of_blocks(const struct poet_product_spec* p, const struct poet_sink* out) {
  const int is_plain = is_plain_store(out);
  const poet_real* start = p->start ? p->start : p->row_start ? p->row_start : &poet_zero;
  poet_real sums[POET_MOST_SUMS];
  struct poet_block block = {
      .terms = {.count = {1, 1, p->inner}, .left = {0, 0, p->a_inner}, .right = {0, 0, p->b_inner}},
      .out = sums,
      .left_row = p->a_row,
      .right_column = p->b_column,
      .start_row = p->row_start != 0,
      .start_column = p->start != 0,
      .out_row = p->out_row,
      .out_column = p->out_column,
      .bytes = p->bytes};
  int32_t i, j, rows, columns;
  for (j = 0; j < p->columns; j += columns) {
    const int32_t rest = p->columns - j;
    const int is_row = p->rows < POET_BLOCK && rest >= POET_BLOCK_ROW && !p->bytes.of;
    columns = is_row ? POET_BLOCK_ROW : poet_part_of(rest, POET_BLOCK);
    block.right = p->b + j * p->b_column;
    if (!is_plain) block.out_row = columns, block.out_column = 1;
    for (i = 0; i < p->rows; i += rows) {
      const int32_t first = p->first + i * p->out_row + j * p->out_column;
      rows = poet_part_of(p->rows - i, POET_BLOCK);
      if (p->bytes.of) {
        block.bytes.first = p->bytes.first + i * p->a_row;
        block.bytes.first_scale = p->bytes.first_scale + i * p->bytes.scale_row;
      } else {
        block.left = p->a + i * p->a_row;
      }
      block.start = start + i * block.start_row + j * block.start_column;
      if (is_plain) block.out = out->gradient + first;
      poet_sum_block(&block, rows, columns);
      if (!is_plain) {
        poet_sink_put_block(out, first, rows, p->out_row, columns, p->out_column, sums);
      }
    }
  }
}

void poet_product(const struct poet_product_spec* p, const struct poet_sink* out) {
  if (p->inner == 1 && !p->start && !p->row_start && !p->bytes.of) {
    outer_product(p, out);
    return;
  }
#if POET_LANES >= 8
  if (!p->bytes.of) {
    poet_product_by_lanes(p, out);
    return;
  }
#endif
  product_of_blocks(p, out);
}

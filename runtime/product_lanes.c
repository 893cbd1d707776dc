/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices on hosts: a tile of rows and columns at a time, and for each as many terms
 * as fit into panels. */
#include "poet_lanes.h"

#if POET_LANES >= 8

enum { kTileRows = 64, kTileColumns = 64, kTileTerms = 128 };
/* A panel pays off if more rows than these read it. */
enum { kFewRows = 8 };

struct product_tile {
  const struct poet_product_spec* p;
  const struct poet_lanes* lanes;
  int32_t row, rows, column, columns;
  poet_real sums[(kTileRows + POET_BLOCK) * kTileColumns]; /* panel by panel, then row by row */
};

static poet_real* sums_of(struct product_tile* t, int32_t panel) {
  return t->sums + panel * (kTileRows + POET_BLOCK);
}

static void begin_tile(struct product_tile* t) {
  const int32_t width = t->lanes->width;
  int32_t j, i, u;
  for (j = 0; j < t->columns; j += width) {
    poet_real* sums = sums_of(t, j);
    for (i = 0; i < t->rows + POET_BLOCK - 1; ++i) { /* poet_sum_rows() may sum some more */
      for (u = 0; u < width; ++u) {
        const int is_column = t->p->start && j + u < t->columns;
        sums[i * width + u] = is_column         ? t->p->start[t->column + j + u]
                              : t->p->row_start ? t->p->row_start[t->row + (i < t->rows ? i : 0)]
                                                : (poet_real)0;
      }
    }
  }
}

static void put_tile(struct product_tile* t, const struct poet_sink* out) {
  const struct poet_product_spec* p = t->p;
  const int32_t width = t->lanes->width;
  int32_t i, j;
  for (i = 0; i < t->rows; ++i) {
    for (j = 0; j < t->columns; j += width) {
      const int32_t rest = t->columns - j;
      poet_sink_put_run(out, p->first + (t->row + i) * p->out_row + (t->column + j) * p->out_column,
                        p->out_column, sums_of(t, j) + i * width, rest < width ? rest : width);
    }
  }
}

/* Adds terms k, ..., k + count - 1 to all sums of a tile. */
static void add_terms(struct product_tile* t, int32_t k, int32_t count) {
  const struct poet_product_spec* p = t->p;
  const int32_t width = t->lanes->width;
  poet_real rows[kTileRows * kTileTerms], panel[kTileTerms * POET_LANES];
  const poet_real* left[kTileRows + POET_BLOCK];
  struct poet_terms terms = {.count = {1, 1, count}, .left = {0, 0, 1}};
  const poet_real* a = p->a + t->row * p->a_row + k * p->a_inner;
  int32_t a_row = p->a_row, i, j;
  if (p->a_inner != 1) {
    poet_fill_panel(t->rows, a, p->a_row, count, p->a_inner, count, rows);
    a = rows;
    a_row = count;
  }
  for (i = 0; i < t->rows; ++i) left[i] = a + i * a_row;
  for (j = 0; j < t->columns; j += width) {
    const int32_t columns = t->columns - j < width ? t->columns - j : width;
    const poet_real* b = p->b + (t->column + j) * p->b_column + k * p->b_inner;
    if (p->b_column == 1 && columns == width && t->rows <= kFewRows) {
      terms.right[2] = p->b_inner;
      poet_sum_rows(t->lanes, &terms, t->rows, left, b, sums_of(t, j));
    } else {
      poet_fill_panel(count, b, p->b_inner, columns, p->b_column, width, panel);
      terms.right[2] = width;
      poet_sum_rows(t->lanes, &terms, t->rows, left, panel, sums_of(t, j));
    }
  }
}

void poet_product_by_lanes(const struct poet_product_spec* p, const struct poet_sink* out) {
  struct product_tile t;
  int32_t k;
  t.p = p;
  t.lanes = poet_lanes_here();
  for (t.row = 0; t.row < p->rows; t.row += kTileRows) {
    t.rows = p->rows - t.row < kTileRows ? p->rows - t.row : kTileRows;
    for (t.column = 0; t.column < p->columns; t.column += kTileColumns) {
      t.columns = p->columns - t.column < kTileColumns ? p->columns - t.column : kTileColumns;
      begin_tile(&t);
      for (k = 0; k < p->inner; k += kTileTerms) {
        add_terms(&t, k, p->inner - k < kTileTerms ? p->inner - k : kTileTerms);
      }
      put_tile(&t, out);
    }
  }
}

#endif

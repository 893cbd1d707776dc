/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_lanes.h"

#if POET_LANES >= 8

enum { kVector = 8 };
typedef poet_real vector __attribute__((vector_size(kVector * sizeof(poet_real))));
typedef poet_real vector_anywhere
    __attribute__((vector_size(kVector * sizeof(poet_real)), aligned(4), may_alias));

/* `rows` x `vectors` vectors of sums, constants wherever this is compiled. */
POET_INLINE void sum_vectors(const struct poet_terms* t, const poet_real* const* left,
                             const poet_real* right, poet_real* sums, int32_t rows,
                             int32_t vectors) {
  vector_anywhere* const all = (vector_anywhere*)sums;
  const int32_t left_step = t->left[2], right_step = t->right[2];
  vector sum[8], b[2];
  int32_t c, r, s, i, v;
  POET_UNROLL for (i = 0; i < rows * vectors; ++i) sum[i] = all[i];
  for (c = 0; c < t->count[0]; ++c) {
    for (r = 0; r < t->count[1]; ++r) {
      int32_t at = c * t->left[0] + r * t->left[1];
      const poet_real* at_right = right + c * t->right[0] + r * t->right[1];
      for (s = t->count[2]; s > 0; --s) {
        POET_UNROLL for (v = 0; v < vectors; ++v) b[v] = ((const vector_anywhere*)at_right)[v];
        POET_UNROLL for (i = 0; i < rows; ++i) {
          POET_UNROLL for (v = 0; v < vectors; ++v) sum[i * vectors + v] += left[i][at] * b[v];
        }
        at += left_step;
        at_right += right_step;
      }
    }
  }
  POET_UNROLL for (i = 0; i < rows * vectors; ++i) all[i] = sum[i];
}

static void sum_four(const struct poet_terms* terms, const poet_real* const* left,
                     const poet_real* right, poet_real* sums) {
  sum_vectors(terms, left, right, sums, POET_BLOCK, 1);
}

static void sum_single(const struct poet_terms* terms, const poet_real* const* left,
                       const poet_real* right, poet_real* sums) {
  sum_vectors(terms, left, right, sums, 1, 1);
}

#if POET_LANES == 16
__attribute__((target("avx2"))) static void sum_four_avx2(const struct poet_terms* terms,
                                                          const poet_real* const* left,
                                                          const poet_real* right, poet_real* sums) {
  sum_vectors(terms, left, right, sums, POET_BLOCK, 2);
}

__attribute__((target("avx2"))) static void sum_single_avx2(const struct poet_terms* terms,
                                                            const poet_real* const* left,
                                                            const poet_real* right,
                                                            poet_real* sums) {
  sum_vectors(terms, left, right, sums, 1, 2);
}
#endif

const struct poet_lanes* poet_lanes_here(void) {
  static const struct poet_lanes narrow = {kVector, sum_four, sum_single};
#if POET_LANES == 16
  static const struct poet_lanes wide = {2 * kVector, sum_four_avx2, sum_single_avx2};
  if (__builtin_cpu_supports("avx2")) return &wide;
#endif
  return &narrow;
}

void poet_sum_rows(const struct poet_lanes* lanes, const struct poet_terms* terms, int32_t rows,
                   const poet_real** left, const poet_real* right, poet_real* sums) {
  int32_t i, j;
  for (j = rows; j < rows + POET_BLOCK - 1; ++j) left[j] = left[rows - 1];
  for (i = 0; i < rows; i += POET_BLOCK) {
    (rows - i == 1 ? lanes->one : lanes->four)(terms, left + i, right, sums + i * lanes->width);
  }
}

void poet_fill_panel(int32_t terms, const poet_real* from, int32_t term_step, int32_t columns,
                     int32_t column_step, int32_t width, poet_real* panel) {
  int32_t t, u;
  if (column_step == 1) {
    for (t = 0; t < terms; ++t) {
      for (u = 0; u < columns; ++u) panel[t * width + u] = from[t * term_step + u];
    }
  } else {
    for (u = 0; u < columns; ++u) {
      for (t = 0; t < terms; ++t) panel[t * width + u] = from[u * column_step + t * term_step];
    }
  }
  for (t = 0; t < terms && columns < width; ++t) {
    for (u = columns; u < width; ++u) panel[t * width + u] = 0;
  }
}

#endif

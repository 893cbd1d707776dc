/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_block.h"

#include "poet_lanes.h"

const poet_real poet_zero = 0;

/* Operands of a block that lie beside each other, one apart, share a pointer. Operands in a line
 * are one apart from one term of the innermost loop to the next, so that a load moves its pointer.
 */
enum placing { kAnywhere, kBeside, kInLine };

/* `rows`, `columns`, and where the operands lie, are constants wherever this is compiled: then all
 * arrays are registers. */
POET_INLINE void sum_block(const struct poet_block* block, int32_t rows, int32_t columns,
                           enum placing lefts, enum placing rights) {
  const struct poet_terms* t = &block->terms;
  const int32_t left_step = lefts == kInLine ? 1 : t->left[2];
  const int32_t right_step = rights == kInLine ? 1 : t->right[2];
  const int left_is_next = lefts == kBeside, is_next = rights == kBeside;
  const poet_real *left = block->left, *right = block->right;
  poet_real sums[POET_MOST_SUMS], a[POET_BLOCK], b[POET_BLOCK_ROW];
  int32_t c, r, s, i, j;
  POET_UNROLL for (i = 0; i < rows; ++i) {
    const poet_real* start = block->start + i * block->start_row;
    POET_UNROLL for (j = 0; j < columns; ++j) sums[i * columns + j] =
        start[j * block->start_column];
  }
  for (c = t->count[0]; c > 0; --c) {
    const poet_real *left_row = left, *right_row = right;
    for (r = t->count[1]; r > 0; --r) {
      const poet_real* at_left[POET_BLOCK];
      const poet_real* at_right[POET_BLOCK_ROW];
      POET_UNROLL for (i = 0; i < rows; ++i) at_left[i] = left_row + i * block->left_row;
      POET_UNROLL for (j = 0; j < columns; ++j) at_right[j] = right_row + j * block->right_column;
      for (s = t->count[2]; s > 0; --s) {
        POET_UNROLL for (i = 0; i < rows; ++i) {
          a[i] = left_is_next ? at_left[0][i] : *at_left[i];
          if (!left_is_next) at_left[i] += left_step;
        }
        if (left_is_next) at_left[0] += left_step;
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
  }
  POET_UNROLL for (i = 0; i < rows; ++i) {
    poet_real* out = block->out + i * block->out_row;
    POET_UNROLL for (j = 0; j < columns; ++j) out[j * block->out_column] = sums[i * columns + j];
  }
}

/* A function for each shape and place. */
#define POET_SUMS(name, rows, columns, lefts, rights)    \
  POET_APART void name(const struct poet_block* block) { \
    sum_block(block, rows, columns, lefts, rights);      \
  }
POET_SUMS(sum_column_line, POET_BLOCK, 1, kInLine, kInLine)
POET_SUMS(sum_column, POET_BLOCK, 1, kAnywhere, kAnywhere)
POET_SUMS(sum_one_line, 1, 1, kInLine, kAnywhere)
POET_SUMS(sum_one, 1, 1, kAnywhere, kAnywhere)

static inline int is_in_line(const struct poet_block* block) {
  return block->terms.left[2] == 1 && block->terms.right[2] == 1;
}

#if POET_LANES != 4 /* else block_helium.c has more than one column */

enum { kTaps = 3 };

/* The same for innermost loops of three terms that are one apart, as in most convolutions: columns
 * next to each other share their right operands. `step` is 1 or -1, where these go. At the edge of
 * an image, the first or the last of the right operands does not exist: a sum that would begin or
 * end with it has a term less. */
POET_INLINE void sum_taps(const struct poet_block* block, int32_t step) {
  enum { kLast = POET_BLOCK + kTaps - 2 };
  const struct poet_terms* t = &block->terms;
  const poet_real* right = step < 0 ? block->right - (kTaps - 1) : block->right;
  const int begins = step < 0 ? !block->lacks_last : !block->lacks_first;
  const int ends = step < 0 ? !block->lacks_first : !block->lacks_last;
  const int32_t opener = step < 0 ? POET_BLOCK - 1 : 0, closer = POET_BLOCK - 1 - opener;
  const poet_real* left[POET_BLOCK];
  poet_real sums[POET_MOST_SUMS], a[POET_BLOCK], b[kLast];
  int32_t c, r, s, i, j;
  POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) {
    const poet_real* start = block->start + i * block->start_row;
    left[i] = block->left + i * block->left_row;
    POET_UNROLL for (j = 0; j < POET_BLOCK; ++j) {
      sums[i * POET_BLOCK + j] = start[j * block->start_column];
    }
  }
  for (c = t->count[0]; c > 0; --c) {
    for (r = t->count[1]; r > 0; --r) {
      if (begins) {
        const poet_real edge = right[step < 0 ? kLast : 0];
        POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) {
          sums[i * POET_BLOCK + opener] += left[i][0] * edge;
        }
      }
      POET_UNROLL for (j = 1; j < kLast; ++j) b[j] = right[j];
      POET_UNROLL for (s = 0; s < kTaps; ++s) {
        const int32_t first = step < 0 ? kTaps - 1 - s : s;
        POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) a[i] = left[i][s];
        POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) {
          POET_UNROLL for (j = 0; j < POET_BLOCK; ++j) {
            if (first + j == 0 || first + j == kLast) continue;
            sums[i * POET_BLOCK + j] += a[i] * b[first + j];
          }
        }
      }
      if (ends) {
        const poet_real edge = right[step < 0 ? 0 : kLast];
        POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) {
          sums[i * POET_BLOCK + closer] += left[i][kTaps - 1] * edge;
        }
      }
      right += t->right[1];
      POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) left[i] += t->left[1];
    }
    POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) left[i] += t->left[0] - t->count[1] * t->left[1];
    right += t->right[0] - t->count[1] * t->right[1];
  }
  POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) {
    poet_real* out = block->out + i * block->out_row;
    POET_UNROLL for (j = 0; j < POET_BLOCK; ++j) {
      out[j * block->out_column] = sums[i * POET_BLOCK + j];
    }
  }
}

POET_APART void sum_taps_on(const struct poet_block* block) {
  sum_taps(block, 1);
}

POET_APART void sum_taps_back(const struct poet_block* block) {
  sum_taps(block, -1);
}

POET_SUMS(sum_beside_beside, POET_BLOCK, POET_BLOCK, kBeside, kBeside)
POET_SUMS(sum_line_beside, POET_BLOCK, POET_BLOCK, kInLine, kBeside)
POET_SUMS(sum_any_beside, POET_BLOCK, POET_BLOCK, kAnywhere, kBeside)
POET_SUMS(sum_line_line, POET_BLOCK, POET_BLOCK, kInLine, kInLine)
POET_SUMS(sum_line_any, POET_BLOCK, POET_BLOCK, kInLine, kAnywhere)
POET_SUMS(sum_any_any, POET_BLOCK, POET_BLOCK, kAnywhere, kAnywhere)
POET_SUMS(sum_row_beside, 1, POET_BLOCK, kAnywhere, kBeside)
POET_SUMS(sum_row, 1, POET_BLOCK, kAnywhere, kAnywhere)
POET_SUMS(sum_long_row_line, 1, POET_BLOCK_ROW, kInLine, kInLine)
POET_SUMS(sum_long_row_beside, 1, POET_BLOCK_ROW, kAnywhere, kBeside)
POET_SUMS(sum_long_row, 1, POET_BLOCK_ROW, kAnywhere, kAnywhere)

static void sum_square(const struct poet_block* block) {
  const struct poet_terms* t = &block->terms;
  const int32_t step = t->right[2];
  const int is_beside = block->right_column == 1;
  if (is_beside && t->count[2] == kTaps && t->left[2] == 1 && step * step == 1) {
    (step == 1 ? sum_taps_on : sum_taps_back)(block);
  } else if (is_beside && t->left[2] == 1) {
    sum_line_beside(block);
  } else if (is_beside) {
    (block->left_row == 1 ? sum_beside_beside : sum_any_beside)(block);
  } else {
    (t->left[2] != 1 ? sum_any_any : step == 1 ? sum_line_line : sum_line_any)(block);
  }
}

#endif

void poet_sum_block(const struct poet_block* block, int32_t rows, int32_t columns) {
  if (block->bytes.of) {
    block->bytes.of->sum(block, rows, columns);
  } else if (columns == 1) {
    (rows > 1                    ? is_in_line(block) ? sum_column_line : sum_column
     : block->terms.left[2] == 1 ? sum_one_line
                                 : sum_one)(block);
#if POET_LANES == 4
  } else {
    poet_sum_vectors(block, rows, columns);
  }
#else
  } else if (rows == POET_BLOCK) {
    sum_square(block);
  } else if (block->right_column == 1) {
    (columns == POET_BLOCK ? sum_row_beside : sum_long_row_beside)(block);
  } else if (columns == POET_BLOCK) {
    sum_row(block);
  } else {
    (is_in_line(block) ? sum_long_row_line : sum_long_row)(block);
  }
#endif
}

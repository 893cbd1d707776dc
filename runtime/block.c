/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_block.h"

const poet_real poet_zero = 0;

/* `rows`, `columns` and `is_next`, which says that right operands are one apart, are constants
 * wherever this is compiled: then all arrays are registers. */
POET_INLINE void sum_block(const struct poet_block* block, int32_t rows, int32_t columns,
                           int is_next) {
  const struct poet_terms* t = &block->terms;
  const int32_t left_step = t->left[2], right_step = t->right[2];
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
          a[i] = *at_left[i];
          at_left[i] += left_step;
        }
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

enum { kTaps = 3 };

/* The same for innermost loops of three terms that are one apart, as in most convolutions: columns
 * next to each other share their right operands. `step` is 1 or -1, where these go. */
POET_INLINE void sum_taps(const struct poet_block* block, int32_t step) {
  enum { kShared = POET_BLOCK + kTaps - 1 };
  const struct poet_terms* t = &block->terms;
  const poet_real* right = step < 0 ? block->right - (kTaps - 1) : block->right;
  const poet_real* left[POET_BLOCK];
  poet_real sums[POET_MOST_SUMS], a[POET_BLOCK], b[kShared];
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
      POET_UNROLL for (j = 0; j < kShared; ++j) b[j] = right[j];
      right += t->right[1];
      POET_UNROLL for (s = 0; s < kTaps; ++s) {
        const int32_t first = step < 0 ? kTaps - 1 - s : s;
        POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) a[i] = left[i][s];
        POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) {
          POET_UNROLL for (j = 0; j < POET_BLOCK; ++j) {
            sums[i * POET_BLOCK + j] += a[i] * b[first + j];
          }
        }
      }
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

POET_APART void sum_block_next(const struct poet_block* block) {
  sum_block(block, POET_BLOCK, POET_BLOCK, 1);
}

POET_APART void sum_block_apart(const struct poet_block* block) {
  sum_block(block, POET_BLOCK, POET_BLOCK, 0);
}

POET_APART void sum_column(const struct poet_block* block) {
  sum_block(block, POET_BLOCK, 1, 0);
}

POET_APART void sum_row_next(const struct poet_block* block) {
  sum_block(block, 1, POET_BLOCK, 1);
}

POET_APART void sum_row_apart(const struct poet_block* block) {
  sum_block(block, 1, POET_BLOCK, 0);
}

POET_APART void sum_long_row_next(const struct poet_block* block) {
  sum_block(block, 1, POET_BLOCK_ROW, 1);
}

POET_APART void sum_long_row_apart(const struct poet_block* block) {
  sum_block(block, 1, POET_BLOCK_ROW, 0);
}

POET_APART void sum_one(const struct poet_block* block) {
  sum_block(block, 1, 1, 0);
}

void poet_sum_block(const struct poet_block* block, int32_t rows, int32_t columns) {
  const struct poet_terms* t = &block->terms;
  const int is_next = block->right_column == 1;
  const int is_block = rows == POET_BLOCK && columns == POET_BLOCK;
  const int32_t step = t->right[2];
  if (block->bytes.of) {
    block->bytes.of->sum(block, rows, columns);
  } else if (is_block && is_next && t->count[2] == kTaps && t->left[2] == 1 && step * step == 1) {
    (step == 1 ? sum_taps_on : sum_taps_back)(block);
  } else if (columns == 1) {
    (rows == 1 ? sum_one : sum_column)(block);
  } else if (rows == POET_BLOCK) {
    (is_next ? sum_block_next : sum_block_apart)(block);
  } else if (columns == POET_BLOCK) {
    (is_next ? sum_row_next : sum_row_apart)(block);
  } else {
    (is_next ? sum_long_row_next : sum_long_row_apart)(block);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of sums on cores with Helium (MVE), such as a Cortex-M55: four columns are the lanes of a
 * vector, and a row brings a number for all of them. Eight vectors are enough for four rows of one
 * vector, right operands and a product.
 *
 * Each lane has its terms in the order of the loops, and nothing is fused, so bits are as in
 * block.c as long as all numbers are 0 or normal: Helium takes subnormal operands for 0 and gives 0
 * for subnormal results, and all NaNs have the same bits. */
#include "poet_lanes.h"

#if POET_LANES == 4
#include <arm_mve.h>

/* Where the left operands of the rows are: anywhere; beside each other; or one apart from one term
 * of the innermost loop to the next. */
enum places { kApart, kNext, kRunning };

/* As poet_sum_block(), of `vectors` vectors. Arguments are constants wherever this is compiled. */
POET_INLINE void sum_vectors(const struct poet_block* block, int32_t rows, int32_t vectors,
                             enum places lefts, int is_next) {
  enum { kMost = 4 };
  const struct poet_terms* t = &block->terms;
  const uint32x4_t lanes = vidupq_n_u32(0, 1);
  const uint32x4_t apart = vmulq_n_u32(lanes, (uint32_t)block->right_column);
  const int32_t left_step = lefts == kRunning ? 1 : t->left[2], right_step = t->right[2];
  const int32_t width = POET_BLOCK * block->right_column;
  const poet_real *left = block->left, *right = block->right;
  float32x4_t sums[kMost];
  int32_t c, r, s, i, v;
  POET_UNROLL for (i = 0; i < rows; ++i) {
    POET_UNROLL for (v = 0; v < vectors; ++v) {
      sums[i * vectors + v] = vldrwq_gather_shifted_offset_f32(
          block->start + i * block->start_row + v * POET_BLOCK * block->start_column,
          vmulq_n_u32(lanes, (uint32_t)block->start_column));
    }
  }
  for (c = t->count[0]; c > 0; --c) {
    const poet_real *left_row = left, *right_row = right;
    for (r = t->count[1]; r > 0; --r) {
      const poet_real *at_left[POET_BLOCK], *at = right_row;
      POET_UNROLL for (i = 0; i < rows; ++i) at_left[i] = left_row + i * block->left_row;
      for (s = t->count[2]; s > 0; --s) {
        float32x4_t b[2];
        POET_UNROLL for (v = 0; v < vectors; ++v) {
          const poet_real* from = at + v * width;
          b[v] = is_next ? vldrwq_f32(from) : vldrwq_gather_shifted_offset_f32(from, apart);
        }
        at += right_step;
        POET_UNROLL for (i = 0; i < rows; ++i) {
          const poet_real a = lefts == kNext ? at_left[0][i] : *at_left[i];
          if (lefts != kNext) at_left[i] += left_step;
          POET_UNROLL for (v = 0; v < vectors; ++v) {
            sums[i * vectors + v] = vaddq_f32(sums[i * vectors + v], vmulq_n_f32(b[v], a));
          }
        }
        if (lefts == kNext) at_left[0] += left_step;
      }
      left_row += t->left[1];
      right_row += t->right[1];
    }
    left += t->left[0];
    right += t->right[0];
  }
  POET_UNROLL for (i = 0; i < rows; ++i) {
    POET_UNROLL for (v = 0; v < vectors; ++v) {
      vstrwq_scatter_shifted_offset_f32(
          block->out + i * block->out_row + v * POET_BLOCK * block->out_column,
          vmulq_n_u32(lanes, (uint32_t)block->out_column), sums[i * vectors + v]);
    }
  }
}

enum { kTaps = 3 };

/* The same for three taps next to each other, of right operands next to each other; see block.c.
 * `begins` and `ends`: all lanes have the first and the last right operand; otherwise the lane at
 * the edge of the image is left out of that load and that sum. */
POET_INLINE void sum_taps(const struct poet_block* block, int32_t step, int begins, int ends) {
  const struct poet_terms* t = &block->terms;
  const uint32x4_t lanes = vidupq_n_u32(0, 1);
  /* Not constants: GCC 12 makes 0xffff of 0x0fff. */
  const mve_pred16_t not_last = vctp32q(POET_BLOCK - 1), not_first = vpnot(vctp32q(1));
  const int32_t left_skip = t->left[1] - kTaps, right_row = t->right[1];
  const int32_t left_back = t->left[0] - t->count[1] * t->left[1];
  const int32_t right_back = t->right[0] - t->count[1] * t->right[1];
  const poet_real *right = block->right, *left[POET_BLOCK];
  float32x4_t sums[POET_BLOCK];
  int32_t c, r, s, i;
  POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) {
    left[i] = block->left + i * block->left_row;
    sums[i] = vldrwq_gather_shifted_offset_f32(block->start + i * block->start_row,
                                               vmulq_n_u32(lanes, (uint32_t)block->start_column));
  }
  for (c = t->count[0]; c > 0; --c) {
    for (r = t->count[1]; r > 0; --r) {
      POET_UNROLL for (s = 0; s < kTaps; ++s) {
        const int is_edge = s == 0 ? !begins : s == kTaps - 1 && !ends;
        const mve_pred16_t present = (s == 0) == (step > 0) ? not_first : not_last;
        const poet_real* from = right + s * step;
        const float32x4_t b = is_edge ? vldrwq_z_f32(from, present) : vldrwq_f32(from);
        POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) {
          const float32x4_t product = vmulq_n_f32(b, *left[i]++);
          sums[i] = is_edge ? vaddq_m_f32(sums[i], sums[i], product, present)
                            : vaddq_f32(sums[i], product);
        }
      }
      right += right_row;
      POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) left[i] += left_skip;
    }
    POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) left[i] += left_back;
    right += right_back;
  }
  POET_UNROLL for (i = 0; i < POET_BLOCK; ++i) {
    vstrwq_scatter_shifted_offset_f32(block->out + i * block->out_row,
                                      vmulq_n_u32(lanes, (uint32_t)block->out_column), sums[i]);
  }
}

#define POET_VECTOR_SUMS(name, call)                     \
  POET_APART void name(const struct poet_block* block) { \
    call;                                                \
  }
POET_VECTOR_SUMS(sum_running_next, sum_vectors(block, POET_BLOCK, 1, kRunning, 1))
POET_VECTOR_SUMS(sum_running, sum_vectors(block, POET_BLOCK, 1, kRunning, 0))
POET_VECTOR_SUMS(sum_next_next, sum_vectors(block, POET_BLOCK, 1, kNext, 1))
POET_VECTOR_SUMS(sum_next, sum_vectors(block, POET_BLOCK, 1, kApart, 1))
POET_VECTOR_SUMS(sum_apart, sum_vectors(block, POET_BLOCK, 1, kApart, 0))
POET_VECTOR_SUMS(sum_row_next, sum_vectors(block, 1, 1, kApart, 1))
POET_VECTOR_SUMS(sum_row, sum_vectors(block, 1, 1, kApart, 0))
POET_VECTOR_SUMS(sum_long_row_next, sum_vectors(block, 1, 2, kApart, 1))
POET_VECTOR_SUMS(sum_long_row, sum_vectors(block, 1, 2, kApart, 0))
POET_VECTOR_SUMS(sum_taps_on, sum_taps(block, 1, 1, 1))
POET_VECTOR_SUMS(sum_begin_on, sum_taps(block, 1, 0, 1))
POET_VECTOR_SUMS(sum_end_on, sum_taps(block, 1, 1, 0))
POET_VECTOR_SUMS(sum_both_on, sum_taps(block, 1, 0, 0))
POET_VECTOR_SUMS(sum_taps_back, sum_taps(block, -1, 1, 1))
POET_VECTOR_SUMS(sum_begin_back, sum_taps(block, -1, 0, 1))
POET_VECTOR_SUMS(sum_end_back, sum_taps(block, -1, 1, 0))
POET_VECTOR_SUMS(sum_both_back, sum_taps(block, -1, 0, 0))

/* By what the block lacks: the first, the last operand. Backwards, the last comes first. */
typedef void sum_function(const struct poet_block* block);
static sum_function* const kTapsOn[2][2] = {{sum_taps_on, sum_end_on}, {sum_begin_on, sum_both_on}};
static sum_function* const kTapsBack[2][2] = {{sum_taps_back, sum_begin_back},
                                              {sum_end_back, sum_both_back}};

void poet_sum_vectors(const struct poet_block* block, int32_t rows, int32_t columns) {
  const struct poet_terms* t = &block->terms;
  const int is_next = block->right_column == 1, is_running = t->left[2] == 1;
  const int32_t step = t->right[2];
  if (columns > POET_BLOCK) {
    (is_next ? sum_long_row_next : sum_long_row)(block);
  } else if (rows == 1) {
    (is_next ? sum_row_next : sum_row)(block);
  } else if (!is_next) {
    (is_running ? sum_running : sum_apart)(block);
  } else if (is_running && t->count[2] == kTaps && step * step == 1) {
    (step > 0 ? kTapsOn : kTapsBack)[block->lacks_first][block->lacks_last](block);
  } else {
    (is_running ? sum_running_next : block->left_row == 1 ? sum_next_next : sum_next)(block);
  }
}

#endif

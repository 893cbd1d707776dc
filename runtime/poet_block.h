/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of sums of products, which products of matrices and convolutions are made of.
 *
 * One sum at a time takes two loads for each product, and waits for itself. A block makes sums of
 * four rows and four columns side by side: eight loads serve sixteen products, and all sums stay in
 * registers. How terms follow each other is the same for all sums of a block, so that nothing is
 * tested inside. Three loops say it: they stand for the inner axis of a product, for channels and
 * taps of a convolution, and for samples, rows and columns of a map.
 *
 * A sum has its terms in the order of the loops in every block, so shapes of blocks may suit
 * the machine, and results keep their bits. A Cortex-M4F has 32 registers for numbers: 4 x 4 sums,
 * 4 + 4 operands and a product. Hosts have vectors (poet_lanes.h). */
#ifndef POET_BLOCK_H
#define POET_BLOCK_H

#include "poet_math.h"

/* The terms of a sum: how many each loop has, the innermost last, and how far apart they are in the
 * left and in the right operands. */
struct poet_terms {
  int32_t count[3], left[3], right[3];
};

struct poet_block;

/* Adds up the sums of a block: rows and columns as poet_sum_block(). */
typedef void poet_sum_function(const struct poet_block* block, int32_t rows, int32_t columns);

/* The weights of a layer: numbers, or bytes with a scale for each filter or output, which stand for
 * their products (int8.c). Bytes bring the function that sums them, so that a program without any
 * links none of it. */
struct poet_weights {
  const poet_real* real;
  const int8_t* bytes; /* NULL: real */
  const poet_real* scale;
  poet_sum_function* sum;
};

/* Left operands that are bytes: where the block's first row has its first byte and its scale, and
 * how far apart scales of rows are, or scales of terms of the outermost and of the innermost
 * loop. */
struct poet_left_bytes {
  const struct poet_weights* of; /* NULL: left operands are numbers */
  int32_t first, first_scale;
  int32_t scale_row, scale_outer, scale_inner;
};

/* Sum (i, j) begins with start[i start_row + j start_column], adds products of the terms from
 * left[i left_row] and right[j right_column] on, and is put at out[i out_row + j out_column]. */
struct poet_block {
  struct poet_terms terms;
  const poet_real *left, *right, *start;
  poet_real* out;
  int32_t left_row, right_column;
  int32_t start_row, start_column;
  int32_t out_row, out_column;
  /* Of the right operands of a block of three taps, the first or the last lies outside the image.
   */
  int8_t lacks_first, lacks_last;
  struct poet_left_bytes bytes; /* in the place of left */
};

enum { POET_BLOCK = 4, POET_BLOCK_ROW = 8, POET_MOST_SUMS = 16 };

/* `rows` is 4 or 1, and `columns` 4 or 1, or 8 for one row. */
void poet_sum_block(const struct poet_block* block, int32_t rows, int32_t columns);

/* How many of the `rest` of an axis a block takes. */
static inline int32_t poet_part_of(int32_t rest, int32_t block) {
  return rest < block ? 1 : block;
}

/* A place to begin sums with 0. */
extern const poet_real poet_zero;

/* For what is written once and compiled for each shape: a function of its own for each keeps
 * registers and frames small, and its counts are constants. */
#if defined(__GNUC__)
#define POET_INLINE static inline __attribute__((always_inline))
#define POET_APART static __attribute__((noinline))
#else
#define POET_INLINE static inline
#define POET_APART static
#endif

/* Before a short loop over an array that is to be registers; before a long one of few instructions,
 * a ninth of which end it. Clang sees to the second kind. */
#if defined(__clang__)
#define POET_UNROLL _Pragma("clang loop unroll(full)")
#define POET_IN_PAIRS
#elif defined(__GNUC__)
#define POET_UNROLL _Pragma("GCC unroll 16")
#define POET_IN_PAIRS _Pragma("GCC unroll 2")
#else
#define POET_UNROLL
#define POET_IN_PAIRS
#endif

#endif

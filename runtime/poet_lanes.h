/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of sums on hosts: vectors whose lanes are columns, and rows that may lie anywhere.
 *
 * Each lane is a sum of its own with its terms in the order of the loops, and no product is fused
 * with a sum, so bits are as in poet_block.h. Right operands have to lie side by side. Other
 * operands, and the ones that many rows share, are copied into a panel first: `width` lanes for
 * each term, with zeros where there are fewer columns. Panels and tiles of sums lie on the stack,
 * of which hosts have enough. */
#ifndef POET_LANES_H
#define POET_LANES_H

#include "poet_block.h"
#include "poet_conv.h"
#include "poet_product.h"

/* The widest vectors: 0 or 1 for none, 4 for the blocks of block_helium.c, 8 for what every
 * processor of this kind has, 16 if a processor with AVX2 may turn up. */
#ifndef POET_LANES
#if !defined(__GNUC__) || POET_KIND_OF(POET_REAL) == POET_KIND_double
#define POET_LANES 0
#elif defined(__x86_64__) && defined(__linux__)
#define POET_LANES 16
#elif defined(__SSE2__) || defined(__aarch64__)
#define POET_LANES 8
#elif defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define POET_LANES 4
#else
#define POET_LANES 0
#endif
#endif

#if POET_LANES == 4

/* poet_sum_block() of numbers in more than one column. */
void poet_sum_vectors(const struct poet_block* block, int32_t rows, int32_t columns);

#elif POET_LANES >= 8

/* Adds the terms to rows x width sums, row by row; right operands of a term are `width` numbers. */
typedef void poet_sum_lanes(const struct poet_terms* terms, const poet_real* const* left,
                            const poet_real* right, poet_real* sums);

/* What this machine has. */
struct poet_lanes {
  int32_t width;
  poet_sum_lanes *four, *one; /* rows */
};

const struct poet_lanes* poet_lanes_here(void);

/* `rows` rows: four at a time from left[0] on; where two or three are left, the last one is summed
 * again. `left` has room for three more. */
void poet_sum_rows(const struct poet_lanes* lanes, const struct poet_terms* terms, int32_t rows,
                   const poet_real** left, const poet_real* right, poet_real* sums);

/* Copies terms x columns numbers into a panel. */
void poet_fill_panel(int32_t terms, const poet_real* from, int32_t term_step, int32_t columns,
                     int32_t column_step, int32_t width, poet_real* panel);

void poet_product_by_lanes(const struct poet_product_spec* p, const struct poet_sink* out);

/* 0 and nothing done if the geometry needs more room than there is: then blocks do it. */
int poet_gather_by_lanes(const struct poet_gather* g, int32_t batch, const poet_real* from,
                         const poet_real* w, const poet_real* start, poet_real* out);
int poet_conv_weights_by_lanes(const struct poet_conv2d_spec* c, const struct poet_conv_part* part,
                               const poet_real* image, const poet_real* map,
                               const struct poet_sink* dw);

#endif
#endif

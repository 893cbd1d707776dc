/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that only move elements to other places. */
#include "poet_kernels.h"

#include <string.h>

static const poet_real* block_of(const struct poet_part_spec* p, const poet_real* whole,
                                 int32_t o) {
  return whole + (o * p->axis + p->start) * p->inner;
}

POET_KERNEL void poet_insert(const struct poet_part_spec* p, const poet_real* part,
                             poet_real* whole) {
  const int32_t block = p->size * p->inner;
  int32_t o;
  for (o = 0; o < p->outer; ++o) {
    memcpy(whole + (o * p->axis + p->start) * p->inner, part + o % p->part_outer * block,
           (size_t)block * sizeof *part);
  }
}

POET_KERNEL void poet_insert_zeros(const struct poet_part_spec* p, poet_real* whole) {
  const int32_t block = p->size * p->inner;
  int32_t o, i;
  for (o = 0; o < p->outer; ++o) {
    poet_real* to = whole + (o * p->axis + p->start) * p->inner;
    for (i = 0; i < block; ++i) to[i] = 0;
  }
}

POET_KERNEL void poet_slice_grad(const struct poet_part_spec* p, const poet_real* dy,
                                 poet_real* dx) {
  struct poet_part_spec whole = *p;
  whole.start = 0;
  whole.size = p->axis;
  poet_insert_zeros(&whole, dx);
  poet_insert(p, dy, dx);
}

POET_KERNEL void poet_extract(const struct poet_part_spec* p, const poet_real* whole,
                              poet_real* part) {
  const int32_t block = p->size * p->inner;
  int32_t o;
  for (o = 0; o < p->outer; ++o) {
    memcpy(part + o * block, block_of(p, whole, o), (size_t)block * sizeof *part);
  }
}

POET_KERNEL void poet_concat_grad(const struct poet_part_spec* p, const poet_real* dy,
                                  const struct poet_sink* dx) {
  const int32_t block = p->size * p->inner;
  int32_t own, i, o;
  for (own = 0; own < p->part_outer; ++own) {
    for (i = 0; i < block; ++i) {
      poet_real sum = 0;
      for (o = own; o < p->outer; o += p->part_outer) sum += block_of(p, dy, o)[i];
      poet_sink_put(dx, own * block + i, sum);
    }
  }
}

POET_KERNEL void poet_permute(const struct poet_permute_spec* p, const poet_real* x, poet_real* y) {
  int32_t a, b, c, d;
  for (a = 0; a < p->extent[0]; ++a) {
    for (b = 0; b < p->extent[1]; ++b) {
      for (c = 0; c < p->extent[2]; ++c) {
        const poet_real* from = x + a * p->stride[0] + b * p->stride[1] + c * p->stride[2];
        for (d = 0; d < p->extent[3]; ++d) *y++ = from[d * p->stride[3]];
      }
    }
  }
}

POET_KERNEL void poet_permute_grad(const struct poet_permute_spec* p, const poet_real* dy,
                                   const struct poet_sink* dx) {
  int32_t a, b, c, d;
  for (a = 0; a < p->extent[0]; ++a) {
    for (b = 0; b < p->extent[1]; ++b) {
      for (c = 0; c < p->extent[2]; ++c) {
        const int32_t to = a * p->stride[0] + b * p->stride[1] + c * p->stride[2];
        for (d = 0; d < p->extent[3]; ++d) poet_sink_put(dx, to + d * p->stride[3], *dy++);
      }
    }
  }
}

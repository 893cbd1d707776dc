/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels that read bytes in the place of numbers share. */
#ifndef POET_COPIES_H
#define POET_COPIES_H

#include "poet_kernels.h"

/* Numbers first, ..., first + count - 1 of a copy. */
void poet_unpack(const struct poet_copy_spec* copy, const int8_t* bytes, int32_t first,
                 int32_t count, poet_real* out);

/* Where kernels find room for what they unpack. */
static inline poet_real* poet_tile_of(struct poet_workspace* workspace) {
  return (poet_real*)(void*)workspace;
}

/* Columns of a dense layer's input, and keys of attention, that are unpacked at a time. */
enum { POET_TILE_COLUMNS = 16 };

#endif

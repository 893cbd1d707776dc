/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_kernels.h"

static poet_real largest_of(const poet_real* x, int32_t count) {
  poet_real largest = x[0];
  int32_t j;
  for (j = 1; j < count; ++j) {
    if (x[j] > largest) largest = x[j];
  }
  return largest;
}

POET_KERNEL void poet_cross_entropy(const struct poet_cross_entropy_spec* c, const poet_real* x,
                                    const int32_t* target, poet_real* y) {
  poet_real total = 0;
  int32_t r, j;
  for (r = 0; r < c->rows; ++r) {
    const poet_real* row = x + r * c->classes;
    const poet_real largest = largest_of(row, c->classes);
    poet_real sum = 0, wanted = 0;
    for (j = 0; j < c->classes; ++j) {
      sum += POET_EXP(row[j] - largest);
      if (j == target[r]) wanted = row[j] - largest;
    }
    total += POET_LOG(sum) - wanted;
  }
  *y = total / (poet_real)c->rows;
}

/* (softmax(x) - 1 at the target) dy / rows */
POET_KERNEL void poet_cross_entropy_grad(const struct poet_cross_entropy_spec* c,
                                         const poet_real* x, const int32_t* target,
                                         const poet_real* dy, poet_real* dx) {
  const poet_real scale = *dy / (poet_real)c->rows;
  int32_t r, j;
  for (r = 0; r < c->rows; ++r) {
    const poet_real* row = x + r * c->classes;
    const poet_real largest = largest_of(row, c->classes);
    poet_real* out = dx + r * c->classes;
    poet_real sum = 0;
    for (j = 0; j < c->classes; ++j) {
      out[j] = POET_EXP(row[j] - largest);
      sum += out[j];
    }
    for (j = 0; j < c->classes; ++j) {
      out[j] = (out[j] / sum - (poet_real)(j == target[r])) * scale;
    }
  }
}

POET_KERNEL void poet_mse(const struct poet_map_spec* m, const poet_real* x,
                          const poet_real* target, poet_real* y) {
  poet_real sum = 0;
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real d = x[i] - target[i];
    sum += d * d;
  }
  *y = sum / (poet_real)m->count;
}

POET_KERNEL void poet_mse_grad(const struct poet_map_spec* m, const poet_real* x,
                               const poet_real* target, const poet_real* dy, poet_real* dx) {
  const poet_real scale = (poet_real)2 * *dy / (poet_real)m->count;
  int32_t i;
  for (i = 0; i < m->count; ++i) dx[i] = (x[i] - target[i]) * scale;
}

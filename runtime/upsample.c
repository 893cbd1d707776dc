/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_kernels.h"

POET_KERNEL void poet_upsample2d_nearest(const struct poet_upsample2d_spec* u, const poet_real* x,
                                         poet_real* y) {
  int32_t i, row, column;
  for (i = 0; i < u->planes; ++i, x += u->height * u->width) {
    for (row = 0; row < u->height * u->scale_height; ++row) {
      const poet_real* from = x + row / u->scale_height * u->width;
      for (column = 0; column < u->width * u->scale_width; ++column) {
        *y++ = from[column / u->scale_width];
      }
    }
  }
}

POET_KERNEL void poet_upsample2d_nearest_grad(const struct poet_upsample2d_spec* u,
                                              const poet_real* dy, poet_real* dx) {
  const int32_t plane = u->height * u->width;
  int32_t i, row, column;
  for (i = 0; i < u->planes * plane; ++i) dx[i] = 0;
  for (i = 0; i < u->planes; ++i, dx += plane) {
    for (row = 0; row < u->height * u->scale_height; ++row) {
      poet_real* to = dx + row / u->scale_height * u->width;
      for (column = 0; column < u->width * u->scale_width; ++column) {
        to[column / u->scale_width] += *dy++;
      }
    }
  }
}

/* The two neighbours of a new pixel along an axis, and the weight of the second one. */
struct neighbours {
  int32_t first, second;
  poet_real weight;
};

/* The centre of pixel o is at (o + 1/2) / scale - 1/2 = (2 o + 1 - scale) / (2 scale), or at 0 if
 * that is left of the first one. */
static struct neighbours neighbours_of(int32_t o, int32_t scale, int32_t extent) {
  const int32_t numerator = 2 * o + 1 > scale ? 2 * o + 1 - scale : 0;
  struct neighbours n;
  n.first = numerator / (2 * scale);
  n.second = n.first + 1 < extent ? n.first + 1 : n.first;
  n.weight = (poet_real)(numerator % (2 * scale)) / (poet_real)(2 * scale);
  return n;
}

POET_KERNEL void poet_upsample2d_bilinear(const struct poet_upsample2d_spec* u, const poet_real* x,
                                          poet_real* y) {
  const poet_real one = 1;
  int32_t i, row, column;
  for (i = 0; i < u->planes; ++i, x += u->height * u->width) {
    for (row = 0; row < u->height * u->scale_height; ++row) {
      const struct neighbours v = neighbours_of(row, u->scale_height, u->height);
      const poet_real* upper = x + v.first * u->width;
      const poet_real* lower = x + v.second * u->width;
      for (column = 0; column < u->width * u->scale_width; ++column) {
        const struct neighbours h = neighbours_of(column, u->scale_width, u->width);
        *y++ = (one - v.weight) * ((one - h.weight) * upper[h.first] + h.weight * upper[h.second]) +
               v.weight * ((one - h.weight) * lower[h.first] + h.weight * lower[h.second]);
      }
    }
  }
}

POET_KERNEL void poet_upsample2d_bilinear_grad(const struct poet_upsample2d_spec* u,
                                               const poet_real* dy, poet_real* dx) {
  const int32_t plane = u->height * u->width;
  const poet_real one = 1;
  int32_t i, row, column;
  for (i = 0; i < u->planes * plane; ++i) dx[i] = 0;
  for (i = 0; i < u->planes; ++i, dx += plane) {
    for (row = 0; row < u->height * u->scale_height; ++row) {
      const struct neighbours v = neighbours_of(row, u->scale_height, u->height);
      for (column = 0; column < u->width * u->scale_width; ++column) {
        const struct neighbours h = neighbours_of(column, u->scale_width, u->width);
        const poet_real upper = *dy * (one - v.weight);
        const poet_real lower = *dy++ * v.weight;
        dx[v.first * u->width + h.first] += upper * (one - h.weight);
        dx[v.first * u->width + h.second] += upper * h.weight;
        dx[v.second * u->width + h.first] += lower * (one - h.weight);
        dx[v.second * u->width + h.second] += lower * h.weight;
      }
    }
  }
}

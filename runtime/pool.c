/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_kernels.h"

/* The part of a window that lies inside the plane, and what its sum is divided by. */
struct window {
  int32_t first_row, end_row, first_column, end_column;
  int32_t divisor;
};

static int32_t at_least_0(int32_t i) {
  return i < 0 ? 0 : i;
}

static int32_t at_most(int32_t i, int32_t limit) {
  return i < limit ? i : limit;
}

static struct window window_at(const struct poet_pool2d_spec* p, int32_t row, int32_t column) {
  const int32_t top = row * p->stride_height - p->pad_top;
  const int32_t left = column * p->stride_width - p->pad_left;
  struct window w;
  w.first_row = at_least_0(top);
  w.end_row = at_most(top + p->kernel_height, p->height);
  w.first_column = at_least_0(left);
  w.end_column = at_most(left + p->kernel_width, p->width);
  if (p->count_include_pad) {
    /* What a window of ceil_mode has beyond the padding does not count, as in PyTorch. */
    w.divisor = (at_most(top + p->kernel_height, p->height + p->pad_top) - top) *
                (at_most(left + p->kernel_width, p->width + p->pad_left) - left);
  } else {
    w.divisor = (w.end_row - w.first_row) * (w.end_column - w.first_column);
  }
  return w;
}

/* Window i of n over an extent: from the extent i / n, rounded down, to that (i + 1) / n, rounded
 * up. */
static struct window adaptive_window_at(const struct poet_pool2d_spec* p, int32_t row,
                                        int32_t column) {
  struct window w;
  w.first_row = row * p->height / p->out_height;
  w.end_row = ((row + 1) * p->height + p->out_height - 1) / p->out_height;
  w.first_column = column * p->width / p->out_width;
  w.end_column = ((column + 1) * p->width + p->out_width - 1) / p->out_width;
  w.divisor = (w.end_row - w.first_row) * (w.end_column - w.first_column);
  return w;
}

/* Where the outputs of a pool go: the largest elements, or where in its window each of them is, row
 * by row, as bytes or as words. One of them is given. */
struct maxima {
  poet_real* y;
  uint8_t* index;
  uint16_t* index_wide;
};

/* The largest element of a window so far, the first of equal ones, and its position. */
struct largest {
  poet_real value;
  int32_t position;
};

static inline void consider(struct largest* best, poet_real value, int32_t position) {
  best->position = value > best->value ? position : best->position;
  best->value = value > best->value ? value : best->value;
}

static inline void put_largest(struct maxima out, int32_t i, struct largest best) {
  if (out.y) {
    out.y[i] = best.value;
  } else if (out.index) {
    out.index[i] = (uint8_t)best.position;
  } else {
    out.index_wide[i] = (uint16_t)best.position;
  }
}

/* Of the part of a window from position (first_row, first_column) to (end_row, end_column): `from`
 * is what column 0 has in the first row. */
static inline struct largest largest_in(const struct poet_pool2d_spec* p, const struct window* w,
                                        const poet_real* from) {
  int32_t position = w->first_row * p->kernel_width;
  struct largest best = {from[w->first_column], position + w->first_column};
  int32_t r, c;
  for (r = w->first_row; r < w->end_row; ++r, from += p->width, position += p->kernel_width) {
    for (c = w->first_column; c < w->end_column; ++c) consider(&best, from[c], position + c);
  }
  return best;
}

static inline struct largest largest_of_4(const poet_real* from, int32_t width) {
  struct largest best = {from[0], 0};
  consider(&best, from[1], 1);
  consider(&best, from[width], 2);
  consider(&best, from[width + 1], 3);
  return best;
}

/* Windows of 2 x 2 that lie inside the plane. */
static int is_small(const struct poet_pool2d_spec* p) {
  return p->kernel_height == 2 && p->kernel_width == 2 && p->pad_top == 0 && p->pad_left == 0 &&
         (p->out_height - 1) * p->stride_height + 2 <= p->height &&
         (p->out_width - 1) * p->stride_width + 2 <= p->width;
}

static void find_largest(const struct poet_pool2d_spec* p, const poet_real* x, struct maxima out) {
  const int has_small = is_small(p);
  int32_t plane, row, column, i = 0;
  for (plane = 0; plane < p->planes; ++plane, x += p->height * p->width) {
    for (row = 0; row < p->out_height; ++row) {
      const int32_t top = row * p->stride_height - p->pad_top;
      struct window w = {.first_row = at_least_0(-top),
                         .end_row = at_most(p->kernel_height, p->height - top)};
      const poet_real* from = x + (top + w.first_row) * p->width - p->pad_left;
      int32_t left = -p->pad_left;
      if (has_small) {
        for (column = p->out_width; column > 0; --column, ++i, from += p->stride_width) {
          put_largest(out, i, largest_of_4(from, p->width));
        }
        continue;
      }
      for (column = p->out_width; column > 0; --column, ++i, from += p->stride_width) {
        w.first_column = at_least_0(-left);
        w.end_column = at_most(p->kernel_width, p->width - left);
        put_largest(out, i, largest_in(p, &w, from));
        left += p->stride_width;
      }
    }
  }
}

POET_KERNEL void poet_max_pool2d(const struct poet_pool2d_spec* p, const poet_real* x,
                                 poet_real* y) {
  const struct maxima out = {.y = y};
  find_largest(p, x, out);
}

POET_KERNEL void poet_max_pool2d_index(const struct poet_pool2d_spec* p, const poet_real* x,
                                       uint8_t* index) {
  const struct maxima out = {.index = index};
  find_largest(p, x, out);
}

POET_KERNEL void poet_max_pool2d_index_wide(const struct poet_pool2d_spec* p, const poet_real* x,
                                            uint16_t* index) {
  const struct maxima out = {.index_wide = index};
  find_largest(p, x, out);
}

/* The element of the plane at a position of a window. */
static int32_t element_at(const struct poet_pool2d_spec* p, int32_t position, int32_t row,
                          int32_t column) {
  const int32_t r = row * p->stride_height - p->pad_top + position / p->kernel_width;
  const int32_t c = column * p->stride_width - p->pad_left + position % p->kernel_width;
  return r * p->width + c;
}

static void set_to_0(int32_t count, poet_real* x) {
  int32_t i;
  for (i = 0; i < count; ++i) x[i] = 0;
}

POET_KERNEL void poet_max_pool2d_grad(const struct poet_pool2d_spec* p, const uint8_t* index,
                                      const poet_real* dy, poet_real* dx) {
  int32_t i, row, column;
  set_to_0(p->planes * p->height * p->width, dx);
  for (i = 0; i < p->planes; ++i, dx += p->height * p->width) {
    for (row = 0; row < p->out_height; ++row) {
      for (column = 0; column < p->out_width; ++column) {
        dx[element_at(p, *index++, row, column)] += *dy++;
      }
    }
  }
}

POET_KERNEL void poet_max_pool2d_grad_wide(const struct poet_pool2d_spec* p, const uint16_t* index,
                                           const poet_real* dy, poet_real* dx) {
  int32_t i, row, column;
  set_to_0(p->planes * p->height * p->width, dx);
  for (i = 0; i < p->planes; ++i, dx += p->height * p->width) {
    for (row = 0; row < p->out_height; ++row) {
      for (column = 0; column < p->out_width; ++column) {
        dx[element_at(p, *index++, row, column)] += *dy++;
      }
    }
  }
}

static void average(const struct poet_pool2d_spec* p, int is_adaptive, const poet_real* x,
                    poet_real* y) {
  int32_t i, row, column, r, c;
  for (i = 0; i < p->planes; ++i, x += p->height * p->width) {
    for (row = 0; row < p->out_height; ++row) {
      for (column = 0; column < p->out_width; ++column) {
        const struct window w =
            is_adaptive ? adaptive_window_at(p, row, column) : window_at(p, row, column);
        poet_real sum = 0;
        for (r = w.first_row; r < w.end_row; ++r) {
          for (c = w.first_column; c < w.end_column; ++c) sum += x[r * p->width + c];
        }
        *y++ = sum / (poet_real)w.divisor;
      }
    }
  }
}

static void spread(const struct poet_pool2d_spec* p, int is_adaptive, const poet_real* dy,
                   poet_real* dx) {
  int32_t i, row, column, r, c;
  set_to_0(p->planes * p->height * p->width, dx);
  for (i = 0; i < p->planes; ++i, dx += p->height * p->width) {
    for (row = 0; row < p->out_height; ++row) {
      for (column = 0; column < p->out_width; ++column) {
        const struct window w =
            is_adaptive ? adaptive_window_at(p, row, column) : window_at(p, row, column);
        const poet_real share = *dy++ / (poet_real)w.divisor;
        for (r = w.first_row; r < w.end_row; ++r) {
          for (c = w.first_column; c < w.end_column; ++c) dx[r * p->width + c] += share;
        }
      }
    }
  }
}

POET_KERNEL void poet_avg_pool2d(const struct poet_pool2d_spec* p, const poet_real* x,
                                 poet_real* y) {
  average(p, 0, x, y);
}

POET_KERNEL void poet_avg_pool2d_grad(const struct poet_pool2d_spec* p, const poet_real* dy,
                                      poet_real* dx) {
  spread(p, 0, dy, dx);
}

POET_KERNEL void poet_adaptive_avg_pool2d(const struct poet_pool2d_spec* p, const poet_real* x,
                                          poet_real* y) {
  average(p, 1, x, y);
}

POET_KERNEL void poet_adaptive_avg_pool2d_grad(const struct poet_pool2d_spec* p,
                                               const poet_real* dy, poet_real* dx) {
  spread(p, 1, dy, dx);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of single channels have few products for each output: they take one tap of the
 * kernel at a time, and all positions of the map at which it lies inside the image. */
#include "poet_conv.h"
#include "poet_lanes.h"

/* Rows of a plane, or of what a tap sees of one. */
struct plane {
  int32_t row, step; /* how far apart rows are, and elements of a row */
};

/* Adds `weight` times rows x columns elements of the input to as many of the output, one of which
 * has a step of 1. */
static void add_plane(int32_t rows, int32_t columns, poet_real weight, const poet_real* from,
                      struct plane inputs, poet_real* to, struct plane outputs) {
  int32_t i;
  for (; rows > 0; --rows, from += inputs.row, to += outputs.row) {
    const poet_real* at_from = from;
    poet_real* at_to = to;
    if (outputs.step != 1) {
      for (i = columns; i > 0; --i, at_to += outputs.step) *at_to += weight * *at_from++;
    } else if (inputs.step != 1) {
      for (i = columns; i > 0; --i, at_from += inputs.step) *at_to++ += weight * *at_from;
    } else {
      for (i = 0; i < columns; ++i) to[i] += weight * from[i];
    }
  }
}

static void add_tap(const struct poet_conv2d_spec* c, int to_map, int32_t r, int32_t s,
                    poet_real weight, const poet_real* from, poet_real* to) {
  const struct poet_span rows =
      poet_span_of(r * c->dilation_height - c->pad_top, c->stride_height, c->height, c->map_height);
  const struct poet_span columns =
      poet_span_of(s * c->dilation_width - c->pad_left, c->stride_width, c->width, c->map_width);
  const int32_t height = rows.end - rows.first, width = columns.end - columns.first;
  const int32_t map = rows.first * c->map_width + columns.first;
  const int32_t image = (rows.first * c->stride_height + rows.offset) * c->width +
                        columns.first * c->stride_width + columns.offset;
  const struct plane of_map = {c->map_width, 1};
  const struct plane of_image = {c->stride_height * c->width, c->stride_width};
  if (to_map) {
    add_plane(height, width, weight, from + image, of_image, to + map, of_map);
  } else {
    add_plane(height, width, weight, from + map, of_map, to + image, of_image);
  }
}

#if POET_LANES < 8
enum { kWindow = 3 };

/* Kernels of 3 x 3 with a stride of 1, whose middle tap lies on its output. Where there are no
 * vectors, registers hold what a loop over taps would load and store for each of them. */
static int is_window(const struct poet_conv2d_spec* c) {
  return c->kernel_height == kWindow && c->kernel_width == kWindow && c->stride_height == 1 &&
         c->stride_width == 1 && c->pad_top == 1 && c->pad_left == 1 && c->dilation_height == 1 &&
         c->dilation_width == 1 && c->map_height == c->height && c->map_width == c->width &&
         c->width > 1;
}

/* A column of outputs, the rows of which are `row` apart, and the inputs under the first tap. On
 * the way back, from the map to the image, both run backwards. */
struct column {
  const poet_real* from;
  poet_real* out;
  int32_t height, row, step;
};

/* The weights and three sums stay in registers, and each input is loaded once for the three outputs
 * that see it. `taps` of a row are inside the image. */
POET_INLINE void sum_windows(const struct column* c, const poet_real* w, poet_real start,
                             int32_t taps) {
  const poet_real* at[kWindow];
  poet_real weights[kWindow * kWindow], sums[kWindow] = {start, start, start};
  poet_real* out = c->out;
  int32_t i, r, s;
  POET_UNROLL for (s = 0; s < taps; ++s) {
    at[s] = c->from + s * c->step;
    POET_UNROLL for (r = 0; r < kWindow; ++r) weights[r * taps + s] = w[r * kWindow + s];
  }
  for (i = 0; i < c->height; ++i) {
    sums[0] = start;
    POET_UNROLL for (s = 0; s < taps; ++s) {
      const poet_real x = *at[s];
      at[s] += c->row;
      POET_UNROLL for (r = 0; r < kWindow; ++r) sums[r] += weights[r * taps + s] * x;
    }
    if (i > 0) {
      *out = sums[2];
      out += c->row;
    }
    sums[2] = sums[1];
    sums[1] = sums[0];
  }
  *out = sums[2];
}

POET_APART void sum_whole_windows(const struct column* c, const poet_real* w, poet_real start) {
  sum_windows(c, w, start, kWindow);
}

POET_APART void sum_windows_at_edge(const struct column* c, const poet_real* w, poet_real start) {
  sum_windows(c, w, start, kWindow - 1);
}

static void sum_plane(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                      const poet_real* w, poet_real start, poet_real* out) {
  const int32_t step = to_map ? 1 : -1;
  const int32_t first = to_map ? 0 : c->height * c->width - 1;
  struct column column = {.height = c->height, .row = step * c->width, .step = step};
  int32_t x;
  for (x = 0; x < c->width; ++x) {
    const int32_t tap = x == 0;
    column.from = from + first + (x + tap - 1) * step;
    column.out = out + first + x * step;
    (tap || x == c->width - 1 ? sum_windows_at_edge : sum_whole_windows)(&column, w + tap, start);
  }
}

/* Adds what a row of the map and a row of the image give to the sums of a row of taps. */
static void add_row(int32_t width, const poet_real* image, const poet_real* map, poet_real* sums) {
  poet_real before = image[0], at = image[1];
  poet_real left = sums[0], middle = sums[1] + map[0] * before, right = sums[2] + map[0] * at;
  int32_t i;
  image += 2;
  ++map;
  for (i = width - 2; i > 0; --i) {
    const poet_real gradient = *map++, after = *image++;
    left += gradient * before;
    middle += gradient * at;
    right += gradient * after;
    before = at;
    at = after;
  }
  sums[0] = left + *map * before;
  sums[1] = middle + *map * at;
  sums[2] = right;
}

int poet_depthwise_weights(const struct poet_conv2d_spec* c, const struct poet_conv_part* part,
                           const poet_real* image, const poet_real* map,
                           const struct poet_sink* dw) {
  const int32_t plane = c->height * c->width;
  const int32_t first = part ? part->channel : 0, planes = part ? part->channels : c->channels;
  int32_t k, n, r, y;
  if (!is_window(c) || c->channels != c->groups || c->filters != c->groups) return 0;
  for (k = first; k < first + planes; ++k) {
    poet_real sums[kWindow * kWindow] = {0};
    for (n = 0; n < c->batch; ++n) {
      const poet_real* of_image = image + (n * planes + k - first) * plane;
      const poet_real* of_map = map + (n * c->filters + k) * plane;
      for (r = 0; r < kWindow; ++r) {
        for (y = r == 0; y < c->height - (r == 2); ++y) {
          add_row(c->width, of_image + (y + r - 1) * c->width, of_map + y * c->width,
                  sums + r * kWindow);
        }
      }
    }
    poet_sink_put_run(dw, k * kWindow * kWindow, 1, sums, kWindow * kWindow);
  }
  return 1;
}
#endif

static poet_real weight_at(const struct poet_weights* w, int32_t at, int32_t channel) {
  return w->bytes ? (poet_real)w->bytes[at] * w->scale[channel] : w->real[at];
}

void poet_depthwise(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                    const struct poet_weights* w, const poet_real* start, poet_real* out) {
  const int32_t plane = c->height * c->width, map_plane = c->map_height * c->map_width;
  const int32_t inputs = to_map ? plane : map_plane, outputs = to_map ? map_plane : plane;
#if POET_LANES < 8
  const int windows = is_window(c);
#endif
  int32_t n, k, i, r, s;
  for (n = 0; n < c->batch; ++n) {
    int32_t at = 0;
    for (k = 0; k < c->channels; ++k, from += inputs, out += outputs) {
      const poet_real first = start ? start[k] : (poet_real)0;
#if POET_LANES < 8
      if (windows) {
        poet_real weights[kWindow * kWindow];
        for (i = 0; i < kWindow * kWindow; ++i, ++at) weights[i] = weight_at(w, at, k);
        sum_plane(c, to_map, from, weights, first, out);
        continue;
      }
#endif
      for (i = 0; i < outputs; ++i) out[i] = first;
      for (r = 0; r < c->kernel_height; ++r) {
        for (s = 0; s < c->kernel_width; ++s, ++at) {
          add_tap(c, to_map, r, s, weight_at(w, at, k), from, out);
        }
      }
    }
  }
}

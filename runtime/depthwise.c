/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of single channels have few products for each output: they take one tap of the
 * kernel at a time, and all positions of the map at which it lies inside the image. */
#include "poet_conv.h"

/* Rows of a plane, or of what a tap sees of one. */
struct plane {
  int32_t row, step; /* how far apart rows are, and elements of a row */
};

/* Adds `weight` times rows x columns elements of the input to as many of the output. */
static void add_plane(int32_t rows, int32_t columns, poet_real weight, const poet_real* from,
                      struct plane inputs, poet_real* to, struct plane outputs) {
  const int is_line = inputs.step == 1 && outputs.step == 1;
  int32_t i;
  for (; rows > 0; --rows, from += inputs.row, to += outputs.row) {
    const poet_real* at_from = from;
    poet_real* at_to = to;
    if (is_line) {
      for (i = 0; i < columns; ++i) to[i] += weight * from[i];
      continue;
    }
    for (i = columns; i > 0; --i, at_from += inputs.step, at_to += outputs.step) {
      *at_to += weight * *at_from;
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

void poet_depthwise(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                    const struct poet_weights* w, const poet_real* start, poet_real* out) {
  const int32_t plane = c->height * c->width, map_plane = c->map_height * c->map_width;
  const int32_t inputs = to_map ? plane : map_plane, outputs = to_map ? map_plane : plane;
  int32_t n, k, i, r, s;
  for (n = 0; n < c->batch; ++n) {
    int32_t at = 0;
    for (k = 0; k < c->channels; ++k, from += inputs, out += outputs) {
      const poet_real first = start ? start[k] : (poet_real)0;
      for (i = 0; i < outputs; ++i) out[i] = first;
      for (r = 0; r < c->kernel_height; ++r) {
        for (s = 0; s < c->kernel_width; ++s, ++at) {
          const poet_real weight = w->bytes ? (poet_real)w->bytes[at] * w->scale[k] : w->real[at];
          add_tap(c, to_map, r, s, weight, from, out);
        }
      }
    }
  }
}

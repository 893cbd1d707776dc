/* Convolutions of single channels have few products for each output: they take one tap of the
 * kernel at a time, and all positions of the map at which it lies inside the image. */
#include "poet_conv.h"

/* Adds `weight` times a row of the input to a row of the output. */
static void add_row(int32_t count, poet_real weight, const poet_real* from, int32_t from_step,
                    poet_real* to, int32_t to_step) {
  int32_t i;
  if (from_step == 1 && to_step == 1) {
    for (i = 0; i < count; ++i) to[i] += weight * from[i];
  } else {
    for (i = 0; i < count; ++i) to[i * to_step] += weight * from[i * from_step];
  }
}

static void add_tap(const struct poet_conv2d_spec* c, int to_map, int32_t r, int32_t s,
                    poet_real weight, const poet_real* from, poet_real* to) {
  const struct poet_span rows =
      poet_span_of(r * c->dilation_height - c->pad_top, c->stride_height, c->height, c->map_height);
  const struct poet_span columns =
      poet_span_of(s * c->dilation_width - c->pad_left, c->stride_width, c->width, c->map_width);
  const int32_t count = columns.end - columns.first;
  int32_t o;
  for (o = rows.first; o < rows.end; ++o) {
    const int32_t map = o * c->map_width + columns.first;
    const int32_t image = (o * c->stride_height + rows.offset) * c->width +
                          columns.first * c->stride_width + columns.offset;
    if (to_map) {
      add_row(count, weight, from + image, c->stride_width, to + map, 1);
    } else {
      add_row(count, weight, from + map, 1, to + image, c->stride_width);
    }
  }
}

void poet_depthwise(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                    const poet_real* w, const poet_real* start, poet_real* out) {
  const int32_t plane = c->height * c->width, map_plane = c->map_height * c->map_width;
  const int32_t inputs = to_map ? plane : map_plane, outputs = to_map ? map_plane : plane;
  int32_t n, k, i, r, s;
  for (n = 0; n < c->batch; ++n) {
    const poet_real* weight = w;
    for (k = 0; k < c->channels; ++k, from += inputs, out += outputs) {
      const poet_real first = start ? start[k] : (poet_real)0;
      for (i = 0; i < outputs; ++i) out[i] = first;
      for (r = 0; r < c->kernel_height; ++r) {
        for (s = 0; s < c->kernel_width; ++s) add_tap(c, to_map, r, s, *weight++, from, out);
      }
    }
  }
}

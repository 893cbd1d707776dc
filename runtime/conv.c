/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_conv.h"
#include "poet_product.h"

/* A kernel of one tap, which meets each element of the image once. */
static int is_pointwise(const struct poet_conv2d_spec* c) {
  return c->kernel_height == 1 && c->kernel_width == 1 && c->stride_height == 1 &&
         c->stride_width == 1 && c->pad_top == 0 && c->pad_left == 0 &&
         c->map_height == c->height && c->map_width == c->width;
}

/* A product of the weights, or of their transpose, and a plane for each channel: one for each group
 * of each sample. */
static void pointwise(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                      const struct poet_weights* w, const poet_real* start, poet_real* out) {
  const int32_t channels = c->channels / c->groups, filters = c->filters / c->groups;
  const int32_t plane = c->height * c->width;
  const struct poet_sink sink = {.gradient = out};
  struct poet_product_spec p = {
      .rows = to_map ? filters : channels,
      .inner = to_map ? channels : filters,
      .columns = plane,
      .a_row = to_map ? channels : 1,
      .a_inner = to_map ? 1 : channels,
      .b_inner = plane,
      .b_column = 1,
      .out_row = plane,
      .out_column = 1,
      .bytes = {.of = w->bytes ? w : 0, .scale_row = to_map, .scale_inner = !to_map}};
  int32_t n;
  for (n = 0; n < c->batch * c->groups; ++n) {
    const int32_t group = n % c->groups;
    if (w->bytes) {
      p.bytes.first = group * filters * channels;
      p.bytes.first_scale = group * filters;
    } else {
      p.a = w->real + group * filters * channels;
    }
    p.b = from + n * p.inner * plane;
    p.row_start = start ? start + group * p.rows : 0;
    p.first = n * p.rows * plane;
    poet_product(&p, &sink);
  }
}

void poet_convolve(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                   const struct poet_weights* w, const poet_real* start, poet_real* out) {
  if (is_pointwise(c)) {
    pointwise(c, to_map, from, w, start, out);
  } else if (c->channels == c->groups && c->filters == c->groups) {
    poet_depthwise(c, to_map, from, w, start, out);
  } else {
    poet_gather(c, to_map, from, w, start, out);
  }
}

/* The biases come after the weights. */
static void bias_gradients(const struct poet_conv2d_spec* c, const poet_real* dy, int32_t channels,
                           int32_t size, const struct poet_sink* dw) {
  const int32_t first = c->filters * (c->channels / c->groups) * c->kernel_height * c->kernel_width;
  int32_t n, k, i;
  for (k = 0; k < channels && c->has_bias; ++k) {
    poet_real sum = 0;
    for (n = 0; n < c->batch; ++n) {
      const poet_real* plane = dy + (n * channels + k) * size;
      for (i = 0; i < size; ++i) sum += plane[i];
    }
    poet_sink_put(dw, first + k, sum);
  }
}

POET_KERNEL void poet_conv2d(const struct poet_conv2d_spec* c, const poet_real* x,
                             const poet_real* w, const poet_real* bias, poet_real* y) {
  const struct poet_weights weights = {.real = w};
  poet_convolve(c, 1, x, &weights, bias, y);
}

POET_KERNEL void poet_conv2d_grad(const struct poet_conv2d_spec* c, const poet_real* dy,
                                  const poet_real* w, poet_real* dx) {
  const struct poet_weights weights = {.real = w};
  poet_convolve(c, 0, dy, &weights, 0, dx);
}

POET_KERNEL void poet_conv2d_gradw(const struct poet_conv2d_spec* c, const poet_real* x,
                                   const poet_real* dy, const struct poet_sink* dw) {
  poet_conv_weights(c, x, dy, dw);
  bias_gradients(c, dy, c->filters, c->map_height * c->map_width, dw);
}

POET_KERNEL void poet_conv2d_gradw_of_bytes(const struct poet_conv2d_copy_spec* s, const int8_t* x,
                                            const poet_real* dy, struct poet_workspace* tile,
                                            const struct poet_sink* dw) {
  const struct poet_conv2d_spec* c = &s->conv;
  poet_conv_weights_of_bytes(c, &s->copy, x, dy, poet_tile_of(tile), dw);
  bias_gradients(c, dy, c->filters, c->map_height * c->map_width, dw);
}

POET_KERNEL void poet_conv_transpose2d(const struct poet_conv2d_spec* c, const poet_real* x,
                                       const poet_real* w, const poet_real* bias, poet_real* y) {
  const struct poet_weights weights = {.real = w};
  poet_convolve(c, 0, x, &weights, bias, y);
}

POET_KERNEL void poet_conv_transpose2d_grad(const struct poet_conv2d_spec* c, const poet_real* dy,
                                            const poet_real* w, poet_real* dx) {
  const struct poet_weights weights = {.real = w};
  poet_convolve(c, 1, dy, &weights, 0, dx);
}

POET_KERNEL void poet_conv_transpose2d_gradw(const struct poet_conv2d_spec* c, const poet_real* x,
                                             const poet_real* dy, const struct poet_sink* dw) {
  poet_conv_weights(c, dy, x, dw);
  bias_gradients(c, dy, c->channels, c->height * c->width, dw);
}

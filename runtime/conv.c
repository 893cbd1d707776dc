/* Convolutions in all directions come down to three loops over the same pairs of an image element
 * and a map element: from image to map, from map to image, and their products summed per weight.
 * A loop takes one tap of the kernel at a time and all positions of the map for which the tap lies
 * inside the image, so that nothing is tested inside it. */
#include "poet_kernels.h"

/* Positions of the map, and the image element under a tap at position (0, 0), which may be
 * outside. */
struct tap {
  int32_t first_row, end_row, first_column, end_column;
  int32_t row, column;
};

/* Most strides are 1, and a division takes as long as several taps of a small plane. */
static int32_t divide(int32_t extent, int32_t stride) {
  return stride == 1 ? extent : extent / stride;
}

/* Sets [*first, *end) to the positions o < count with 0 <= o stride + offset < extent. */
static void positions_inside(int32_t offset, int32_t stride, int32_t extent, int32_t count,
                             int32_t* first, int32_t* end) {
  *first = offset < 0 ? divide(-offset + stride - 1, stride) : 0;
  *end = offset < extent ? divide(extent - 1 - offset, stride) + 1 : 0;
  if (*end > count) *end = count;
}

static struct tap tap_at(const struct poet_conv2d_spec* c, int32_t r, int32_t s) {
  struct tap t;
  t.row = r * c->dilation_height - c->pad_top;
  t.column = s * c->dilation_width - c->pad_left;
  positions_inside(t.row, c->stride_height, c->height, c->map_height, &t.first_row, &t.end_row);
  positions_inside(t.column, c->stride_width, c->width, c->map_width, &t.first_column,
                   &t.end_column);
  return t;
}

static void image_to_map(const struct poet_conv2d_spec* c, const struct tap* t,
                         const poet_real* image, poet_real w, poet_real* map) {
  const int32_t stride = c->stride_width;
  int32_t o, p;
  for (o = t->first_row; o < t->end_row; ++o) {
    const poet_real* from = image + (o * c->stride_height + t->row) * c->width;
    poet_real* to = map + o * c->map_width;
    if (stride == 1) {
      for (p = t->first_column; p < t->end_column; ++p) to[p] += w * from[p + t->column];
    } else {
      for (p = t->first_column; p < t->end_column; ++p) to[p] += w * from[p * stride + t->column];
    }
  }
}

static void map_to_image(const struct poet_conv2d_spec* c, const struct tap* t,
                         const poet_real* map, poet_real w, poet_real* image) {
  const int32_t stride = c->stride_width;
  int32_t o, p;
  for (o = t->first_row; o < t->end_row; ++o) {
    const poet_real* from = map + o * c->map_width;
    poet_real* to = image + (o * c->stride_height + t->row) * c->width;
    if (stride == 1) {
      for (p = t->first_column; p < t->end_column; ++p) to[p + t->column] += w * from[p];
    } else {
      for (p = t->first_column; p < t->end_column; ++p) to[p * stride + t->column] += w * from[p];
    }
  }
}

/* Channels whose weights are summed side by side: one load of the map serves all of them, and no
 * sum waits for the one before. */
enum { kConvLanes = 8 };

/* Adds the products of one tap to the sums of `lanes` channels. */
static inline void sum_products(const struct poet_conv2d_spec* c, const struct tap* t,
                                const poet_real* image, const poet_real* map, int32_t lanes,
                                poet_real* sums) {
  const int32_t plane = c->height * c->width;
  int32_t o, p, u;
  for (o = t->first_row; o < t->end_row; ++o) {
    const int32_t row = (o * c->stride_height + t->row) * c->width + t->column;
    for (p = t->first_column; p < t->end_column; ++p) {
      const poet_real m = map[o * c->map_width + p];
      const poet_real* at = image + (row + p * c->stride_width);
      for (u = 0; u < lanes; ++u) sums[u] += m * at[u * plane];
    }
  }
}

/* A direction of the convolution: for each weight, all positions. `out` has its first values. */
static void convolve(const struct poet_conv2d_spec* c, const poet_real* w, const poet_real* from,
                     poet_real* out, int is_to_map) {
  const int32_t channels = c->channels / c->groups;
  const int32_t image_plane = c->height * c->width;
  const int32_t map_plane = c->map_height * c->map_width;
  int32_t n, k, j, r, s;
  for (n = 0; n < c->batch; ++n) {
    for (k = 0; k < c->filters; ++k) {
      const int32_t group = k / (c->filters / c->groups);
      const poet_real* weight = w + k * channels * c->kernel_height * c->kernel_width;
      const int32_t map = (n * c->filters + k) * map_plane;
      for (j = 0; j < channels; ++j) {
        const int32_t image = (n * c->channels + group * channels + j) * image_plane;
        for (r = 0; r < c->kernel_height; ++r) {
          for (s = 0; s < c->kernel_width; ++s) {
            const struct tap t = tap_at(c, r, s);
            if (is_to_map) {
              image_to_map(c, &t, from + image, *weight++, out + map);
            } else {
              map_to_image(c, &t, from + map, *weight++, out + image);
            }
          }
        }
      }
    }
  }
}

/* Fills each plane of planes x size with the value of its channel; NULL: zeros. */
static void fill_planes(int32_t batch, int32_t channels, int32_t size, const poet_real* values,
                        poet_real* out) {
  int32_t n, k, i;
  for (n = 0; n < batch; ++n) {
    for (k = 0; k < channels; ++k) {
      const poet_real value = values ? values[k] : (poet_real)0;
      for (i = 0; i < size; ++i) *out++ = value;
    }
  }
}

/* The gradients of weights k, j .. j + lanes - 1, r, s for all r and s. */
static void weight_gradients(const struct poet_conv2d_spec* c, const poet_real* image,
                             const poet_real* map, int32_t k, int32_t j, int32_t lanes,
                             const struct poet_sink* dw) {
  const int32_t channels = c->channels / c->groups;
  const int32_t taps = c->kernel_height * c->kernel_width;
  const int32_t channel = k / (c->filters / c->groups) * channels + j;
  int32_t i, n, u;
  for (i = 0; i < taps; ++i) {
    const struct tap t = tap_at(c, i / c->kernel_width, i % c->kernel_width);
    poet_real sums[kConvLanes] = {0};
    for (n = 0; n < c->batch; ++n) {
      const poet_real* x = image + (n * c->channels + channel) * c->height * c->width;
      const poet_real* dy = map + (n * c->filters + k) * c->map_height * c->map_width;
      if (lanes == kConvLanes) {
        sum_products(c, &t, x, dy, kConvLanes, sums);
      } else if (lanes == 1) { /* depthwise */
        sum_products(c, &t, x, dy, 1, sums);
      } else {
        sum_products(c, &t, x, dy, lanes, sums);
      }
    }
    for (u = 0; u < lanes; ++u) poet_sink_put(dw, (k * channels + j + u) * taps + i, sums[u]);
  }
}

static void all_weight_gradients(const struct poet_conv2d_spec* c, const poet_real* image,
                                 const poet_real* map, const struct poet_sink* dw) {
  const int32_t channels = c->channels / c->groups;
  int32_t k, j;
  for (k = 0; k < c->filters; ++k) {
    for (j = 0; j < channels; j += kConvLanes) {
      const int32_t rest = channels - j;
      weight_gradients(c, image, map, k, j, rest < kConvLanes ? rest : kConvLanes, dw);
    }
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
  fill_planes(c->batch, c->filters, c->map_height * c->map_width, bias, y);
  convolve(c, w, x, y, 1);
}

POET_KERNEL void poet_conv2d_grad(const struct poet_conv2d_spec* c, const poet_real* dy,
                                  const poet_real* w, poet_real* dx) {
  fill_planes(c->batch, c->channels, c->height * c->width, 0, dx);
  convolve(c, w, dy, dx, 0);
}

POET_KERNEL void poet_conv2d_gradw(const struct poet_conv2d_spec* c, const poet_real* x,
                                   const poet_real* dy, const struct poet_sink* dw) {
  all_weight_gradients(c, x, dy, dw);
  bias_gradients(c, dy, c->filters, c->map_height * c->map_width, dw);
}

POET_KERNEL void poet_conv_transpose2d(const struct poet_conv2d_spec* c, const poet_real* x,
                                       const poet_real* w, const poet_real* bias, poet_real* y) {
  fill_planes(c->batch, c->channels, c->height * c->width, bias, y);
  convolve(c, w, x, y, 0);
}

POET_KERNEL void poet_conv_transpose2d_grad(const struct poet_conv2d_spec* c, const poet_real* dy,
                                            const poet_real* w, poet_real* dx) {
  fill_planes(c->batch, c->filters, c->map_height * c->map_width, 0, dx);
  convolve(c, w, dy, dx, 1);
}

POET_KERNEL void poet_conv_transpose2d_gradw(const struct poet_conv2d_spec* c, const poet_real* x,
                                             const poet_real* dy, const struct poet_sink* dw) {
  all_weight_gradients(c, dy, x, dw);
  bias_gradients(c, dy, c->channels, c->height * c->width, dw);
}

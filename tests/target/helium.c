/* Prints a hash of what kernels of blocks compute: of ordinary numbers, and of numbers whose
 * products are subnormal. */
#include <string.h>

#include "counted.h"
#include "startup.h"

enum { kMost = 4096 };
static poet_real x[kMost], w[kMost], y[kMost], out[kMost];
static uint32_t hash;

/* Fowler, Noll and Vo's hash, by words. */
static void add_outputs(void) {
  int32_t i;
  for (i = 0; i < kMost; ++i) {
    uint32_t bits;
    memcpy(&bits, &out[i], sizeof bits);
    hash = (hash ^ bits) * 16777619u;
  }
  memset(out, 0, sizeof out);
}

/* Filters and widths that leave rows and columns over beside whole blocks, or end with a block. */
static void convolve(int32_t channels, int32_t filters, int32_t kernel, int32_t stride,
                     int32_t width) {
  const int32_t height = 7, pad = kernel / 2;
  const struct poet_conv2d_spec c = {.batch = 2,
                                     .channels = channels,
                                     .height = height,
                                     .width = width,
                                     .filters = filters,
                                     .map_height = (height + 2 * pad - kernel) / stride + 1,
                                     .map_width = (width + 2 * pad - kernel) / stride + 1,
                                     .kernel_height = kernel,
                                     .kernel_width = kernel,
                                     .stride_height = stride,
                                     .stride_width = stride,
                                     .pad_top = pad,
                                     .pad_left = pad,
                                     .dilation_height = 1,
                                     .dilation_width = 1,
                                     .groups = 1,
                                     .has_bias = 1};
  const struct poet_sink sink = {.gradient = out};
  poet_conv2d(&c, x, w, w, out);
  add_outputs();
  poet_conv2d_grad(&c, y, w, out);
  add_outputs();
  poet_conv2d_gradw(&c, x, y, &sink);
  add_outputs();
}

static void multiply(int32_t rows) {
  const struct poet_linear_spec l = {rows, 37, 22, 1};
  const struct poet_sink sink = {.gradient = out};
  poet_linear(&l, x, w, w, out);
  add_outputs();
  poet_linear_grad(&l, y, w, out);
  add_outputs();
  poet_linear_gradw(&l, x, y, &sink);
  add_outputs();
}

/* Apart, and of any count, so that the compiler makes no vectors of its own of it. */
__attribute__((noipa)) static void multiply_by(poet_real scale, poet_real* numbers, int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) numbers[i] *= scale;
}

static void compute(poet_real scale) {
  draw_numbers(x, kMost, 1);
  draw_numbers(w, kMost, 2);
  draw_numbers(y, kMost, 3);
  multiply_by(scale, x, kMost);
  multiply_by(scale, w, kMost);
  multiply_by(scale, y, kMost);
  hash = 2166136261u;
  convolve(5, 8, 3, 1, 13);
  convolve(8, 8, 3, 1, 12);
  convolve(4, 8, 3, 1, 4);
  convolve(6, 9, 3, 2, 13);
  convolve(9, 6, 1, 1, 13);
  multiply(1);
  multiply(11);
  host_put_hex(host_console(), hash);
}

int main(void) {
  compute(1);
  host_put(host_console(), " ");
  compute((poet_real)1e-20);
  host_put(host_console(), "\n");
  return STATUS_OK;
}

/* Counts the instructions of kernels on the emulated board whose timer counts them, and paints the
 * stack below itself. A line for each kernel: SHAPE PASS TICKS MACS, where passes are forward,
 * input and weight, whose gradient is applied by SGD; and forward and input with weights of bytes.
 */
#include <string.h>

#include "clock.h"
#include "poet_runtime.h"
#include "semihosting.h"
#include "startup.h"

static poet_real memory[400000];
static int8_t bytes[40000];
static poet_real scales[128];

/* What a case reads and writes, one tensor behind the other. */
struct tensors {
  poet_real *x, *w, *bias, *y, *dx;
};

static struct tensors numbers(int32_t x, int32_t w, int32_t bias, int32_t y) {
  const struct tensors t = {memory, memory + x, memory + x + w, memory + x + w + bias,
                            memory + x + w + bias + y};
  uint32_t seed = 1;
  int32_t i;
  for (i = 0; i < x + w + bias + y; ++i) {
    seed = seed * 1664525u + 1013904223u;
    memory[i] = (poet_real)(int32_t)(seed >> 8) / (poet_real)8388608 - (poet_real)1;
  }
  for (i = 0; i < w; ++i) bytes[i] = (int8_t)(t.w[i] * (poet_real)127);
  for (i = 0; i < bias; ++i) scales[i] = (poet_real)1 / (poet_real)128;
  return t;
}

static void report(const char* shape, const char* pass, uint32_t ticks, int32_t macs) {
  const int console = host_console();
  host_put(console, shape);
  host_put(console, pass);
  host_put_decimal(console, ticks);
  host_put(console, " ");
  host_put_decimal(console, (uint32_t)macs);
  host_put(console, "\n");
}

static struct poet_optimizer optimizer;

static struct poet_sink update_of(poet_real* parameters) {
  struct poet_sink sink;
  memset(&sink, 0, sizeof sink);
  optimizer.learning_rate = (poet_real)0.001;
  sink.optimizer = &optimizer;
  sink.parameters = parameters;
  return sink;
}

struct convolution {
  const char* name;
  int32_t channels, height, width, filters, kernel, stride, groups;
};

static void count_convolution(const struct convolution* v) {
  const int32_t pad = v->kernel / 2;
  const struct poet_conv2d_spec c = {
      .batch = 1,
      .channels = v->channels,
      .height = v->height,
      .width = v->width,
      .filters = v->filters,
      .map_height = (v->height + 2 * pad - v->kernel) / v->stride + 1,
      .map_width = (v->width + 2 * pad - v->kernel) / v->stride + 1,
      .kernel_height = v->kernel,
      .kernel_width = v->kernel,
      .stride_height = v->stride,
      .stride_width = v->stride,
      .pad_top = pad,
      .pad_left = pad,
      .dilation_height = 1,
      .dilation_width = 1,
      .groups = v->groups,
      .has_bias = 1};
  const int32_t of_output = v->channels / v->groups * v->kernel * v->kernel;
  const int32_t outputs = v->filters * c.map_height * c.map_width;
  const struct tensors t =
      numbers(v->channels * v->height * v->width, v->filters * of_output, v->filters, outputs);
  const struct poet_sink sink = update_of(t.w);
  uint32_t start = poet_ticks();
  poet_conv2d(&c, t.x, t.w, t.bias, t.y);
  report(v->name, " forward ", poet_ticks() - start, outputs * of_output);
  start = poet_ticks();
  poet_conv2d_grad(&c, t.y, t.w, t.dx);
  report(v->name, " input ", poet_ticks() - start, outputs * of_output);
  start = poet_ticks();
  poet_conv2d_gradw(&c, t.x, t.y, &sink);
  report(v->name, " weight ", poet_ticks() - start, outputs * of_output);
  start = poet_ticks();
  poet_conv2d_int8(&c, t.x, bytes, scales, t.bias, t.y);
  report(v->name, " forward_int8 ", poet_ticks() - start, outputs * of_output);
  start = poet_ticks();
  poet_conv2d_int8_grad(&c, t.y, bytes, scales, t.dx);
  report(v->name, " input_int8 ", poet_ticks() - start, outputs * of_output);
}

static void count_dense(const char* name, int32_t rows, int32_t inputs, int32_t outputs) {
  const struct poet_linear_spec l = {rows, inputs, outputs, 1};
  const struct tensors t = numbers(rows * inputs, inputs * outputs, outputs, rows * outputs);
  const struct poet_sink sink = update_of(t.w);
  uint32_t start = poet_ticks();
  poet_linear(&l, t.x, t.w, t.bias, t.y);
  report(name, " forward ", poet_ticks() - start, rows * inputs * outputs);
  start = poet_ticks();
  poet_linear_grad(&l, t.y, t.w, t.dx);
  report(name, " input ", poet_ticks() - start, rows * inputs * outputs);
  start = poet_ticks();
  poet_linear_gradw(&l, t.x, t.y, &sink);
  report(name, " weight ", poet_ticks() - start, rows * inputs * outputs);
  start = poet_ticks();
  poet_linear_int8(&l, t.x, bytes, scales, t.bias, t.y);
  report(name, " forward_int8 ", poet_ticks() - start, rows * inputs * outputs);
  start = poet_ticks();
  poet_linear_int8_grad(&l, t.y, bytes, scales, t.dx);
  report(name, " input_int8 ", poet_ticks() - start, rows * inputs * outputs);
}

int main(void) {
  static const struct convolution convolutions[] = {
      {"3x3_16_16_16x16", 16, 16, 16, 16, 3, 1, 1},
      {"3x3_20_20_8x8", 20, 8, 8, 20, 3, 1, 1},
      {"3x3_3_8_32x32", 3, 32, 32, 8, 3, 1, 1},
      {"3x3_stride2_16_32_16x16", 16, 16, 16, 32, 3, 2, 1},
      {"pointwise_64_64_25x5", 64, 25, 5, 64, 1, 1, 1},
      {"pointwise_48_16_16x16", 48, 16, 16, 16, 1, 1, 1},
      {"pointwise_96_24_4x4", 96, 4, 4, 24, 1, 1, 1},
      {"depthwise_64_25x5", 64, 25, 5, 64, 3, 1, 64},
      {"depthwise_48_16x16", 48, 16, 16, 48, 3, 1, 48},
      {"depthwise_stride2_48_16x16", 48, 16, 16, 48, 3, 2, 48}};
  size_t i;
  clock_start();
  for (i = 0; i < sizeof convolutions / sizeof *convolutions; ++i)
    count_convolution(&convolutions[i]);
  count_dense("dense_1x256_64", 1, 256, 64);
  count_dense("dense_32x64_64", 32, 64, 64);
  return STATUS_OK;
}

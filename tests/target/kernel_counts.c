/* Counts the instructions of kernels on the emulated board whose timer counts them, and paints the
 * stack below itself. A line for each kernel: SHAPE PASS TICKS MACS, where passes are forward,
 * input and weight, whose gradient is applied by SGD; forward and input with weights of bytes; and
 * weight with a copy of one byte of x. Other gradients have a line for numbers and one for bytes,
 * by elements. */
#include <string.h>

#include "clock.h"
#include "counted.h"
#include "startup.h"

static poet_real memory[400000];
static int8_t bytes[40000];
static poet_real scales[128];
static poet_real tile[4096];
static poet_real copy[8192];

/* What a case reads and writes, one tensor behind the other. */
struct tensors {
  poet_real *x, *w, *bias, *y, *dx;
};

static struct tensors numbers(int32_t x, int32_t w, int32_t bias, int32_t y) {
  const struct tensors t = {memory, memory + x, memory + x + w, memory + x + w + bias,
                            memory + x + w + bias + y};
  int32_t i;
  draw_numbers(memory, x + w + bias + y, 1);
  for (i = 0; i < w; ++i) bytes[i] = (int8_t)(t.w[i] * (poet_real)127);
  for (i = 0; i < bias; ++i) scales[i] = (poet_real)1 / (poet_real)128;
  return t;
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

/* A copy of `groups` x `group_size` numbers. */
static struct poet_copy_spec copy_of(const poet_real* x, int32_t groups, int32_t group_size) {
  const struct poet_copy_spec c = {groups, group_size, 1};
  poet_copy_int8(&c, x, (int8_t*)copy);
  return c;
}

static const int8_t* const kCopy = (const int8_t*)copy;
static struct poet_workspace* const kTile = (struct poet_workspace*)(void*)tile;

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
  put_counts(v->name, " forward ", poet_ticks() - start, outputs * of_output);
  start = poet_ticks();
  poet_conv2d_grad(&c, t.y, t.w, t.dx);
  put_counts(v->name, " input ", poet_ticks() - start, outputs * of_output);
  start = poet_ticks();
  poet_conv2d_gradw(&c, t.x, t.y, &sink);
  put_counts(v->name, " weight ", poet_ticks() - start, outputs * of_output);
  start = poet_ticks();
  poet_conv2d_int8(&c, t.x, bytes, scales, t.bias, t.y);
  put_counts(v->name, " forward_int8 ", poet_ticks() - start, outputs * of_output);
  start = poet_ticks();
  poet_conv2d_int8_grad(&c, t.y, bytes, scales, t.dx);
  put_counts(v->name, " input_int8 ", poet_ticks() - start, outputs * of_output);
  {
    const struct poet_conv2d_copy_spec s = {c, copy_of(t.x, v->channels, v->height * v->width)};
    start = poet_ticks();
    poet_conv2d_gradw_of_bytes(&s, kCopy, t.y, kTile, &sink);
    put_counts(v->name, " weight_copy ", poet_ticks() - start, outputs * of_output);
  }
}

static void count_dense(const char* name, int32_t rows, int32_t inputs, int32_t outputs) {
  const struct poet_linear_spec l = {rows, inputs, outputs, 1};
  const struct tensors t = numbers(rows * inputs, inputs * outputs, outputs, rows * outputs);
  const struct poet_sink sink = update_of(t.w);
  uint32_t start = poet_ticks();
  poet_linear(&l, t.x, t.w, t.bias, t.y);
  put_counts(name, " forward ", poet_ticks() - start, rows * inputs * outputs);
  start = poet_ticks();
  poet_linear_grad(&l, t.y, t.w, t.dx);
  put_counts(name, " input ", poet_ticks() - start, rows * inputs * outputs);
  start = poet_ticks();
  poet_linear_gradw(&l, t.x, t.y, &sink);
  put_counts(name, " weight ", poet_ticks() - start, rows * inputs * outputs);
  start = poet_ticks();
  poet_linear_int8(&l, t.x, bytes, scales, t.bias, t.y);
  put_counts(name, " forward_int8 ", poet_ticks() - start, rows * inputs * outputs);
  start = poet_ticks();
  poet_linear_int8_grad(&l, t.y, bytes, scales, t.dx);
  put_counts(name, " input_int8 ", poet_ticks() - start, rows * inputs * outputs);
  {
    const struct poet_linear_copy_spec s = {l, copy_of(t.x, rows, inputs)};
    start = poet_ticks();
    poet_linear_gradw_of_bytes(&s, kCopy, t.y, kTile, &sink);
    put_counts(name, " weight_copy ", poet_ticks() - start, rows * inputs * outputs);
  }
}

enum { kElements = 4096 };

static void count_norms(void) {
  const struct poet_batch_norm_spec b = {2, 8, kElements / 16, (poet_real)0.00001, 1, 0};
  const struct poet_group_norm_spec n = {kElements / 64, 1, 64, 1, 1, (poet_real)0.00001};
  const struct tensors t = numbers(kElements, 128, 128, kElements);
  const struct poet_sink sink = update_of(t.w);
  const struct poet_batch_norm_copy_spec b_copy = {b, copy_of(t.x, 16, kElements / 16)};
  struct poet_group_norm_copy_spec n_copy = {n, {0, 0, 0}};
  uint32_t start = poet_ticks();
  poet_batch_norm_grad(&b, t.x, t.y, t.w, t.dx, &sink);
  put_counts("batch_norm", " numbers ", poet_ticks() - start, kElements);
  start = poet_ticks();
  poet_batch_norm_grad_of_bytes(&b_copy, kCopy, t.y, t.w, kTile, t.dx, &sink);
  put_counts("batch_norm", " bytes ", poet_ticks() - start, kElements);
  n_copy.copy = copy_of(t.x, kElements / 64, 64);
  start = poet_ticks();
  poet_group_norm_grad(&n, t.x, t.y, t.w, t.dx, &sink);
  put_counts("layer_norm", " numbers ", poet_ticks() - start, kElements);
  start = poet_ticks();
  poet_group_norm_grad_of_bytes(&n_copy, kCopy, t.y, t.w, kTile, t.dx, &sink);
  put_counts("layer_norm", " bytes ", poet_ticks() - start, kElements);
}

static void count_attention(void) {
  struct poet_attention_spec a = {1, 4, 32, 32, 16, 0, 0, 0, 0, 0, 0, 0, 0};
  const struct tensors t = numbers(kElements, kElements, 0, kElements);
  const struct poet_attention_copy_spec c = {(poet_attention_layout(&a), a),
                                             copy_of(t.x, a.heads, a.queries * a.keys)};
  uint32_t start = poet_ticks();
  poet_attention_grad_scores(&a, t.w, t.y, t.x, t.dx);
  put_counts("attention_scores", " numbers ", poet_ticks() - start, kElements);
  start = poet_ticks();
  poet_attention_grad_scores_of_bytes(&c, t.w, t.y, kCopy, kTile, t.dx);
  put_counts("attention_scores", " bytes ", poet_ticks() - start, kElements);
  start = poet_ticks();
  poet_attention_grad_v(&a, t.x, t.w, t.dx);
  put_counts("attention_values", " numbers ", poet_ticks() - start, kElements);
  start = poet_ticks();
  poet_attention_grad_v_of_bytes(&c, kCopy, t.w, kTile, t.dx);
  put_counts("attention_values", " bytes ", poet_ticks() - start, kElements);
}

#define COUNT_MAP(name)                                            \
  start = poet_ticks();                                            \
  poet_##name##_grad(&m.map, t.x, t.y, t.dx);                      \
  put_counts(#name, " numbers ", poet_ticks() - start, kElements); \
  start = poet_ticks();                                            \
  poet_##name##_grad_of_bytes(&m, kCopy, t.y, t.dx);               \
  put_counts(#name, " bytes ", poet_ticks() - start, kElements);

static void count_activations(void) {
  const struct tensors t = numbers(kElements, 0, 0, kElements);
  const struct poet_map_copy_spec m = {{kElements, (poet_real)0.01},
                                       copy_of(t.x, 16, kElements / 16)};
  uint32_t start;
  COUNT_MAP(relu)
  COUNT_MAP(relu6)
  COUNT_MAP(leaky_relu)
  COUNT_MAP(sigmoid)
  COUNT_MAP(tanh)
  COUNT_MAP(elu)
  COUNT_MAP(hard_sigmoid)
  COUNT_MAP(hard_swish)
  COUNT_MAP(silu)
  COUNT_MAP(gelu)
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
  count_norms();
  count_attention();
  count_activations();
  return STATUS_OK;
}

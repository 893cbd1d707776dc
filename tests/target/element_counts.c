/* Counts the instructions of kernels other than convolutions and dense layers on the emulated board
 * whose timer counts them. A line for each: NAME PASS TICKS UNITS, where units are elements, but
 * multiply-accumulates for scores and gru, and outputs for max_pool. */
#include <string.h>

#include "clock.h"
#include "counted.h"
#include "startup.h"

enum { kSize = 16384 };

static poet_real a[kSize], b[kSize], c[kSize], y[kSize], w[kSize];
static uint8_t index[kSize];
static uint32_t ticks;

static void begin(void) {
  draw_numbers(a, kSize, 1);
  draw_numbers(b, kSize, 2);
  draw_numbers(c, kSize, 3);
  draw_numbers(w, kSize, 4);
  ticks = poet_ticks();
}

static void report(const char* name, const char* pass, int32_t units) {
  put_counts(name, pass, poet_ticks() - ticks, units);
  begin();
}

static void count_elements(void) {
  const struct poet_group_norm_spec norm = {16, 1, 64, 1, 1, (poet_real)1e-5};
  const struct poet_softmax_spec rows = {16, 64, 1};
  const struct poet_dropout_spec mask = {4096, 1, (poet_real)0.5, {1, 2}};
  const struct poet_pool2d_spec pool = {16, 16, 16, 8, 8, 2, 2, 2, 2, 0, 0, 0};
  const struct poet_sink buffered = {.gradient = y};
  struct poet_optimizer sgd = poet_usual_optimizer(POET_SGD);
  const struct poet_sink update = {.optimizer = &sgd, .parameters = w};
  begin();
  poet_group_norm(&norm, a, w, c, y);
  report("layer_norm", " forward ", 16 * 64);
  poet_group_norm_grad(&norm, a, b, w, b, &buffered);
  report("layer_norm", " gradient ", 16 * 64);
  poet_softmax(&rows, a, y);
  report("softmax", " forward ", 16 * 64);
  poet_softmax_grad(&rows, a, b, y);
  report("softmax", " gradient ", 16 * 64);
  poet_dropout(&mask, a, y);
  report("dropout", " forward ", 4096);
  poet_max_pool2d(&pool, a, y);
  report("max_pool", " forward ", 1024);
  poet_max_pool2d_index(&pool, a, index);
  report("max_pool", " index ", 1024);
  poet_max_pool2d_grad(&pool, index, b, y);
  report("max_pool", " gradient ", 1024);
  poet_update(kSize, a, &update);
  report("buffered_sgd", " update ", kSize);
}

static void count_products(void) {
  const struct poet_recurrent_spec r = {1, 32, 64, 1};
  const int32_t all = 3 * 64 * (64 + 32);
  struct poet_attention_spec heads = {
      .batch = 1, .heads = 2, .queries = 32, .keys = 32, .head_dim = 32};
  const int32_t scores = 2 * 32 * 32 * 32;
  poet_attention_layout(&heads);
  poet_attention_scores(&heads, a, b, y);
  report("scores", " forward ", scores);
  poet_attention_grad_scores(&heads, a, b, c, y);
  report("scores", " gradient ", scores);
  poet_attention_grad_scores(&heads, a, b, c, c);
  report("scores", " gradient_in_place ", scores);
  poet_gru_gates(&r, a, b, w, c, w, c, y);
  report("gru", " gates ", all);
  poet_gru_grad_gates(&r, a, b, c, w, y);
  report("gru", " gradient_of_gates ", 64 * 64);
  poet_gru_grad_h(&r, a, b, c, w, y);
  report("gru", " gradient_of_state ", 3 * 64 * 64);
}

int main(void) {
  clock_start();
  count_elements();
  count_products();
  return STATUS_OK;
}

/* Counts the instructions of an update by Adam on the emulated board whose timer counts them, and
 * compares its square roots with the integer ones: TICKS PARAMETERS DIFFERENT, the last of the
 * roots of floats in steps over all of them, and of the parameters that are updated. */
#include <string.h>

#include "clock.h"
#include "poet_plan.h"
#include "semihosting.h"
#include "startup.h"

enum { kCount = 4096, kSteps = 3 };

static poet_real parameters[kCount], first[kCount], second[kCount], gradient[kCount];
static poet_real same[kCount], same_first[kCount], same_second[kCount];

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Zeros, subnormal numbers, infinities, negative numbers and NaN are among them. */
static uint32_t different_roots(void) {
  const uint32_t edges[] = {0,           1,           0x80000000u, 0x80000001u,
                            0x7f800000u, 0xff800000u, 0x7fc00000u, 0x7f800001u,
                            0xffc00001u, 0x007fffffu, 0x00800000u, 0x7f7fffffu};
  const uint32_t step = 40503, count = 0xffffffffu / step;
  uint32_t i, found = 0;
  for (i = 0; i < count + sizeof edges / sizeof *edges; ++i) {
    const uint32_t bits = i < count ? i * step : edges[i - count];
    float x;
    memcpy(&x, &bits, sizeof x);
    found += bits_of(POET_SQRT(x)) != bits_of(poet_sqrtf(x));
  }
  return found;
}

/* Algorithm 1 of Kingma and Ba (2015) as poet_apply() has it, with roots in integers. */
static void update_same(const struct poet_optimizer* o) {
  int32_t i;
  for (i = 0; i < kCount; ++i) {
    same_first[i] = o->beta1 * same_first[i] + (1.0f - o->beta1) * gradient[i];
    same_second[i] = o->beta2 * same_second[i] + (1.0f - o->beta2) * (gradient[i] * gradient[i]);
    same[i] -=
        o->rate * (same_first[i] / (poet_sqrtf(same_second[i]) / o->root_scale + o->epsilon));
  }
}

int main(void) {
  const int console = host_console();
  struct poet_optimizer optimizer = poet_usual_optimizer(POET_ADAM);
  struct poet_sink sink;
  uint32_t ticks = 0, different = different_roots(), seed = 1;
  int32_t i, step;
  memset(&sink, 0, sizeof sink);
  sink.optimizer = &optimizer;
  sink.parameters = parameters, sink.first = first, sink.second = second;
  clock_start();
  for (step = 0; step < kSteps; ++step) {
    for (i = 0; i < kCount; ++i) {
      seed = seed * 1664525u + 1013904223u;
      gradient[i] = (poet_real)(int32_t)(seed >> 8) / (poet_real)8388608 - (poet_real)1;
    }
    poet_begin_step(&optimizer);
    ticks -= poet_ticks();
    poet_update(kCount, gradient, &sink);
    ticks += poet_ticks();
    update_same(&optimizer);
    poet_end_step(&optimizer);
  }
  for (i = 0; i < kCount; ++i) different += bits_of(same[i]) != bits_of(parameters[i]);
  host_put_decimal(console, ticks);
  host_put(console, " ");
  host_put_decimal(console, kCount * kSteps);
  host_put(console, " ");
  host_put_decimal(console, different);
  host_put(console, "\n");
  return STATUS_OK;
}

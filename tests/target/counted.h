/* What programs that count instructions share: numbers from -1 to 1, and a line of counts. */
#ifndef POET_TESTS_COUNTED_H
#define POET_TESTS_COUNTED_H

#include "poet_runtime.h"
#include "semihosting.h"

static void draw_numbers(poet_real* to, int32_t count, uint32_t seed) {
  int32_t i;
  for (i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    to[i] = (poet_real)(int32_t)(seed >> 8) / (poet_real)8388608 - (poet_real)1;
  }
}

static void put_counts(const char* name, const char* pass, uint32_t ticks, int32_t units) {
  const int console = host_console();
  host_put(console, name);
  host_put(console, pass);
  host_put_decimal(console, ticks);
  host_put(console, " ");
  host_put_decimal(console, (uint32_t)units);
  host_put(console, "\n");
}

#endif

/* The best processor time of some steps of an exported plan, in seconds, and a digest of the
 * parameters that they leave. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "poet_plan.h"

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void* block(size_t bytes) {
  void* made = aligned_alloc(64, bytes / 64 * 64 + 64);
  if (!made) exit(2);
  return made;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 5;
  const void* inputs[POET_INPUT_COUNT + 1];
  const void* targets[POET_TARGET_COUNT + 1];
  struct poet_memory memory = {.arena = block(POET_ARENA_BYTES),
                               .parameters = block(4ul * POET_PARAMETER_COUNT),
                               .moments = block(4ul * POET_MOMENT_COUNT),
                               .kept = block(4ul * POET_KEPT_COUNT),
                               .constants = poet_constants,
                               .inputs = inputs,
                               .targets = targets};
  unsigned long long hash = 1469598103934665603u;
  const unsigned char* byte = (const unsigned char*)memory.parameters;
  double best = 1e9;
  int i;
  if (poet_initialise(&poet_plan, &memory, 1) != POET_OK) return 1;
  for (i = 0; i < POET_INPUT_COUNT; ++i) {
    void* values = block(4ul * (size_t)poet_plan.inputs[i].count);
    poet_fill_input(&poet_plan, i, 1, values);
    inputs[i] = values;
  }
  for (i = 0; i < POET_TARGET_COUNT; ++i) {
    void* values = block(4ul * (size_t)poet_plan.targets[i].count);
    poet_fill_target(&poet_plan, i, 1, values);
    targets[i] = values;
  }
  for (i = 0; i < steps; ++i) {
    const double start = seconds();
    if (poet_step(&poet_plan, &memory, 0) != POET_OK) return 1;
    if (seconds() - start < best) best = seconds() - start;
  }
  for (i = 0; i < 4 * POET_PARAMETER_COUNT; ++i) hash = (hash ^ byte[i]) * 1099511628211u;
  printf("%.9f %016llx\n", best, hash);
  return 0;
}

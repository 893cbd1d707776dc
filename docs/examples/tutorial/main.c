/* Trains for four epochs on samples of x.bin and y.bin, then classifies the other samples. */
#include <stdio.h>
#include <stdlib.h>

#include "poet_inference.h"

enum { kBatch = 16, kPixels = 64, kTrain = 1536, kTest = 256 };

static unsigned char arena[POET_SHARED_ARENA_BYTES] __attribute__((aligned(POET_SHARED_ALIGNMENT)));
static poet_real parameters[POET_PARAMETER_COUNT];
static poet_real running[POET_RUNNING_COUNT];
static float x[(kTrain + kTest) * kPixels];
static int32_t y[kTrain + kTest];

static void load(const char* path, void* to, size_t size, size_t count) {
  FILE* file = fopen(path, "rb");
  if (!file || fread(to, size, count, file) != count) exit(2);
  fclose(file);
}

int main(void) {
  load("x.bin", x, sizeof *x, sizeof x / sizeof *x);
  load("y.bin", y, sizeof *y, sizeof y / sizeof *y);
  struct poet_memory memory = {0};
  memory.arena = arena;
  memory.parameters = parameters;
  memory.constants = poet_constants;
  memory.constant_bytes = poet_constant_bytes;
  memory.running = running;
  if (poet_initialise(&poet_plan, &memory, 1) != POET_OK) return 1;
  memory.optimizer.learning_rate = 0.1F;
  poet_real losses[POET_LOSS_COUNT];
  for (int epoch = 0; epoch < 4; ++epoch) {
    for (int first = 0; first < kTrain; first += kBatch) {
      const void* inputs[] = {x + first * kPixels};
      const void* targets[] = {y + first};
      memory.inputs = inputs;
      memory.targets = targets;
      const int status = poet_step(&poet_plan, &memory, losses);
      if (status) {
        printf("poet_step: %d\n", status);
        return 1;
      }
    }
    printf("epoch %d: loss %f\n", epoch + 1, (double)losses[0]);
  }
  int right = 0;
  for (int i = kTrain; i < kTrain + kTest; ++i) {
    const void* inputs[] = {x + i * kPixels};
    poet_real scores[10];
    poet_real* outputs[] = {scores};
    memory.inputs = inputs;
    const int status = poet_infer(&poet_inference, &memory, outputs, NULL);
    if (status) {
      printf("poet_infer: %d\n", status);
      return 1;
    }
    int best = 0;
    for (int c = 1; c < 10; ++c) best = scores[c] > scores[best] ? c : best;
    right += best == y[i];
  }
  printf("%d of %d right\n", right, kTest);
  return 0;
}

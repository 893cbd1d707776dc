/* Trains on a host and then classifies: STEPS SEED OUTPUTS. Prints the loss of the forward pass,
 * which has the data of the seed, and writes its outputs, one after the other. With -DALONE there
 * is no training: the forward pass is the only plan, and its parameters are constants. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poet_plan.h"
#ifdef ALONE
#define POET_SHARED_ARENA_BYTES POET_ARENA_BYTES
#define POET_SHARED_STORAGE_BYTES POET_STORAGE_BYTES
#define POET_INFERENCE_INPUT_COUNT POET_INPUT_COUNT
#define POET_INFERENCE_TARGET_COUNT POET_TARGET_COUNT
#define POET_INFERENCE_OUTPUT_COUNT POET_OUTPUT_COUNT
#define POET_INFERENCE_LOSS_COUNT POET_LOSS_COUNT
#define poet_inference poet_plan
#else
#include "poet_inference.h"
#endif

static unsigned char storage[POET_SHARED_STORAGE_BYTES + 1];

int poet_page_out(uint32_t offset, const void* from, uint32_t bytes) {
  memcpy(storage + offset, from, bytes);
  return 0;
}

int poet_page_in(uint32_t offset, void* to, uint32_t bytes) {
  memcpy(to, storage + offset, bytes);
  return 0;
}

static void* block(size_t bytes) {
  void* made = aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (!made) exit(9);
  memset(made, 0xa5, bytes);
  return made;
}

static void give_data(const struct poet_plan* plan, uint64_t seed, const void** inputs,
                      const void** targets) {
  int32_t i;
  for (i = 0; i < plan->input_count; ++i) {
    void* values = block(4 * (size_t)plan->inputs[i].count);
    poet_fill_input(plan, i, seed, values);
    inputs[i] = values;
  }
  for (i = 0; i < plan->target_count; ++i) {
    void* values = block(4 * (size_t)plan->targets[i].count);
    poet_fill_target(plan, i, seed, values);
    targets[i] = values;
  }
}

int main(int argc, char** argv) {
  const uint64_t seed = argc > 2 ? strtoul(argv[2], 0, 10) : 1;
  const void* inputs[POET_INFERENCE_INPUT_COUNT + 1];
  const void* targets[POET_INFERENCE_TARGET_COUNT + 1];
  const void* trained_inputs[POET_INPUT_COUNT + 1];
  const void* trained_targets[POET_TARGET_COUNT + 1];
  poet_real losses[POET_INFERENCE_LOSS_COUNT + 1];
  poet_real* outputs[POET_INFERENCE_OUTPUT_COUNT + 1];
  poet_real* again[POET_INFERENCE_OUTPUT_COUNT + 1];
  struct poet_memory memory;
  uint32_t steps;
  double sum = 0;
  FILE* file;
  int32_t i;
  memset(&memory, 0, sizeof memory);
  memory.arena = block(POET_SHARED_ARENA_BYTES);
  memory.constants = poet_constants;
  memory.constant_bytes = poet_constant_bytes;
  give_data(&poet_inference, seed, inputs, targets);
#ifndef ALONE
  memory.parameters = block(sizeof(poet_real) * POET_PARAMETER_COUNT);
  memory.moments = block(sizeof(poet_real) * POET_MOMENT_COUNT);
  memory.kept = block(sizeof(poet_real) * POET_KEPT_COUNT);
  memory.running = block(sizeof(poet_real) * POET_RUNNING_COUNT);
  give_data(&poet_plan, seed, trained_inputs, trained_targets);
  if (poet_initialise(&poet_plan, &memory, seed) != POET_OK) return 7;
  for (steps = (uint32_t)atol(argv[1]); steps > 0; --steps) {
    memory.inputs = trained_inputs;
    memory.targets = trained_targets;
    if (poet_step(&poet_plan, &memory, 0) != POET_OK) return 5;
    /* An inference between two steps changes neither. */
    memory.inputs = inputs;
    memory.targets = targets;
    if (steps % 3 == 0 && poet_infer(&poet_inference, &memory, 0, losses) != POET_OK) return 5;
  }
  if (poet_infer(&poet_plan, &memory, 0, 0) != POET_WRONG_PLAN) return 6;
  if (POET_RUNNING_COUNT > 0) {
    poet_real* const running = memory.running;
    memory.running = 0;
    if (poet_infer(&poet_inference, &memory, 0, 0) != POET_NO_RUNNING) return 6;
    memory.running = running;
  }
#else
  (void)trained_inputs, (void)trained_targets;
#endif
  memory.inputs = inputs;
  memory.targets = targets;
  steps = memory.steps;
  if (poet_step(&poet_inference, &memory, 0) != POET_WRONG_PLAN) return 6;
  for (i = 0; i < poet_inference.output_count; ++i) {
    outputs[i] = block(poet_inference.outputs[i].bytes);
    again[i] = block(poet_inference.outputs[i].bytes);
  }
  if (poet_infer(&poet_inference, &memory, outputs, losses) != POET_OK) return 5;
  for (i = 0; i < poet_inference.loss_count; ++i) sum += (double)losses[i];
  printf("%.17g\n", sum);
  /* A classifier knows no target. */
  if (!poet_inference.reads_losses) memory.targets = 0;
  if (poet_infer(&poet_inference, &memory, again, 0) != POET_OK) return 5;
  if (memory.steps != steps) return 7;
  file = fopen(argv[3], "wb");
  if (!file) return 8;
  for (i = 0; i < poet_inference.output_count; ++i) {
    const uint32_t bytes = poet_inference.outputs[i].bytes;
    if (memcmp(outputs[i], again[i], bytes) != 0) return 7;
    fwrite(outputs[i], 1, bytes, file);
  }
  return fclose(file) == 0 ? 0 : 8;
}

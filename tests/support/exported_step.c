/* Runs an exported step on a host: STEPS SEED GRADIENTS [PAGE_INS [NO_RUNNING]]. Prints the loss of
 * each step and then "instruction,ticks" of the last one, where a tick is an instruction. Writes
 * the gradients of the last step, layer by layer, and running statistics to GRADIENTS.running.
 * After so many page-ins the next one fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poet_plan.h"

static unsigned char storage[POET_STORAGE_BYTES + 1];
static long page_ins_left = -1;

int poet_page_out(uint32_t offset, const void* from, uint32_t bytes) {
  memcpy(storage + offset, from, bytes);
  return 0;
}

int poet_page_in(uint32_t offset, void* to, uint32_t bytes) {
  if (page_ins_left == 0) return 7;
  if (page_ins_left > 0) --page_ins_left;
  memcpy(to, storage + offset, bytes);
  return 0;
}

static uint32_t ticks;
static int32_t numbers[POET_INSTRUCTION_COUNT];
static uint32_t taken[POET_INSTRUCTION_COUNT];
static int32_t finished;

uint32_t poet_ticks(void) {
  return ticks++;
}

void poet_on_instruction(int32_t number, uint32_t passed) {
  numbers[finished] = number;
  taken[finished++] = passed;
}

#ifdef REPLACE_RELU
/* Any other kernel of this name takes the place of the runtime's. */
void poet_relu(const struct poet_map_spec* m, const poet_real* x, poet_real* y) {
  int32_t j;
  for (j = 0; j < m->count; ++j) y[j] = x[j] < 0 ? x[j] / 2 : x[j];
}
#endif

static poet_real* gradients[POET_GROUP_COUNT + 1];

static void keep(void* context, int32_t parameters, int32_t index, poet_real gradient) {
  (void)context;
  gradients[parameters][index] = gradient;
}

static void* block(size_t bytes) {
  void* made = aligned_alloc(64, (bytes / 64 + 1) * 64);
  if (!made) exit(9);
  memset(made, 0xa5, bytes);
  return made;
}

int main(int argc, char** argv) {
  const long steps = argc > 1 ? atol(argv[1]) : 1;
  const uint64_t seed = argc > 2 ? strtoul(argv[2], 0, 10) : 1;
  const void* inputs[POET_INPUT_COUNT + 1];
  const void* targets[POET_TARGET_COUNT + 1];
  poet_real losses[POET_LOSS_COUNT + 1];
  struct poet_memory memory;
  char name[4096];
  FILE* file;
  int32_t i;
  long s;
  if (argc > 4) page_ins_left = atol(argv[4]);
  memset(&memory, 0, sizeof memory);
#ifdef POET_BANK_COUNT
  {
    static void* banks[POET_BANK_COUNT];
    for (i = 0; i < POET_BANK_COUNT; ++i) banks[i] = block(poet_plan.banks[i].bytes);
    memory.banks = banks;
  }
#else
  memory.arena = block(POET_ARENA_BYTES);
#endif
  memory.parameters = block(sizeof(poet_real) * POET_PARAMETER_COUNT);
  memory.constants = poet_constants;
  memory.constant_bytes = poet_constant_bytes;
  memory.moments = block(sizeof(poet_real) * POET_MOMENT_COUNT);
  memory.kept = block(sizeof(poet_real) * POET_KEPT_COUNT);
  memory.running = argc > 5 ? 0 : block(sizeof(poet_real) * POET_RUNNING_COUNT);
  memory.on_gradient = keep;
  for (i = 0; i < poet_plan.input_count; ++i) {
    void* values = block(4 * (size_t)poet_plan.inputs[i].count);
    poet_fill_input(&poet_plan, i, seed, values);
    inputs[i] = values;
  }
  for (i = 0; i < poet_plan.target_count; ++i) {
    void* values = block(4 * (size_t)poet_plan.targets[i].count);
    poet_fill_target(&poet_plan, i, seed, values);
    targets[i] = values;
  }
  for (i = 0; i < poet_plan.group_count; ++i) {
    gradients[i] = block(sizeof(poet_real) * (size_t)poet_plan.parameters[i].count);
  }
  memory.inputs = inputs;
  memory.targets = targets;
  if (poet_initialise(&poet_plan, &memory, seed) != POET_OK) return 7;
  for (s = 0; s < steps; ++s) {
    double sum = 0;
    int status;
    finished = 0;
    status = poet_step(&poet_plan, &memory, losses);
    if (status != POET_OK) {
      printf("status %d at instruction %ld\n", status, (long)memory.failed);
      return 5;
    }
    for (i = 0; i < poet_plan.loss_count; ++i) sum += (double)losses[i];
    printf("%.17g\n", sum);
  }
  for (i = 0; i < finished; ++i) printf("%ld,%lu\n", (long)numbers[i], (unsigned long)taken[i]);
  file = fopen(argc > 3 ? argv[3] : "gradients.bin", "wb");
  if (!file) return 8;
  for (i = 0; i < poet_plan.group_count; ++i) {
    if (!poet_plan.parameters[i].is_trained) continue;
    fwrite(gradients[i], sizeof(poet_real), (size_t)poet_plan.parameters[i].count, file);
  }
  if (fclose(file) != 0) return 8;
  if (!memory.running || argc <= 3) return 0;
  snprintf(name, sizeof name, "%s.running", argv[3]);
  file = fopen(name, "wb");
  if (!file) return 8;
  fwrite(memory.running, sizeof(poet_real), POET_RUNNING_COUNT, file);
  return fclose(file) == 0 ? 0 : 8;
}

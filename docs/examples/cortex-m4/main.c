/* Trains the network that was exported, and writes what the host compares with its own run:
 *   memory ARENA PARAMETERS CONSTANTS        bytes; constants are in flash
 *   step NUMBER LOSS BITS TICKS              the bits of the loss in hexadecimal
 *   gradient NUMBER COUNT LAYER              of the last step; gradients.h says more
 *   output NUMBER BITS...                    of the forward pass that follows, with -DCLASSIFY
 *   failed STEP INSTRUCTION STATUS REASON    the step ended at this instruction of the schedule
 * The host passes PROGRAM STEPS SEED [STORAGE [TICKS [GRADIENTS]]]: how many steps, what parameters
 * and sample follow from, a file to page to, one for what each instruction of the first step took,
 * and one for the gradients of the last step. A dash stands for no file. */
#include <string.h>

#include "clock.h"
#include "gradients.h"
#ifdef CLASSIFY
#include "poet_inference.h"
#endif
#include "poet_plan.h"
#include "poet_runtime.h"
#include "semihosting.h"
#include "startup.h"
#include "storage.h"
#include "ticks.h"

#if POET_INPUT_COUNT != 1 || POET_TARGET_COUNT != 1 || POET_MOMENT_COUNT || POET_KEPT_COUNT
#error "this example trains networks with one input and one target, by plain SGD"
#endif

#ifdef CLASSIFY
/* The forward pass takes the RAM that the training step has left. */
static unsigned char arena[POET_SHARED_ARENA_BYTES] __attribute__((aligned(POET_SHARED_ALIGNMENT)));
static poet_real running[POET_RUNNING_COUNT + 1];
#elif defined(POET_BANK_COUNT)
/* A board with two memories: tensors are where `poet-solve place` has put them. */
#if !defined(POET_ARENA_SSRAM_BYTES) || !defined(POET_ARENA_PSRAM_BYTES)
#error "this example knows two banks, ssram and psram, of which the schedule has to use both"
#endif
static unsigned char ssram[POET_ARENA_SSRAM_BYTES] __attribute__((aligned(POET_ALIGNMENT)));
static unsigned char psram[POET_ARENA_PSRAM_BYTES]
    __attribute__((aligned(POET_ALIGNMENT), section(".psram")));
static void* const banks[POET_BANK_COUNT] = {[POET_BANK_SSRAM] = ssram, [POET_BANK_PSRAM] = psram};
#else
static unsigned char arena[POET_ARENA_BYTES] __attribute__((aligned(POET_ALIGNMENT)));
#endif
#ifdef POET_PARAMETERS_BANK
static poet_real parameters[POET_PARAMETER_COUNT]
    __attribute__((section("." POET_PARAMETERS_BANK)));
#else
static poet_real parameters[POET_PARAMETER_COUNT];
#endif
/* Elements have four bytes, whether they are classes or floats. */
static int32_t target[POET_TARGET_0_COUNT];

static void report_memory(void) {
  const int console = host_console();
  host_put(console, "memory ");
#ifdef POET_BANK_COUNT
  host_put_decimal(console, sizeof ssram + sizeof psram);
#else
  host_put_decimal(console, sizeof arena);
#endif
  host_put(console, " ");
  host_put_decimal(console, sizeof parameters);
  host_put(console, " ");
  host_put_decimal(console, POET_CONSTANT_COUNT * (uint32_t)sizeof(poet_real));
  host_put(console, "\n");
}

static void report_step(uint32_t step, poet_real loss, uint32_t ticks) {
  const int console = host_console();
  uint32_t bits;
  memcpy(&bits, &loss, sizeof bits);
  host_put(console, "step ");
  host_put_decimal(console, step);
  host_put(console, " ");
  host_put_millionths(console, loss);
  host_put(console, " ");
  host_put_hex(console, bits);
  host_put(console, " ");
  host_put_decimal(console, ticks);
  host_put(console, "\n");
}

static void report_failure(uint32_t step, const struct poet_memory* memory, int status) {
  const int console = host_console();
  host_put(console, "failed ");
  host_put_decimal(console, step);
  host_put(console, " ");
  host_put_decimal(console, (uint32_t)memory->failed);
  host_put(console, status < 0 ? " -" : " ");
  host_put_decimal(console, (uint32_t)(status < 0 ? -status : status));
  host_put(console, status == STORAGE_WRITE_FAILED  ? " a page could not be written\n"
                    : status == STORAGE_READ_FAILED ? " a page could not be read\n"
                    : status == POET_NO_STORAGE     ? " there is no storage\n"
                    : status == POET_FUSED ? " products are fused with sums: see POET_CFLAGS\n"
                                           : " unexpected\n");
}

/* Where the step wants its sample. To have it written there takes no RAM besides, as a camera
 * could. The step uses that RAM for other tensors later, so each step is given its sample again. */
static void* place_of_sample(const struct poet_plan* plan, const struct poet_memory* memory) {
  const struct poet_instruction* each = plan->instructions;
  while (each->input != 0) ++each;
  return poet_arena_at(plan, memory, each->offset);
}

#ifdef CLASSIFY
/* Targets are not needed without losses. */
static int classify(struct poet_memory* memory, uint32_t seed) {
  static poet_real output[POET_INFERENCE_OUTPUT_0_COUNT];
  poet_real* outputs[POET_INFERENCE_OUTPUT_COUNT] = {output};
  void* const sample = place_of_sample(&poet_inference, memory);
  const void* const inputs[POET_INFERENCE_INPUT_COUNT] = {sample};
  const int console = host_console();
  int status;
  int32_t i;
  memory->inputs = inputs;
  memory->targets = 0;
  poet_fill_input(&poet_inference, 0, seed, sample);
  status = poet_infer(&poet_inference, memory, outputs, 0);
  if (status != POET_OK) {
    report_failure(memory->steps, memory, status);
    return STATUS_STEP_FAILED;
  }
  host_put(console, "output 0");
  for (i = 0; i < POET_INFERENCE_OUTPUT_0_COUNT; ++i) {
    uint32_t bits;
    memcpy(&bits, &output[i], sizeof bits);
    host_put(console, " ");
    host_put_hex(console, bits);
  }
  host_put(console, "\n");
  return STATUS_OK;
}
#endif

static int train(uint32_t steps, uint32_t seed, const char* ticks_file,
                 const char* gradients_file) {
  const void* const targets[POET_TARGET_COUNT] = {target};
  struct poet_memory memory = {
#ifdef POET_BANK_COUNT
      .banks = banks,
#else
      .arena = arena,
#endif
      .parameters = parameters,
      .constants = poet_constants,
      .constant_bytes = poet_constant_bytes,
#ifdef CLASSIFY
      .running = running,
#endif
      .targets = targets};
  void* const sample = place_of_sample(&poet_plan, &memory);
  const void* const inputs[POET_INPUT_COUNT] = {sample};
  uint32_t step;
  const int is_ready = poet_initialise(&poet_plan, &memory, seed);
  if (is_ready != POET_OK) {
    report_failure(0, &memory, is_ready);
    return STATUS_STEP_FAILED;
  }
  memory.inputs = inputs;
  poet_fill_target(&poet_plan, 0, seed, target);
  for (step = 1; step <= steps; ++step) {
    poet_real loss[POET_LOSS_COUNT];
    int status;
    poet_fill_input(&poet_plan, 0, seed, sample);
    if (ticks_record(step == 1 ? ticks_file : 0) != 0) return STATUS_USAGE;
    if (step == steps && gradients_file && gradients_record(&memory, gradients_file) != 0) {
      return STATUS_USAGE;
    }
    status = poet_step(&poet_plan, &memory, loss);
    if (status != POET_OK) {
      report_failure(step, &memory, status);
      return STATUS_STEP_FAILED;
    }
    report_step(step, loss[0], ticks_end());
  }
  gradients_end(&memory);
#ifdef CLASSIFY
  return classify(&memory, seed);
#else
  return STATUS_OK;
#endif
}

/* A whole number below 2^32; 0 if it is none. */
static uint32_t number_of(const char* word) {
  uint32_t number = 0;
  for (; *word >= '0' && *word <= '9'; ++word) number = 10 * number + (uint32_t)(*word - '0');
  return *word == 0 ? number : 0;
}

/* The file that a word names; 0 for none. */
static const char* path_of(const char* word) {
  return strcmp(word, "-") == 0 ? 0 : word;
}

int main(void) {
  enum { kWords = 6 };
  static char line[1024];
  const char* words[kWords] = {"", "", "", "-", "-", "-"};
  char* rest = line;
  int count;
  if (host_command_line(line, sizeof line) != 0) return STATUS_USAGE;
  for (count = 0; count < kWords && *rest; ++count) {
    words[count] = rest;
    rest += strcspn(rest, " ");
    if (*rest) *rest++ = 0;
  }
  if (count < 3 || *rest || number_of(words[1]) == 0) {
    host_put(host_console(), "usage: PROGRAM STEPS SEED [STORAGE [TICKS [GRADIENTS]]]\n");
    return STATUS_USAGE;
  }
  if (path_of(words[3]) && storage_open(words[3]) != 0) {
    host_put(host_console(), "usage: the storage file cannot be opened\n");
    return STATUS_USAGE;
  }
  report_memory();
  clock_start();
  count = train(number_of(words[1]), number_of(words[2]), path_of(words[4]), path_of(words[5]));
  storage_close();
  return count;
}

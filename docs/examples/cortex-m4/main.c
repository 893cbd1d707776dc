/* Trains the network that was exported, and writes what the host compares with its own run:
 *   memory ARENA PARAMETERS                  bytes
 *   step NUMBER LOSS BITS TICKS              the bits of the loss in hexadecimal
 *   gradient LAYER COUNT SHA256              of the last step
 *   failed STEP INSTRUCTION STATUS REASON    the step ended at this instruction of the schedule
 * The host passes PROGRAM STEPS SEED [STORAGE [TICKS]]: how many steps, what the parameters and the
 * sample follow from, a file to page to (- for none), and a file for what each instruction of the
 * first step took. */
#include <string.h>

#include "clock.h"
#include "poet_plan.h"
#include "poet_runtime.h"
#include "semihosting.h"
#include "sha256.h"
#include "startup.h"
#include "storage.h"
#include "ticks.h"

static unsigned char arena[POET_ARENA_BYTES] __attribute__((aligned(POET_ALIGNMENT)));
static poet_real parameters[POET_PARAMETER_COUNT];
static int32_t target[POET_TARGET_0_COUNT];

/* A digest in the making. Update nodes give the gradient of a layer in the order of its elements
 * ("update": "buffered" in the model), so that it need not be kept. */
struct digest {
  struct sha256 sha;
  int32_t next; /* the element that is due */
  int is_in_order;
};

static void digest_gradient(void* context, int32_t group, int32_t index, poet_real gradient) {
  struct digest* digest = context;
  const struct poet_parameters* of = &poet_plan.parameters[group];
  const int console = host_console();
  char hex[SHA256_HEX];
  if (index == 0) sha256_begin(&digest->sha);
  if (index != (index == 0 ? 0 : digest->next)) digest->is_in_order = 0;
  digest->next = index + 1;
  sha256_add(&digest->sha, &gradient, sizeof gradient);
  if (digest->next < of->count) return;
  sha256_end(&digest->sha, hex);
  host_put(console, "gradient ");
  host_put(console, of->name);
  host_put(console, " ");
  host_put_decimal(console, (uint32_t)of->count);
  host_put(console, " ");
  host_put(console, digest->is_in_order ? hex : "out-of-order");
  host_put(console, "\n");
}

static void report_memory(void) {
  const int console = host_console();
  host_put(console, "memory ");
  host_put_decimal(console, sizeof arena);
  host_put(console, " ");
  host_put_decimal(console, sizeof parameters);
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
                                                    : " unexpected\n");
}

/* Where the step wants its sample. To have it written there takes no RAM besides, as a camera
 * could. The step uses that RAM for other tensors later, so each step is given its sample again. */
static void* place_of_sample(void) {
  const struct poet_instruction* each = poet_plan.instructions;
  while (each->input != 0) ++each;
  return arena + each->offset;
}

static int train(uint32_t steps, uint32_t seed, const char* ticks_file) {
  void* const sample = place_of_sample();
  const void* const inputs[POET_INPUT_COUNT] = {sample};
  const void* const targets[POET_TARGET_COUNT] = {target};
  struct digest digest = {.is_in_order = 1};
  struct poet_memory memory = {
      .arena = arena, .parameters = parameters, .inputs = inputs, .targets = targets};
  uint32_t step;
  poet_initialise(&poet_plan, &memory, seed);
  poet_fill_target(&poet_plan, 0, seed, target);
  memory.context = &digest;
  for (step = 1; step <= steps; ++step) {
    poet_real loss[POET_LOSS_COUNT];
    int status;
    poet_fill_input(&poet_plan, 0, seed, sample);
    if (step == steps) memory.on_gradient = digest_gradient;
    if (ticks_record(step == 1 ? ticks_file : 0) != 0) return STATUS_USAGE;
    status = poet_step(&poet_plan, &memory, loss);
    if (status != POET_OK) {
      report_failure(step, &memory, status);
      return STATUS_STEP_FAILED;
    }
    report_step(step, loss[0], ticks_end());
  }
  return STATUS_OK;
}

/* A whole number below 2^32; 0 if it is none. */
static uint32_t number_of(const char* word) {
  uint32_t number = 0;
  for (; *word >= '0' && *word <= '9'; ++word) number = 10 * number + (uint32_t)(*word - '0');
  return *word == 0 ? number : 0;
}

int main(void) {
  enum { kWords = 5 };
  static char line[1024];
  const char* words[kWords] = {"", "", "", "-", 0};
  char* rest = line;
  int count;
  if (host_command_line(line, sizeof line) != 0) return STATUS_USAGE;
  for (count = 0; count < kWords && *rest; ++count) {
    words[count] = rest;
    rest += strcspn(rest, " ");
    if (*rest) *rest++ = 0;
  }
  if (count < 3 || *rest || number_of(words[1]) == 0) {
    host_put(host_console(), "usage: PROGRAM STEPS SEED [STORAGE [TICKS]]\n");
    return STATUS_USAGE;
  }
  if (strcmp(words[3], "-") != 0 && storage_open(words[3]) != 0) {
    host_put(host_console(), "usage: the storage file cannot be opened\n");
    return STATUS_USAGE;
  }
  report_memory();
  clock_start();
  count = train(number_of(words[1]), number_of(words[2]), words[4]);
  storage_close();
  return count;
}

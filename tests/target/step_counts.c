/* Counts the instructions of a step with one input, one target and plain SGD, on the emulated board
 * whose timer counts them, and how much of the stack the step takes: TICKS STACK BITS, the last of
 * them the bits of the loss. */
#include <string.h>

#include "clock.h"
#include "poet_plan.h"
#include "semihosting.h"
#include "startup.h"

enum { kPaint = 0x5a5a5a5a };

static unsigned char arena[POET_ARENA_BYTES] __attribute__((aligned(POET_ALIGNMENT)));
static poet_real parameters[POET_PARAMETER_COUNT];
static poet_real input[POET_INPUT_0_COUNT];
static int32_t target[POET_TARGET_0_COUNT];

/* The stack grows down from what the linker script calls its end. Only what lies below this
 * function's own frame is painted. */
extern uint32_t stack_end[];
static uint32_t* const kStackBegin = (uint32_t*)0x20000000;

__attribute__((noinline)) static void paint(void) {
  uint32_t* end = (uint32_t*)__builtin_frame_address(0) - 16;
  volatile uint32_t* word;
  for (word = kStackBegin; word < end; ++word) *word = kPaint;
}

__attribute__((noinline)) static uint32_t bytes_taken(const void* top) {
  const volatile uint32_t* word = kStackBegin;
  while (*word == kPaint) ++word;
  return (uint32_t)((const char*)top - (const char*)word);
}

int main(void) {
  const void* const inputs[POET_INPUT_COUNT] = {input};
  const void* const targets[POET_TARGET_COUNT] = {target};
  struct poet_memory memory = {.arena = arena,
                               .parameters = parameters,
                               .constants = poet_constants,
                               .inputs = inputs,
                               .targets = targets};
  poet_real loss[POET_LOSS_COUNT];
  const int console = host_console();
  uint32_t ticks, bits, taken;
  clock_start();
  if (poet_initialise(&poet_plan, &memory, 1) != POET_OK) return STATUS_STEP_FAILED;
  poet_fill_input(&poet_plan, 0, 1, input);
  poet_fill_target(&poet_plan, 0, 1, target);
  paint();
  ticks = poet_ticks();
  if (poet_step(&poet_plan, &memory, loss) != POET_OK) return STATUS_STEP_FAILED;
  ticks = poet_ticks() - ticks;
  taken = bytes_taken(__builtin_frame_address(0));
  memcpy(&bits, loss, sizeof bits);
  host_put_decimal(console, ticks);
  host_put(console, " ");
  host_put_decimal(console, taken);
  host_put(console, " ");
  host_put_hex(console, bits);
  host_put(console, "\n");
  return STATUS_OK;
}

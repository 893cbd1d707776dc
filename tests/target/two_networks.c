/* Trains two networks, exported with names of their own, in one program on the emulated board, in
 * turns. A line for each step of each: NAME BITS, of the loss. */
#include <string.h>

#include "kws_plan.h"
#include "semihosting.h"
#include "startup.h"
#include "vww_plan.h"

static void report(const char* name, const float* loss) {
  uint32_t bits;
  memcpy(&bits, loss, sizeof bits);
  host_put(host_console(), name);
  host_put_hex(host_console(), bits);
  host_put(host_console(), "\n");
}

#define NETWORK(name, NAME)                                                                        \
  static unsigned char name##_arena[NAME##_ARENA_BYTES]                                            \
      __attribute__((aligned(NAME##_ALIGNMENT)));                                                  \
  static float name##_parameters[NAME##_PARAMETER_COUNT], name##_moments[NAME##_MOMENT_COUNT + 1]; \
  static float name##_input[NAME##_INPUT_0_COUNT];                                                 \
  static int32_t name##_target[NAME##_TARGET_0_COUNT];                                             \
  static const void* const name##_inputs[] = {name##_input};                                       \
  static const void* const name##_targets[] = {name##_target};                                     \
  static struct name##_memory name = {.arena = name##_arena,                                       \
                                      .parameters = name##_parameters,                             \
                                      .moments = name##_moments,                                   \
                                      .inputs = name##_inputs,                                     \
                                      .targets = name##_targets};                                  \
  static int name##_begin(void) {                                                                  \
    name##_fill_input(&name##_plan, 0, 1, name##_input);                                           \
    name##_fill_target(&name##_plan, 0, 1, name##_target);                                         \
    return name##_initialise(&name##_plan, &name, 1);                                              \
  }                                                                                                \
  static int name##_train(void) {                                                                  \
    float loss[NAME##_LOSS_COUNT];                                                                 \
    const int status = name##_step(&name##_plan, &name, loss);                                     \
    report(#name " ", loss);                                                                       \
    return status;                                                                                 \
  }

NETWORK(kws, KWS)
NETWORK(vww, VWW)

int main(void) {
  int status = kws_begin(), step;
  if (status == KWS_OK) status = vww_begin();
  for (step = 0; step < 3 && status == KWS_OK; ++step) {
    status = kws_train();
    if (status == KWS_OK) status = vww_train();
  }
  return status == KWS_OK ? STATUS_OK : STATUS_STEP_FAILED;
}

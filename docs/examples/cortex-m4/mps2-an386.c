#include "clock.h"
#include "poet_runtime.h"

/* The first CMSDK timer counts down at 25 MHz. With -icount shift=0 an instruction takes QEMU 1 ns,
 * so that a tick is 40 instructions. */
struct cmsdk_timer {
  uint32_t control, value, reload;
};
static volatile struct cmsdk_timer* const kTimer = (volatile struct cmsdk_timer*)0x40000000;

void clock_start(void) {
  kTimer->reload = UINT32_MAX;
  kTimer->value = UINT32_MAX;
  kTimer->control = 1;
}

uint32_t poet_ticks(void) {
  return UINT32_MAX - kTimer->value;
}

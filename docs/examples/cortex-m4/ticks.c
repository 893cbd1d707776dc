#include "ticks.h"

#include "poet_runtime.h"
#include "semihosting.h"

/* The first CMSDK timer of mps2-an386 counts down at 25 MHz. With -icount shift=0 an instruction
 * takes QEMU 1 ns, so that a tick is 40 instructions. The other board's clock stands still: QEMU
 * has no cycle counter (DWT) for it. */
#ifdef BOARD_MPS2_AN386
static volatile struct { uint32_t control, value, reload; }* const timer = (void*)0x40000000;

void ticks_start(void) {
  timer->reload = UINT32_MAX;
  timer->value = UINT32_MAX;
  timer->control = 1;
}

uint32_t poet_ticks(void) {
  return UINT32_MAX - timer->value;
}
#else
void ticks_start(void) {}
#endif

static int file = -1;
static uint32_t total;

int ticks_record(const char* path) {
  total = 0;
  if (!path) return 0;
  file = host_open(path, HOST_WRITE);
  return file < 0 ? -1 : 0;
}

uint32_t ticks_end(void) {
  if (file >= 0) host_close(file);
  file = -1;
  return total;
}

void poet_on_instruction(int32_t number, uint32_t ticks) {
  total += ticks;
  if (file < 0) return;
  host_put_decimal(file, (uint32_t)number);
  host_put(file, ",");
  host_put_decimal(file, ticks);
  host_put(file, "\n");
}

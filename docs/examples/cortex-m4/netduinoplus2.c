#include "clock.h"
#include "poet_runtime.h"

/* The cycle counter of the debug unit (DWT), as most Cortex-M chips have it. QEMU does not: there
 * it stands still. */
static volatile uint32_t* const kDebugControl = (volatile uint32_t*)0xe000edfc;
static volatile uint32_t* const kCounterControl = (volatile uint32_t*)0xe0001000;
static volatile uint32_t* const kCycles = (volatile uint32_t*)0xe0001004;

void clock_start(void) {
  *kDebugControl |= (uint32_t)1 << 24; /* TRCENA */
  *kCycles = 0;
  *kCounterControl |= 1; /* CYCCNTENA */
}

uint32_t poet_ticks(void) {
  return *kCycles;
}

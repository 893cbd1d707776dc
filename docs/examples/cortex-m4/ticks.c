#include "ticks.h"

#include "poet_runtime.h"
#include "semihosting.h"

static int file = -1;
static uint32_t total;

int ticks_record(const char* path) {
  total = 0;
  if (!path) return 0;
  file = host_open(path, HOST_WRITE);
  if (file < 0) return -1;
  host_put(file, "instruction,ticks\n");
  return 0;
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

#include "gradients.h"

#include <string.h>

#include "poet_plan.h"
#include "semihosting.h"

static int file = -1;

/* Update nodes give the elements of a layer in the order in which they are computed. The host
 * sorts. */
static void send_gradient(void* context, int32_t group, int32_t index, poet_real gradient) {
  uint32_t words[3] = {(uint32_t)group, (uint32_t)index, 0};
  (void)context;
  memcpy(&words[2], &gradient, sizeof gradient);
  host_write(file, words, sizeof words);
}

int gradients_record(struct poet_memory* memory, const char* path) {
  file = host_open(path, HOST_WRITE);
  if (file < 0) return -1;
  memory->on_gradient = send_gradient;
  return 0;
}

void gradients_end(struct poet_memory* memory) {
  const int console = host_console();
  int32_t group;
  if (file < 0) return;
  host_close(file);
  file = -1;
  memory->on_gradient = 0;
  for (group = 0; group < POET_GROUP_COUNT; ++group) {
    if (!poet_plan.parameters[group].is_trained) continue;
    host_put(console, "gradient ");
    host_put_decimal(console, (uint32_t)group);
    host_put(console, " ");
    host_put_decimal(console, (uint32_t)poet_plan.parameters[group].count);
    host_put(console, " ");
    host_put(console, poet_plan.parameters[group].name);
    host_put(console, "\n");
  }
}

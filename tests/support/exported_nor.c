/* A step that pages to a model of a NOR flash chip, and saves its states there while the power is
 * cut. Prints the losses, then how often the most worn sector was erased. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nor_chip.h"
#include "poet_plan.h"
#include "poet_state.h"
#include "storage_nor.h"

#define EXPECT(condition)                            \
  do {                                               \
    if (!(condition)) {                              \
      printf("line %d: %s\n", __LINE__, #condition); \
      exit(1);                                       \
    }                                                \
  } while (0)

static _Alignas(64) unsigned char arena[POET_ARENA_BYTES];
static poet_real parameters[POET_PARAMETER_COUNT], saved[POET_PARAMETER_COUNT],
    older[POET_PARAMETER_COUNT];
static poet_real input[POET_INPUT_0_COUNT];
static int32_t target[POET_TARGET_0_COUNT];

/* Cuts the power after some of the bytes that a save changes. */
static void cut_saves(struct poet_memory* memory, uint32_t slot) {
  static uint8_t before[sizeof nor_chip];
  const long all = (long)slot + (long)poet_state_bytes(&poet_plan, memory);
  long cut;
  EXPECT(poet_save(&poet_plan, memory, slot) == POET_OK);
  memcpy(older, parameters, sizeof older);
  EXPECT(poet_step(&poet_plan, memory, 0) == POET_OK);
  memcpy(saved, parameters, sizeof saved);
  memcpy(before, nor_chip, sizeof before);
  for (cut = 0; cut <= all; cut += cut < all - 40 ? 211 : 1) {
    memcpy(nor_chip, before, sizeof before);
    memcpy(parameters, saved, sizeof saved);
    nor_chip_bytes_left = cut;
    (void)poet_save(&poet_plan, memory, slot);
    nor_chip_bytes_left = -1;
    EXPECT(poet_load(&poet_plan, memory, slot) == POET_OK);
    EXPECT(memcmp(parameters, cut < all ? older : saved, sizeof saved) == 0);
  }
}

int main(void) {
  static uint32_t wear[NOR_CHIP_SECTORS];
  const struct nor_area area = {
      .storage = 4096, .states = 32 * 4096, .sectors = NOR_CHIP_SECTORS, .wear = wear};
  const void* const inputs[] = {input};
  const void* const targets[] = {target};
  struct poet_memory memory = {.arena = arena,
                               .parameters = parameters,
                               .constants = poet_constants,
                               .inputs = inputs,
                               .targets = targets};
  const uint32_t slot = (poet_state_bytes(&poet_plan, &memory) + 4095) / 4096 * 4096;
  poet_real losses[POET_LOSS_COUNT];
  int i;
  EXPECT(POET_STORAGE_BYTES <= 31 * 4096 && 2 * slot <= 32 * 4096);
  memset(nor_chip, 0x5a, sizeof nor_chip);
  nor_use(&area);
  EXPECT(poet_initialise(&poet_plan, &memory, 1) == POET_OK);
  poet_fill_input(&poet_plan, 0, 1, input);
  poet_fill_target(&poet_plan, 0, 1, target);
  for (i = 0; i < 3; ++i) {
    EXPECT(poet_step(&poet_plan, &memory, losses) == POET_OK);
    printf("%.17g\n", (double)losses[0]);
  }
  EXPECT(nor_chip_mistakes == 0);
  EXPECT(memcmp(wear, nor_chip_erasures, sizeof wear) == 0);
  printf("%u\n", (unsigned)nor_most_worn());
  EXPECT(poet_page_out(1, input, 4) == NOR_MISPLACED);
  EXPECT(poet_page_in(NOR_CHIP_SECTORS * 4096u, input, 4) == NOR_MISPLACED);
  cut_saves(&memory, slot);
  EXPECT(nor_chip_mistakes == 0);
  return 0;
}

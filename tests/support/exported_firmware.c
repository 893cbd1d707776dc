/* What firmware does beside whole steps, with an exported step of one input of floats and one
 * target. Ends with 0, or with the number of the line that found something else than it expected.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poet_plan.h"
#include "poet_state.h"

#define EXPECT(condition)                            \
  do {                                               \
    if (!(condition)) {                              \
      printf("line %d: %s\n", __LINE__, #condition); \
      exit(1);                                       \
    }                                                \
  } while (0)

enum { kStateRoom = 1 << 16 };

/* All that a training owns. */
struct training {
  _Alignas(64) unsigned char arena[POET_ARENA_BYTES];
  poet_real parameters[POET_PARAMETER_COUNT], moments[POET_MOMENT_COUNT + 1],
      running[POET_RUNNING_COUNT + 1];
  poet_real input[POET_INPUT_0_COUNT];
  int32_t target[POET_TARGET_0_COUNT];
  const void* inputs[1];
  const void* targets[1];
  struct poet_memory memory;
};

static struct training* begin(uint64_t seed) {
  struct training* t = aligned_alloc(64, (sizeof *t + 63) / 64 * 64);
  EXPECT(t);
  memset(t, 0, sizeof *t);
  t->inputs[0] = t->input;
  t->targets[0] = t->target;
  t->memory.arena = t->arena;
  t->memory.parameters = t->parameters;
  t->memory.moments = t->moments;
  t->memory.running = t->running;
  t->memory.constants = poet_constants;
  t->memory.inputs = t->inputs;
  t->memory.targets = t->targets;
  EXPECT(poet_initialise(&poet_plan, &t->memory, seed) == POET_OK);
  poet_fill_input(&poet_plan, 0, seed, t->input);
  poet_fill_target(&poet_plan, 0, seed, t->target);
  return t;
}

static int is_same(const struct training* a, const struct training* b) {
  return memcmp(a->parameters, b->parameters, sizeof a->parameters) == 0 &&
         memcmp(a->moments, b->moments, sizeof a->moments) == 0 &&
         memcmp(a->running, b->running, sizeof a->running) == 0 &&
         a->memory.steps == b->memory.steps &&
         memcmp(&a->memory.optimizer, &b->memory.optimizer, sizeof a->memory.optimizer) == 0;
}

static void step(struct training* t) {
  EXPECT(poet_step(&poet_plan, &t->memory, 0) == POET_OK);
}

/* An instruction at a time gives the bits of a whole step. */
static void run_by_instruction(void) {
  struct training *a = begin(1), *b = begin(1);
  poet_real of_a[POET_LOSS_COUNT], of_b[POET_LOSS_COUNT];
  int i;
  EXPECT(poet_step_next(&poet_plan, &b->memory, of_b) == POET_NO_STEP);
  for (i = 0; i < 3; ++i) {
    int32_t calls = 0;
    EXPECT(poet_step(&poet_plan, &a->memory, of_a) == POET_OK);
    EXPECT(poet_step_begin(&poet_plan, &b->memory) == POET_OK);
    EXPECT(poet_save(&poet_plan, &b->memory, kStateRoom / 2) == POET_NO_STEP);
    while (b->memory.under_way) {
      EXPECT(poet_step_next(&poet_plan, &b->memory, of_b) == POET_OK);
      ++calls;
    }
    EXPECT(calls == POET_INSTRUCTION_COUNT);
    EXPECT(memcmp(of_a, of_b, sizeof of_a) == 0 && is_same(a, b));
  }
  free(a), free(b);
}

/* Bytes with a scale are the floats that they stand for. */
static void run_bytes(void) {
  static uint8_t bytes[POET_INPUT_0_COUNT];
  int is_signed, i;
  for (is_signed = 0; is_signed < 2; ++is_signed) {
    struct training *a = begin(2), *b = begin(2);
    const struct poet_byte_input as_bytes = {is_signed, is_signed ? -3 : 128, 0.03125f};
    for (i = 0; i < POET_INPUT_0_COUNT; ++i) {
      bytes[i] = (uint8_t)(i * 37 % 256);
      a->input[i] =
          as_bytes.scale * (float)((is_signed ? (int8_t)bytes[i] : (int)bytes[i]) - as_bytes.zero);
    }
    b->inputs[0] = bytes;
    b->memory.byte_inputs = &as_bytes;
    step(a), step(b);
    EXPECT(is_same(a, b));
    b->inputs[0] = a->input;
    b->memory.byte_inputs = 0;
    step(a), step(b);
    EXPECT(is_same(a, b));
    free(a), free(b);
  }
}

/* A learning rate for each call; what is limited and what decays changes the bits, and 0 does not.
 */
static void run_rates(void) {
  struct training *a = begin(3), *b = begin(3);
  poet_real before[POET_PARAMETER_COUNT];
  a->memory.optimizer.learning_rate = 0;
  memcpy(before, a->parameters, sizeof before);
  step(a);
  EXPECT(memcmp(before, a->parameters, sizeof before) == 0);
  a->memory.optimizer.learning_rate = b->memory.optimizer.learning_rate;
  step(a), step(b);
  EXPECT(memcmp(before, a->parameters, sizeof before) != 0);
  free(a), free(b);
  a = begin(3), b = begin(3);
  b->memory.optimizer.largest_gradient = 1e30f;
  step(a), step(b);
  EXPECT(memcmp(a->parameters, b->parameters, sizeof before) == 0);
  b->memory.optimizer.largest_gradient = 1e-6f;
  step(a), step(b);
  EXPECT(memcmp(a->parameters, b->parameters, sizeof before) != 0);
  free(a), free(b);
}

/* ---- saving, with a power cut after any byte ---- */

static unsigned char stored[kStateRoom];
static long bytes_left = -1; /* until the cut; -1: none comes */
static int erases;

int poet_state_write(uint32_t offset, const void* from, uint32_t bytes) {
  const unsigned char* at = from;
  EXPECT(offset + bytes <= kStateRoom);
  for (; bytes > 0; --bytes) {
    if (bytes_left == 0) return 99;
    if (bytes_left > 0) --bytes_left;
    stored[offset++] = *at++;
  }
  return POET_OK;
}

int poet_state_read(uint32_t offset, void* to, uint32_t bytes) {
  EXPECT(offset + bytes <= kStateRoom);
  memcpy(to, stored + offset, bytes);
  return POET_OK;
}

int poet_state_erase(uint32_t offset, uint32_t bytes) {
  if (!erases) return POET_OK;
  for (; bytes > 0; --bytes) {
    if (bytes_left == 0) return 99;
    if (bytes_left > 0) --bytes_left;
    stored[offset++] = 0xff;
  }
  return POET_OK;
}

static void cut_every_save(uint32_t slot) {
  static unsigned char before[kStateRoom];
  struct training *older = begin(4), *newer = begin(4), *found = begin(5);
  const long all = (long)poet_state_bytes(&poet_plan, &older->memory) + (erases ? (long)slot : 0);
  long cut;
  memset(stored, 0x5a, sizeof stored);
  bytes_left = -1;
  EXPECT(poet_load(&poet_plan, &found->memory, slot) == POET_NO_STATE);
  EXPECT(is_same(found, begin(5)));
  EXPECT(poet_save(&poet_plan, &older->memory, slot) == POET_OK);
  step(older), step(newer);
  EXPECT(poet_save(&poet_plan, &older->memory, slot) == POET_OK);
  step(newer);
  memcpy(before, stored, sizeof before);
  for (cut = 0; cut <= all; ++cut) {
    int status;
    memcpy(stored, before, sizeof before);
    bytes_left = cut;
    status = poet_save(&poet_plan, &newer->memory, slot);
    EXPECT(status == (cut < all ? 99 : POET_OK));
    bytes_left = -1;
    memset(found->parameters, 0, sizeof found->parameters);
    EXPECT(poet_load(&poet_plan, &found->memory, slot) == POET_OK);
    EXPECT(is_same(found, cut < all ? older : newer));
    EXPECT(found->memory.seed == 4);
  }
  /* What goes on from there is what would have gone on. */
  step(newer), step(found);
  found->memory.inputs = newer->memory.inputs;
  free(older), free(newer), free(found);
}

static void refuse_other_states(uint32_t slot) {
  struct training *t = begin(6), *same = begin(6);
  struct poet_plan other = poet_plan;
  other.hash ^= 1;
  memset(stored, 0, sizeof stored);
  EXPECT(poet_save(&other, &t->memory, slot) == POET_OK);
  step(t);
  step(same);
  EXPECT(poet_load(&poet_plan, &t->memory, slot) == POET_OTHER_STATE && is_same(t, same));
  EXPECT(poet_save(&poet_plan, &t->memory, poet_state_bytes(&poet_plan, &t->memory) - 1) ==
         POET_NO_MEMORY);
  free(t), free(same);
}

int main(void) {
  const uint32_t slot = kStateRoom / 2;
  EXPECT(sizeof stored >= 2 * slot);
  run_by_instruction();
  run_bytes();
  run_rates();
  for (erases = 0; erases < 2; ++erases) cut_every_save(slot);
  refuse_other_states(slot);
  return 0;
}

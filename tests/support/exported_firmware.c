/* What firmware does beside whole steps, with an exported step of one input of floats and one
 * target. Ends with 0, or with the number of the line that found something else than it expected.
 */
#include <math.h>
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

enum { kStateRoom = 1 << 16, kPageFailed = 77, kUnreadable = 55 };

/* All that a training owns. */
struct training {
  _Alignas(64) unsigned char arena[POET_ARENA_BYTES];
  poet_real parameters[POET_PARAMETER_COUNT], moments[POET_MOMENT_COUNT + 1],
      running[POET_RUNNING_COUNT + 1], kept[POET_KEPT_COUNT + 1];
  poet_real input[POET_INPUT_0_COUNT];
  int32_t target[POET_TARGET_0_COUNT];
  const void* inputs[1];
  const void* targets[1];
  struct poet_memory memory;
};

static unsigned char pages[POET_STORAGE_BYTES + 1];
static long transfers_left = -1; /* until one fails; -1: none does */

static int transfer(void* to, const void* from, uint32_t bytes) {
  if (transfers_left == 0) return kPageFailed;
  if (transfers_left > 0) --transfers_left;
  memcpy(to, from, bytes);
  return POET_OK;
}

int poet_page_out(uint32_t offset, const void* from, uint32_t bytes) {
  return transfer(pages + offset, from, bytes);
}

int poet_page_in(uint32_t offset, void* to, uint32_t bytes) {
  return transfer(to, pages + offset, bytes);
}

/* What interrupts find at work: all that would change it is refused. */
static struct poet_memory* at_work;
static long interrupts;

static void interrupt(void) {
  if (!at_work) return;
  ++interrupts;
  EXPECT(poet_step_begin(&poet_plan, at_work) == POET_UNDER_WAY);
  EXPECT(poet_step_next(&poet_plan, at_work, 0) == POET_UNDER_WAY);
  EXPECT(poet_step(&poet_plan, at_work, 0) == POET_UNDER_WAY);
  EXPECT(poet_infer(&poet_plan, at_work, 0, 0) == POET_UNDER_WAY);
  EXPECT(poet_save(&poet_plan, at_work, kStateRoom / 2) == POET_UNDER_WAY);
  EXPECT(poet_load(&poet_plan, at_work, kStateRoom / 2) == POET_UNDER_WAY);
}

void poet_on_instruction(int32_t number, uint32_t ticks) {
  (void)number, (void)ticks;
  interrupt();
}

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
  t->memory.kept = t->kept;
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
    EXPECT(poet_step_begin(&poet_plan, &b->memory) == POET_UNDER_WAY);
    EXPECT(poet_step(&poet_plan, &b->memory, of_b) == POET_UNDER_WAY);
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

/* With what a step changes put back, the step that failed is done again. One that is given up
 * before its first instruction leaves nothing. */
static void retry_failed_steps(void) {
  long fails, failed = 1;
  for (fails = 0; failed; ++fails) {
    struct training *a = begin(8), *b = begin(8);
    int i;
    failed = 0;
    for (i = 0; i < 4; ++i) {
      const struct training before = *b;
      int status;
      step(a);
      if (i == 2) transfers_left = fails;
      status = poet_step(&poet_plan, &b->memory, 0);
      transfers_left = -1;
      if (status != POET_OK) {
        EXPECT(status == kPageFailed && i == 2 && b->memory.failed >= 0);
        memcpy(b->parameters, before.parameters, sizeof before.parameters);
        memcpy(b->moments, before.moments, sizeof before.moments);
        memcpy(b->running, before.running, sizeof before.running);
        failed = 1;
        EXPECT(poet_step_begin(&poet_plan, &b->memory) == POET_OK);
        b->memory.under_way = 0;
        step(b);
      }
      EXPECT(is_same(a, b));
    }
    free(a), free(b);
  }
  EXPECT(fails > 2);
}

/* A label that is no class, and an input that is no number, end no training: nothing is changed. */
static void refuse_bad_data(void) {
  struct training *a = begin(9), *b = begin(9);
  const int32_t labels[] = {-1, 3, INT32_MAX, INT32_MIN};
  const uint32_t bits[] = {0x7f800001, 0x7fc00000, 0xffffffff, 0xff800001};
  const int32_t places[] = {0, POET_INPUT_0_COUNT - 1};
  const poet_real infinity = HUGE_VALF;
  int i;
  for (i = 0; i < 4; ++i) {
    const int32_t label = b->target[1];
    b->target[1] = labels[i];
    EXPECT(poet_step(&poet_plan, &b->memory, 0) == POET_BAD_DATA && is_same(a, b));
    b->target[1] = label;
    const poet_real number = b->input[places[i % 2]];
    memcpy(&b->input[places[i % 2]], &bits[i], sizeof bits[i]);
    EXPECT(poet_step_begin(&poet_plan, &b->memory) == POET_BAD_DATA && is_same(a, b));
    b->input[places[i % 2]] = number;
  }
  step(a), step(b);
  EXPECT(is_same(a, b));
  b->input[0] = infinity;
  step(b);
  free(a), free(b);
}

static void refuse_interrupts(void) {
  struct training *a = begin(10), *b = begin(10);
  int32_t i;
  step(a), step(a);
  at_work = &b->memory;
  interrupts = 0;
  step(b);
  EXPECT(poet_step_begin(&poet_plan, &b->memory) == POET_OK);
  for (i = 0; i < POET_INSTRUCTION_COUNT; ++i) {
    EXPECT(poet_step_next(&poet_plan, &b->memory, 0) == POET_OK);
  }
  EXPECT(interrupts == 2 * POET_INSTRUCTION_COUNT && is_same(a, b));
  EXPECT(poet_save(&poet_plan, &b->memory, kStateRoom / 2) == POET_OK);
  EXPECT(poet_load(&poet_plan, &b->memory, kStateRoom / 2) == POET_OK);
  EXPECT(interrupts > 2 * POET_INSTRUCTION_COUNT && is_same(a, b));
  at_work = 0;
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
static int unreadable[2];    /* slots */
static long reads_left = -1; /* until one fails */

int poet_state_write(uint32_t offset, const void* from, uint32_t bytes) {
  const unsigned char* at = from;
  EXPECT(offset + bytes <= kStateRoom);
  interrupt();
  for (; bytes > 0; --bytes) {
    if (bytes_left == 0) return 99;
    if (bytes_left > 0) --bytes_left;
    stored[offset++] = *at++;
  }
  return POET_OK;
}

int poet_state_read(uint32_t offset, void* to, uint32_t bytes) {
  EXPECT(offset + bytes <= kStateRoom);
  interrupt();
  if (unreadable[offset / (kStateRoom / 2)] || reads_left-- == 0) return kUnreadable;
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

/* A slot that cannot be read is no state, and what is saved goes there. */
static void read_one_of_two(uint32_t slot) {
  struct training *older = begin(11), *newer = begin(11), *found = begin(12);
  int bad;
  long read;
  memset(stored, 0, sizeof stored);
  for (bad = 0; bad < 2; ++bad) {
    EXPECT(poet_save(&poet_plan, &older->memory, slot) == POET_OK);
    step(newer);
    EXPECT(poet_save(&poet_plan, &newer->memory, slot) == POET_OK);
    for (read = 0;; ++read) { /* each read fails once */
      reads_left = read;
      EXPECT(poet_load(&poet_plan, &found->memory, slot) == POET_OK);
      EXPECT(is_same(found, older) || is_same(found, newer));
      if (reads_left >= 0) break;
    }
    EXPECT(read > 8);
    reads_left = -1;
    unreadable[1] = 1;
    EXPECT(poet_load(&poet_plan, &found->memory, slot) == POET_OK && is_same(found, older));
    unreadable[0] = 1;
    EXPECT(poet_load(&poet_plan, &found->memory, slot) == kUnreadable);
    EXPECT(poet_save(&poet_plan, &found->memory, slot) == kUnreadable);
    unreadable[0] = 0;
    step(newer);
    EXPECT(poet_save(&poet_plan, &newer->memory, slot) == POET_OK);
    unreadable[1] = 0;
    EXPECT(poet_load(&poet_plan, &found->memory, slot) == POET_OK && is_same(found, newer));
    step(older), step(older);
    unreadable[0] = 1;
    EXPECT(poet_load(&poet_plan, &found->memory, slot) == POET_OK && is_same(found, newer));
    unreadable[0] = 0;
  }
  free(older), free(newer), free(found);
}

/* With an argument: data that has to be refused, and nothing else. */
int main(int count, char **words) {
  const uint32_t slot = kStateRoom / 2;
  (void)words;
  if (count > 1) {
    refuse_bad_data();
    return 0;
  }
  EXPECT(sizeof stored >= 2 * slot);
  run_by_instruction();
  retry_failed_steps();
  refuse_interrupts();
  run_bytes();
  run_rates();
  for (erases = 0; erases < 2; ++erases) cut_every_save(slot);
  refuse_other_states(slot);
  read_one_of_two(slot);
  return 0;
}

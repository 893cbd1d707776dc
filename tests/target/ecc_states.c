/* Saves of an exported step in flash with ECC, as several microcontrollers have it, on the emulated
 * board: words of eight bytes that are written once after an erasure, and whose reads fail after a
 * write or an erasure that the power cut. Prints CUTS OLDER NEWER ERRORS MISTAKES: after each cut
 * the older or the newer state is loaded, the next save works, and reads that fail are not rare. */
#include <string.h>

#include "poet_plan.h"
#include "poet_state.h"
#include "semihosting.h"
#include "startup.h"

enum { kWord = 8, kWords = 512, kSlot = kWord * kWords / 2, kCut = 99, kEcc = 55 };

static unsigned char flash[kWord * kWords];
static enum { IS_TORN, IS_ERASED, IS_WRITTEN } words[kWords];
static long changes_left = -1; /* of words until the power is cut; -1: it is not */
static uint32_t errors, mistakes;

/* What is not a whole word yet; `at` is where it goes. */
static unsigned char pending[kWord];
static uint32_t pending_at, pending_bytes;

static int change(uint32_t word, const unsigned char* to) {
  if (changes_left == 0) {
    words[word] = IS_TORN;
    flash[word * kWord] ^= 0x55;
    return kCut;
  }
  if (changes_left > 0) --changes_left;
  memset(flash + word * kWord, 0xff, kWord);
  if (to) memcpy(flash + word * kWord, to, kWord);
  words[word] = to ? IS_WRITTEN : IS_ERASED;
  return POET_OK;
}

static int write_pending(void) {
  const uint32_t word = pending_at / kWord;
  if (pending_bytes == 0) return POET_OK;
  memset(pending + pending_bytes, 0xff, kWord - pending_bytes);
  pending_bytes = 0;
  mistakes += words[word] != IS_ERASED || pending_at % kWord != 0;
  return change(word, pending);
}

/* Writes go upwards but for the head, which comes last: then the rest of the state is complete. */
int poet_state_write(uint32_t offset, const void* from, uint32_t bytes) {
  const unsigned char* each = from;
  int status = pending_at + pending_bytes == offset ? POET_OK : write_pending();
  for (; bytes > 0 && status == POET_OK; --bytes, ++offset) {
    if (pending_bytes == 0) pending_at = offset;
    pending[pending_bytes++] = *each++;
    if (pending_bytes == kWord) status = write_pending();
  }
  return status;
}

int poet_state_read(uint32_t offset, void* to, uint32_t bytes) {
  uint32_t word;
  for (word = offset / kWord; word <= (offset + bytes - 1) / kWord; ++word) {
    if (words[word] != IS_TORN) continue;
    ++errors;
    return kEcc;
  }
  memcpy(to, flash + offset, bytes);
  return POET_OK;
}

int poet_state_erase(uint32_t offset, uint32_t bytes) {
  uint32_t word;
  int status = POET_OK;
  pending_bytes = 0;
  for (word = offset / kWord; word < (offset + bytes) / kWord && status == POET_OK; ++word) {
    status = change(word, 0);
  }
  return status;
}

static unsigned char arena[POET_ARENA_BYTES] __attribute__((aligned(POET_ALIGNMENT)));
static poet_real parameters[POET_PARAMETER_COUNT], older[POET_PARAMETER_COUNT],
    newer[POET_PARAMETER_COUNT];
static poet_real input[POET_INPUT_0_COUNT];
static int32_t target[POET_TARGET_0_COUNT];

static void put(uint32_t number) {
  host_put_decimal(host_console(), number);
  host_put(host_console(), " ");
}

/* Two saves, of which the second one is cut, then a load and a save without a cut. */
static int cut_save(struct poet_memory* memory, long cut, uint32_t* found) {
  int status = poet_save(&poet_plan, memory, kSlot);
  memcpy(older, parameters, sizeof older);
  if (status == POET_OK) status = poet_step(&poet_plan, memory, 0);
  if (status != POET_OK) return status;
  memcpy(newer, parameters, sizeof newer);
  changes_left = cut;
  status = poet_save(&poet_plan, memory, kSlot);
  changes_left = -1;
  memset(parameters, 0, sizeof parameters);
  if (poet_load(&poet_plan, memory, kSlot) != POET_OK) return kEcc;
  found[0] += status == kCut && memcmp(parameters, older, sizeof older) == 0;
  found[1] += memcmp(parameters, newer, sizeof newer) == 0;
  return status == kCut ? POET_OK : status;
}

int main(void) {
  const void* const inputs[] = {input};
  const void* const targets[] = {target};
  struct poet_memory memory = {
      .arena = arena, .parameters = parameters, .inputs = inputs, .targets = targets};
  uint32_t found[2] = {0, 0};
  long cut, cuts;
  if (poet_initialise(&poet_plan, &memory, 1) != POET_OK) return STATUS_STEP_FAILED;
  poet_fill_input(&poet_plan, 0, 1, input);
  poet_fill_target(&poet_plan, 0, 1, target);
  if (poet_state_erase(0, sizeof flash) != POET_OK) return STATUS_STEP_FAILED;
  cuts = kWords / 2 + (long)(poet_state_bytes(&poet_plan, &memory) + kWord - 1) / kWord;
  for (cut = 0; cut <= cuts; ++cut) {
    if (cut_save(&memory, cut, found) != POET_OK) return STATUS_STEP_FAILED;
  }
  put((uint32_t)cuts), put(found[0]), put(found[1]), put(errors), put(mistakes);
  host_put(host_console(), "\n");
  return STATUS_OK;
}

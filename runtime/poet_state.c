/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_state.h"

#include <stddef.h>
#include <string.h>

POET_HOOK int poet_state_write(uint32_t offset, const void* from, uint32_t bytes) {
  (void)offset, (void)from, (void)bytes;
  return POET_NO_STORAGE;
}

POET_HOOK int poet_state_read(uint32_t offset, void* to, uint32_t bytes) {
  (void)offset, (void)to, (void)bytes;
  return POET_NO_STORAGE;
}

POET_HOOK int poet_state_erase(uint32_t offset, uint32_t bytes) {
  (void)offset, (void)bytes;
  return POET_OK;
}

static const uint32_t kMagic = 0x54454f50u; /* POET */
static const uint32_t kVersion = 1;

/* The first bytes of a slot, written last. */
struct head {
  uint32_t magic, version, plan, number; /* of two states, the newer one has the next number */
  uint32_t bytes, check;                 /* of what follows */
  uint32_t unused;
  uint32_t head_check; /* of all before it */
};

/* CRC-32 as in zip and Ethernet, a bit at a time: storage is slower. */
static uint32_t checksum(uint32_t sum, const void* from, uint32_t bytes) {
  const unsigned char* at = from;
  int bit;
  sum = ~sum;
  for (; bytes > 0; --bytes) {
    sum ^= *at++;
    for (bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
  }
  return ~sum;
}

/* What a state is made of, one part behind the other. */
struct part {
  void* at;
  uint32_t bytes;
};

struct scalars {
  struct poet_optimizer optimizer;
  uint32_t seed_low, seed_high, steps;
};

enum { kParts = 4 };

static uint32_t list_parts(const struct poet_plan* plan, const struct poet_memory* memory,
                           struct scalars* scalars, struct part* parts) {
  const uint32_t size = sizeof(poet_real);
  uint32_t sum = 0;
  int i;
  parts[0].at = scalars;
  parts[0].bytes = sizeof *scalars;
  parts[1].at = memory->parameters;
  parts[1].bytes = size * (uint32_t)plan->parameter_count;
  parts[2].at = memory->moments;
  parts[2].bytes = size * (uint32_t)plan->moment_count;
  parts[3].at = memory->running;
  parts[3].bytes = memory->running ? size * (uint32_t)plan->running_count : 0;
  for (i = 0; i < kParts; ++i) sum += parts[i].bytes;
  return sum;
}

uint32_t poet_state_bytes(const struct poet_plan* plan, const struct poet_memory* memory) {
  struct part parts[kParts];
  return (uint32_t)sizeof(struct head) + list_parts(plan, memory, 0, parts);
}

/* Whether there is a whole state in a slot; then `head` is its head. */
static int read_head(uint32_t offset, uint32_t slot_bytes, struct head* head, int* is_whole) {
  unsigned char piece[64];
  uint32_t at, sum = 0;
  int status = poet_state_read(offset, head, sizeof *head);
  *is_whole = 0;
  if (status != POET_OK) return status;
  if (head->magic != kMagic || head->version != kVersion ||
      head->head_check != checksum(0, head, offsetof(struct head, head_check)) ||
      head->bytes > slot_bytes - sizeof *head) {
    return POET_OK;
  }
  for (at = 0; at < head->bytes; at += sizeof piece) {
    const uint32_t rest = head->bytes - at;
    const uint32_t bytes = rest < sizeof piece ? rest : (uint32_t)sizeof piece;
    status = poet_state_read(offset + (uint32_t)sizeof *head + at, piece, bytes);
    if (status != POET_OK) return status;
    sum = checksum(sum, piece, bytes);
  }
  *is_whole = sum == head->check;
  return POET_OK;
}

/* Both slots. */
struct slots {
  struct head heads[2];
  int is_whole[2];
};

/* A slot that cannot be read has no state: flash with ECC refuses a word whose write was cut. */
static int read_slots(uint32_t slot_bytes, struct slots* slots) {
  int status[2], i;
  for (i = 0; i < 2; ++i) {
    status[i] =
        read_head((uint32_t)i * slot_bytes, slot_bytes, &slots->heads[i], &slots->is_whole[i]);
  }
  return status[0] == POET_OK ? POET_OK : status[1];
}

/* The slot with the newest state, or -1. Numbers may wrap around. */
static int newest_of(const struct slots* slots) {
  if (!slots->is_whole[0] || !slots->is_whole[1]) {
    return slots->is_whole[0] ? 0 : slots->is_whole[1] ? 1 : -1;
  }
  return slots->heads[1].number - slots->heads[0].number < 0x80000000u;
}

static int expect_complete(const struct poet_plan* plan, const struct poet_memory* memory,
                           uint32_t slot_bytes) {
  if (!plan || (!memory->parameters && plan->parameter_count > 0) ||
      (!memory->moments && plan->moment_count > 0)) {
    return POET_NO_MEMORY;
  }
  if (memory->under_way) return POET_NO_STEP;
  return slot_bytes >= poet_state_bytes(plan, memory) ? POET_OK : POET_NO_MEMORY;
}

static int save(const struct poet_plan* plan, struct poet_memory* memory, uint32_t slot_bytes) {
  struct part parts[kParts];
  struct scalars scalars;
  struct slots slots;
  struct head head;
  uint32_t offset, at;
  int newest, i;
  int status = read_slots(slot_bytes, &slots);
  if (status != POET_OK) return status;
  newest = newest_of(&slots);
  offset = newest == 0 ? slot_bytes : 0;
  memset(&scalars, 0, sizeof scalars);
  scalars.optimizer = memory->optimizer;
  scalars.seed_low = (uint32_t)memory->seed;
  scalars.seed_high = (uint32_t)(memory->seed >> 32);
  scalars.steps = memory->steps;
  memset(&head, 0, sizeof head);
  head.magic = kMagic;
  head.version = kVersion;
  head.plan = plan->hash;
  head.number = newest >= 0 ? slots.heads[newest].number + 1 : 0;
  head.bytes = list_parts(plan, memory, &scalars, parts);
  status = poet_state_erase(offset, slot_bytes);
  at = offset + (uint32_t)sizeof head;
  for (i = 0; i < kParts && status == POET_OK; ++i) {
    if (parts[i].bytes == 0) continue;
    status = poet_state_write(at, parts[i].at, parts[i].bytes);
    head.check = checksum(head.check, parts[i].at, parts[i].bytes);
    at += parts[i].bytes;
  }
  head.head_check = checksum(0, &head, offsetof(struct head, head_check));
  return status == POET_OK ? poet_state_write(offset, &head, sizeof head) : status;
}

static int load_slot(const struct poet_plan* plan, struct poet_memory* memory, uint32_t offset,
                     const struct head* head) {
  struct part parts[kParts];
  struct scalars scalars;
  uint32_t at = offset + (uint32_t)sizeof *head;
  int status = POET_OK, i;
  if (head->plan != plan->hash || head->bytes != list_parts(plan, memory, &scalars, parts)) {
    return POET_OTHER_STATE;
  }
  for (i = 0; i < kParts && status == POET_OK; ++i) {
    if (parts[i].bytes == 0) continue;
    status = poet_state_read(at, parts[i].at, parts[i].bytes);
    at += parts[i].bytes;
  }
  if (status != POET_OK) return status;
  memory->optimizer = scalars.optimizer;
  memory->seed = (uint64_t)scalars.seed_high << 32 | scalars.seed_low;
  memory->steps = scalars.steps;
  return POET_OK;
}

/* The newest state; the other one if a read of it fails now that succeeded a moment ago. */
static int load(const struct poet_plan* plan, struct poet_memory* memory, uint32_t slot_bytes) {
  struct slots slots;
  int status = read_slots(slot_bytes, &slots);
  int slot = status == POET_OK ? newest_of(&slots) : -1;
  if (status == POET_OK && slot < 0) return POET_NO_STATE;
  for (; slot >= 0; slot = newest_of(&slots)) {
    status = load_slot(plan, memory, (uint32_t)slot * slot_bytes, &slots.heads[slot]);
    if (status == POET_OK || status == POET_OTHER_STATE) return status;
    slots.is_whole[slot] = 0;
  }
  return status;
}

/* An interrupt that steps meanwhile would have half of its step saved: it is refused. */
static int alone(int (*work)(const struct poet_plan*, struct poet_memory*, uint32_t),
                 const struct poet_plan* plan, struct poet_memory* memory, uint32_t slot_bytes) {
  int status;
  if (!memory) return POET_NO_MEMORY;
  if (memory->is_busy) return POET_UNDER_WAY;
  memory->is_busy = 1;
  status = expect_complete(plan, memory, slot_bytes);
  if (status == POET_OK) status = work(plan, memory, slot_bytes);
  memory->is_busy = 0;
  return status;
}

int poet_save(const struct poet_plan* plan, struct poet_memory* memory, uint32_t slot_bytes) {
  return alone(save, plan, memory, slot_bytes);
}

int poet_load(const struct poet_plan* plan, struct poet_memory* memory, uint32_t slot_bytes) {
  return alone(load, plan, memory, slot_bytes);
}

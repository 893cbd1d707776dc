/* SPDX-License-Identifier: Apache-2.0 */
/* Saves what a training has learned, so that it goes on after a power cut.
 *
 * There are two slots, of which one has the last complete state at any time: poet_save() writes the
 * other one, and its head last. A slot whose head or checksum is wrong, or which cannot be read,
 * counts as empty. Where the slots lie is up to two hooks; storage_nor.c of docs/examples/cortex-m4
 * keeps them in NOR flash.
 */
#ifndef POET_STATE_H
#define POET_STATE_H

#include "poet_runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  POET_NO_STATE = -10,   /* neither slot has one */
  POET_OTHER_STATE = -11 /* a slot has one, of other layers or another optimizer */
};

/* The bytes that a state takes in a slot. */
uint32_t poet_state_bytes(const struct poet_plan* plan, const struct poet_memory* memory);

/* Writes parameters, moments, running statistics, the optimizer, the seed and the count of steps to
 * the slot that has not the newest state. Slots lie at 0 and at `slot_bytes`, which is at least
 * poet_state_bytes(), and a whole number of what the storage erases at once. Between two steps
 * only: POET_NO_STEP while one is under way. Returns POET_OK, POET_NO_MEMORY, or what a hook
 * returned, which for reads is of the case that neither slot can be read; the state before is still
 * there then. */
int poet_save(const struct poet_plan* plan, struct poet_memory* memory, uint32_t slot_bytes);

/* Reads the newest state that is whole, after poet_initialise(). Its schedule may have been another
 * one. Returns POET_OK; or, with nothing changed, POET_NO_STATE, POET_OTHER_STATE, POET_NO_STEP or
 * POET_NO_MEMORY; or what a hook returned if neither slot can be read: then parameters may be read
 * in part. */
int poet_load(const struct poet_plan* plan, struct poet_memory* memory, uint32_t slot_bytes);

/* Storage for both slots. Writes go upwards from the beginning of a slot, but for its first 32
 * bytes, which come last; what was there need not be kept. Return POET_OK or an error of your own.
 * By default there is none: POET_NO_STORAGE. */
int poet_state_write(uint32_t offset, const void* from, uint32_t bytes);
int poet_state_read(uint32_t offset, void* to, uint32_t bytes);
/* Called before the first write to a slot: flash is erased here. By default it does nothing. */
int poet_state_erase(uint32_t offset, uint32_t bytes);

#ifdef __cplusplus
}
#endif

#endif

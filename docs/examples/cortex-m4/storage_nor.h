/* Secondary storage and saved states in NOR flash at an SPI bus, such as a W25Q32: take
 * storage_nor.c in the place of storage.c.
 *
 * Flash is erased by sectors, and a sector wears out with its erasures. So the schedule's copies
 * have to lie in whole sectors: "block_bytes": NOR_SECTOR_BYTES in the platform, whose
 * "erase_cycles" then tell how long the chip lives. */
#ifndef STORAGE_NOR_H
#define STORAGE_NOR_H

#include <stdint.h>

#define NOR_SECTOR_BYTES 4096u
#define NOR_PAGE_BYTES 256u

enum { NOR_MISPLACED = 11, NOR_NOT_READY = 12 }; /* what poet_step() then returns */

/* What a chip is used for. Addresses are multiples of NOR_SECTOR_BYTES. */
struct nor_area {
  uint32_t storage; /* where POET_STORAGE_BYTES begin */
  uint32_t states;  /* where the two slots of poet_save() begin */
  uint32_t sectors; /* of the chip */
  uint32_t* wear;   /* counts erasures, one for each sector; NULL: not counted */
};
void nor_use(const struct nor_area* area);

/* The largest count of `wear`. */
uint32_t nor_most_worn(void);

/* Yours: selects the chip, sends a command and then data, takes `taken` bytes, and deselects it. */
void nor_transfer(const uint8_t* send, uint32_t sent, const uint8_t* data, uint32_t data_bytes,
                  uint8_t* take, uint32_t taken);

#endif

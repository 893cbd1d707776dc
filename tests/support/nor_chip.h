/* A model of a NOR flash chip behind nor_transfer() of storage_nor.h: what is programmed can only
 * clear bits, pages wrap around, a change needs a write-enable before it and takes a while, and
 * power may be cut in its midst. */
#ifndef NOR_CHIP_H
#define NOR_CHIP_H

#include <stdint.h>

enum { NOR_CHIP_SECTORS = 64 };

extern uint8_t nor_chip[NOR_CHIP_SECTORS * 4096];
extern uint32_t nor_chip_erasures[NOR_CHIP_SECTORS];
extern uint32_t nor_chip_mistakes; /* commands that a chip ignores or that lose data */
extern long nor_chip_bytes_left;   /* that are changed before the power is cut; -1: it is not */

#endif

#include "nor_chip.h"

#include <string.h>

#include "storage_nor.h"

uint8_t nor_chip[NOR_CHIP_SECTORS * 4096];
uint32_t nor_chip_erasures[NOR_CHIP_SECTORS];
uint32_t nor_chip_mistakes;
long nor_chip_bytes_left = -1;

static int is_enabled, busy;

static int has_power(void) {
  if (nor_chip_bytes_left == 0) return 0;
  if (nor_chip_bytes_left > 0) --nor_chip_bytes_left;
  return 1;
}

static void change(uint8_t code, uint32_t address, const uint8_t* data, uint32_t count) {
  uint32_t i;
  if (!is_enabled || busy > 0) {
    ++nor_chip_mistakes;
    return;
  }
  is_enabled = 0;
  busy = 3;
  if (code == 0x20) {
    const uint32_t sector = address / 4096;
    ++nor_chip_erasures[sector];
    for (i = 0; i < 4096 && has_power(); ++i) nor_chip[sector * 4096 + i] = 0xff;
    return;
  }
  if (count > 256) ++nor_chip_mistakes;
  for (i = 0; i < count && has_power(); ++i) {
    uint8_t* at = &nor_chip[address / 256 * 256 + (address + i) % 256];
    if ((*at & data[i]) != data[i]) ++nor_chip_mistakes; /* a cleared bit would have to be set */
    *at &= data[i];
  }
}

void nor_transfer(const uint8_t* send, uint32_t sent, const uint8_t* data, uint32_t data_bytes,
                  uint8_t* take, uint32_t taken) {
  const uint32_t address =
      sent == 4 ? (uint32_t)send[1] << 16 | (uint32_t)send[2] << 8 | send[3] : 0;
  if (send[0] == 0x06) {
    is_enabled = 1;
  } else if (send[0] == 0x05) {
    *take = busy > 0;
    if (busy > 0) --busy;
  } else if (busy > 0 || sent != 4 || address + taken > sizeof nor_chip) {
    ++nor_chip_mistakes;
  } else if (send[0] == 0x03) {
    memcpy(take, nor_chip + address, taken);
  } else if (send[0] == 0x02 || send[0] == 0x20) {
    change(send[0], address, data, data_bytes);
  } else {
    ++nor_chip_mistakes;
  }
}

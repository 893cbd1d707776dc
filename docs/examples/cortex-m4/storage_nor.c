#include "storage_nor.h"

#include "poet_state.h"

/* Commands of W25Q chips, and of most others. */
enum { WRITE_ENABLE = 0x06, READ_STATUS = 0x05, READ = 0x03, PROGRAM = 0x02, ERASE_SECTOR = 0x20 };
enum { IS_BUSY = 1 };

static struct nor_area area;

void nor_use(const struct nor_area* wanted) {
  area = *wanted;
}

uint32_t nor_most_worn(void) {
  uint32_t most = 0, i;
  for (i = 0; i < area.sectors && area.wear; ++i) most = area.wear[i] > most ? area.wear[i] : most;
  return most;
}

/* A chip that is taken away answers with ones, so this ends. */
static int wait(void) {
  const uint8_t command = READ_STATUS;
  uint32_t tries;
  for (tries = 0; tries < 10000000u; ++tries) {
    uint8_t status = IS_BUSY;
    nor_transfer(&command, 1, 0, 0, &status, 1);
    if (!(status & IS_BUSY)) return POET_OK;
  }
  return NOR_NOT_READY;
}

static void command_at(uint8_t code, uint32_t address, const uint8_t* data, uint32_t data_bytes,
                       uint8_t* take, uint32_t taken) {
  const uint8_t command[4] = {code, (uint8_t)(address >> 16), (uint8_t)(address >> 8),
                              (uint8_t)address};
  nor_transfer(command, sizeof command, data, data_bytes, take, taken);
}

static int change(uint8_t code, uint32_t address, const uint8_t* data, uint32_t data_bytes) {
  const uint8_t enable = WRITE_ENABLE;
  nor_transfer(&enable, 1, 0, 0, 0, 0);
  command_at(code, address, data, data_bytes, 0, 0);
  return wait();
}

static int is_inside(uint32_t address, uint32_t bytes) {
  return bytes <= area.sectors * NOR_SECTOR_BYTES &&
         address <= area.sectors * NOR_SECTOR_BYTES - bytes;
}

/* Whole sectors from `address` on, at least as many as hold the bytes. */
static int erase(uint32_t address, uint32_t bytes) {
  const uint32_t end = address + bytes;
  if (address % NOR_SECTOR_BYTES != 0 || !is_inside(address, bytes)) return NOR_MISPLACED;
  for (; address < end; address += NOR_SECTOR_BYTES) {
    const int status = change(ERASE_SECTOR, address, 0, 0);
    if (status != POET_OK) return status;
    if (area.wear) ++area.wear[address / NOR_SECTOR_BYTES];
  }
  return POET_OK;
}

/* A program command does not cross from one page of the chip to the next. */
static int program(uint32_t address, const uint8_t* from, uint32_t bytes) {
  if (!is_inside(address, bytes)) return NOR_MISPLACED;
  while (bytes > 0) {
    const uint32_t room = NOR_PAGE_BYTES - address % NOR_PAGE_BYTES;
    const uint32_t part = bytes < room ? bytes : room;
    const int status = change(PROGRAM, address, from, part);
    if (status != POET_OK) return status;
    address += part;
    from += part;
    bytes -= part;
  }
  return POET_OK;
}

static int read(uint32_t address, void* to, uint32_t bytes) {
  if (!is_inside(address, bytes)) return NOR_MISPLACED;
  command_at(READ, address, 0, 0, to, bytes);
  return POET_OK;
}

int poet_page_out(uint32_t offset, const void* from, uint32_t bytes) {
  const int status = erase(area.storage + offset, bytes);
  return status == POET_OK ? program(area.storage + offset, from, bytes) : status;
}

int poet_page_in(uint32_t offset, void* to, uint32_t bytes) {
  return read(area.storage + offset, to, bytes);
}

int poet_state_erase(uint32_t offset, uint32_t bytes) {
  return erase(area.states + offset, bytes);
}

int poet_state_write(uint32_t offset, const void* from, uint32_t bytes) {
  return program(area.states + offset, from, bytes);
}

int poet_state_read(uint32_t offset, void* to, uint32_t bytes) {
  return read(area.states + offset, to, bytes);
}

#include "storage.h"

#include "poet_runtime.h"
#include "semihosting.h"

static int file = -1;

int storage_open(const char* path) {
  file = host_open(path, HOST_CREATE);
  return file < 0 ? -1 : 0;
}

void storage_close(void) {
  if (file >= 0) host_close(file);
  file = -1;
}

int poet_page_out(uint32_t offset, const void* from, uint32_t bytes) {
  if (host_seek(file, offset) == 0 && host_write(file, from, bytes) == 0) return POET_OK;
  return STORAGE_WRITE_FAILED;
}

int poet_page_in(uint32_t offset, void* to, uint32_t bytes) {
  if (host_seek(file, offset) == 0 && host_read(file, to, bytes) == 0) return POET_OK;
  return STORAGE_READ_FAILED;
}

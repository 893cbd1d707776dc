#include "semihosting.h"

#include <string.h>

enum {
  SYS_OPEN = 0x01,
  SYS_CLOSE = 0x02,
  SYS_WRITE = 0x05,
  SYS_READ = 0x06,
  SYS_SEEK = 0x0a,
  SYS_GET_CMDLINE = 0x15,
  SYS_EXIT_EXTENDED = 0x20
};

/* The call of the host on M-profile chips: the operation in r0, its arguments in memory at r1. */
static int host_call(int operation, const void* arguments) {
  register int r0 __asm("r0") = operation;
  register const void* r1 __asm("r1") = arguments;
  __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

int host_open(const char* path, enum host_mode mode) {
  const uint32_t arguments[3] = {(uint32_t)path, (uint32_t)mode, strlen(path)};
  return host_call(SYS_OPEN, arguments);
}

int host_seek(int file, uint32_t position) {
  const uint32_t arguments[2] = {(uint32_t)file, position};
  return host_call(SYS_SEEK, arguments) == 0 ? 0 : -1;
}

/* SYS_READ and SYS_WRITE return how many bytes are left to do. */
int host_read(int file, void* to, uint32_t bytes) {
  const uint32_t arguments[3] = {(uint32_t)file, (uint32_t)to, bytes};
  return host_call(SYS_READ, arguments) == 0 ? 0 : -1;
}

int host_write(int file, const void* from, uint32_t bytes) {
  const uint32_t arguments[3] = {(uint32_t)file, (uint32_t)from, bytes};
  return host_call(SYS_WRITE, arguments) == 0 ? 0 : -1;
}

int host_close(int file) {
  const uint32_t argument = (uint32_t)file;
  return host_call(SYS_CLOSE, &argument);
}

int host_command_line(char* to, uint32_t bytes) {
  uint32_t arguments[2] = {(uint32_t)to, bytes};
  return host_call(SYS_GET_CMDLINE, arguments);
}

/* 0x20026 is ADP_Stopped_ApplicationExit. */
void host_exit(int status) {
  const uint32_t arguments[2] = {0x20026, (uint32_t)status};
  for (;;) host_call(SYS_EXIT_EXTENDED, arguments);
}

/* ":tt" is the console. */
int host_console(void) {
  static int console = -1;
  if (console < 0) console = host_open(":tt", HOST_WRITE);
  return console;
}

void host_put(int file, const char* text) {
  host_write(file, text, strlen(text));
}

void host_put_decimal(int file, uint32_t number) {
  char digits[11];
  char* at = digits + sizeof digits - 1;
  *at = 0;
  do {
    *--at = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  host_put(file, at);
}

void host_put_hex(int file, uint32_t number) {
  char digits[9];
  int i;
  for (i = 0; i < 8; ++i) digits[i] = "0123456789abcdef"[number >> (28 - 4 * i) & 15];
  digits[8] = 0;
  host_put(file, digits);
}

void host_put_millionths(int file, float number) {
  char decimals[8] = ".000000";
  uint32_t whole, rest;
  int i;
  if (!(number > -4e9F && number < 4e9F)) {
    host_put(file, "not finite");
    return;
  }
  if (number < 0) host_put(file, "-");
  if (number < 0) number = -number;
  whole = (uint32_t)number;
  rest = (uint32_t)((number - (float)whole) * 1e6F);
  for (i = 6; i > 0; --i, rest /= 10) decimals[i] = (char)('0' + rest % 10);
  host_put_decimal(file, whole);
  host_put(file, decimals);
}

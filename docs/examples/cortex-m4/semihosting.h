/* A console, files and an exit status on the computer to which the chip is attached, by Arm's
 * semihosting (https://github.com/ARM-software/abi-aa, "Semihosting for AArch32 and AArch64"). QEMU
 * and most debug probes answer its calls. Nothing here allocates. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H

#include <stdint.h>

enum host_mode { HOST_READ = 1, HOST_WRITE = 5, HOST_CREATE = 7 }; /* rb, wb, w+b */

/* All return a handle or 0, and -1 if the host refuses. */
int host_open(const char* path, enum host_mode mode);
int host_seek(int file, uint32_t position);
int host_read(int file, void* to, uint32_t bytes); /* -1 also if the file is shorter */
int host_write(int file, const void* from, uint32_t bytes);
int host_close(int file);

/* The words that the host passes (QEMU: -semihosting-config arg=...), with spaces between them. */
int host_command_line(char* to, uint32_t bytes);

__attribute__((noreturn)) void host_exit(int status);

/* Text for a file or for the console, without printf(), whose buffers would take RAM. */
int host_console(void);
void host_put(int file, const char* text);
void host_put_decimal(int file, uint32_t number);
void host_put_hex(int file, uint32_t number);     /* eight digits */
void host_put_millionths(int file, float number); /* six decimals, rounded towards zero */

#endif

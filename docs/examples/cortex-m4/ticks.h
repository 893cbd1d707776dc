/* A clock for poet_ticks(), and a file with what each instruction of the schedule took. */
#ifndef TICKS_H
#define TICKS_H

#include <stdint.h>

void ticks_start(void);

/* From here on, instructions are counted and written to the file; a path of 0: only counted.
 * Returns 0, or -1 if the host refuses the file. */
int ticks_record(const char* path);
/* Ticks of all instructions since ticks_record(). */
uint32_t ticks_end(void);

#endif

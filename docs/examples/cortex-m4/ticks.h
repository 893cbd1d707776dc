/* What the instructions of the schedule take, by poet_ticks(): the sum, and a file for `poet-solve
 * fit`. */
#ifndef TICKS_H
#define TICKS_H

#include <stdint.h>

/* From here on, instructions are counted and written to the file; a path of 0: only counted.
 * Returns 0, or -1 if the host refuses the file. */
int ticks_record(const char* path);
/* Ticks of all instructions since ticks_record(). */
uint32_t ticks_end(void);

#endif

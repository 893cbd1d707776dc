/* The clock of a board: each board has its file, netduinoplus2.c or mps2-an386.c, which defines
 * poet_ticks() as well. */
#ifndef CLOCK_H
#define CLOCK_H

void clock_start(void);

#endif

/* The gradients of a step, in a file of the host: they take no RAM of the chip that way. */
#ifndef GRADIENTS_H
#define GRADIENTS_H

#include "poet_runtime.h"

/* Sends the gradients of the next step to the file, as they come: for each element three words of
 * four bytes, which are the number of its layer in poet_plan.parameters, its index there, and its
 * bits. Returns 0, or -1 if the host refuses the file. */
int gradients_record(struct poet_memory* memory, const char* path);
/* Closes the file, and writes to the console what its layers are, a line for each:
 *   gradient NUMBER COUNT LAYER */
void gradients_end(struct poet_memory* memory);

#endif

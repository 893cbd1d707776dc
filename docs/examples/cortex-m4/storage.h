/* Secondary storage of the training step: a file on the host. On a board of your own,
 * poet_page_out() and poet_page_in() in storage.c are what you write for its flash or card. */
#ifndef STORAGE_H
#define STORAGE_H

/* Creates the file, or empties it. Returns 0, or -1 if the host refuses. */
int storage_open(const char* path);
void storage_close(void);

enum { STORAGE_WRITE_FAILED = 1, STORAGE_READ_FAILED = 2 }; /* what poet_step() then returns */

#endif

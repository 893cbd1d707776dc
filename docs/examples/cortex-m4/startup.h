/* What the linker script names, and the statuses with which the program ends. */
#ifndef STARTUP_H
#define STARTUP_H

enum {
  STATUS_OK = 0,
  STATUS_STEP_FAILED = 1, /* a training step ended early, such as by a page-in that failed */
  STATUS_USAGE = 2,
  STATUS_FAULT = 3 /* the processor took a fault */
};

void reset_handler(void);
void report_fault(void);

#endif

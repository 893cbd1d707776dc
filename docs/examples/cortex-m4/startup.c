/* From power-up to main() on a Cortex-M4F. The linker script (sections.ld) places everything. */
#include "startup.h"

#include <stdint.h>
#include <string.h>

#include "semihosting.h"

/* Where the linker put things; only the addresses mean something. */
extern uint32_t stack_end[], data_start[], data_end[], data_image[], bss_start[], bss_end[];

int main(void);

/* The coprocessor access control register: 0xf in bits 20 to 23 grants full access to the FPU,
 * which is off after a reset. The barriers make sure that it is on for the next instruction. */
static void enable_fpu(void) {
  volatile uint32_t* const cpacr = (volatile uint32_t*)0xe000ed88;
  *cpacr |= (uint32_t)0xf << 20;
  __asm volatile("dsb\n\tisb" ::: "memory");
}

void reset_handler(void) {
  enable_fpu();
  memcpy(data_start, data_image, (size_t)((char*)data_end - (char*)data_start));
  memset(bss_start, 0, (size_t)((char*)bss_end - (char*)bss_start));
  host_exit(main());
}

void report_fault(void) {
  host_put(host_console(), "the processor took a fault, such as by a stack that ran over\n");
  host_exit(STATUS_FAULT);
}

/* A stack that runs over ends here as well, as below it there is no memory; so this begins a new
 * one. */
__attribute__((naked)) static void fault_handler(void) {
  __asm volatile("ldr r0, =stack_end\n\tmov sp, r0\n\tb report_fault");
}

/* Interrupts are not used: the sixteen entries of the core are enough. */
typedef void (*handler)(void);
__attribute__((section(".vectors"), used)) static const struct {
  uint32_t* stack;
  handler handlers[15];
} vectors = {
    stack_end,
    {reset_handler, fault_handler, fault_handler, fault_handler, fault_handler, fault_handler, 0, 0,
     0, 0, fault_handler, fault_handler, 0, fault_handler, fault_handler}};

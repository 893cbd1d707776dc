/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a training step that `poet-solve export` wrote as tables (poet_plan.h, poet_plan.c).
 *
 * The tables are constant and hold no address of RAM, and neither do parameters that are not
 * trained (poet_constants.c), so both can stay in flash. All that a step changes is in struct
 * poet_memory, which the caller owns. Nothing is allocated, and libc is used for memcpy, memmove
 * and memset only. docs/export.md shows how to call it.
 *
 * Functions marked POET_HOOK are weak symbols if the compiler has them: a program that defines the
 * same function replaces it. */
#ifndef POET_RUNTIME_H
#define POET_RUNTIME_H

#include "poet_kernels.h"
#include "poet_seed.h"

#define POET_HOOK POET_KERNEL

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the plan: constant, so it can stay in flash -------------------------------------------- */

/* Where a kernel finds an operand. Offsets are in bytes from the start of what is named. */
enum poet_place {
  POET_NULL,       /* a null pointer */
  POET_ARENA,      /* poet_memory.arena, or the bank that has the offset */
  POET_PARAMETERS, /* poet_memory.parameters */
  POET_CONSTANTS,  /* poet_memory.constants */
  POET_KEPT,       /* poet_memory.kept */
  POET_TARGET,     /* poet_memory.targets[index] */
  POET_ONE,        /* the number 1 */
  POET_RUNNING,    /* poet_memory.running */
  POET_BYTES       /* poet_memory.constant_bytes */
};

struct poet_operand {
  uint16_t place; /* enum poet_place */
  uint16_t index; /* of a target, else 0 */
  uint32_t offset;
};

/* A kernel behind a signature that all have. An argument that the kernel lacks is not read. */
typedef void (*poet_call_function)(const void* spec, const void* const* in, void* out,
                                   const struct poet_sink* sink);

enum { POET_MOST_OPERANDS = 8 };

struct poet_call {
  poet_call_function function;
  const void* spec;              /* the poet_X_spec of the kernel */
  const struct poet_operand* in; /* operand_count of them */
  uint16_t operand_count;        /* at most POET_MOST_OPERANDS */
  uint16_t is_random;            /* spec is a poet_dropout_spec: its seed changes with the step */
};

/* Where a gradient goes that a kernel passes to a sink. */
struct poet_sink_use {
  struct poet_operand sum;      /* what came before and is added first */
  struct poet_operand gradient; /* where it is stored */
  int32_t updates;              /* poet_plan.parameters that it is applied to; -1: none */
  int32_t tracks; /* poet_plan.parameters whose running statistics take the batch; -1: none */
};

enum poet_op { POET_COMPUTE, POET_PAGE_OUT, POET_PAGE_IN, POET_MOVE };

/* An instruction of the schedule. `free` needs none. */
struct poet_instruction {
  int32_t number;        /* its index in "program" of the schedule file */
  uint8_t op;            /* enum poet_op */
  uint8_t writes_tensor; /* POET_COMPUTE: kernels get the tensor as their output */
  uint16_t length;       /* POET_COMPUTE: how many calls */
  uint32_t offset;       /* of the tensor in the arena, in bytes; POET_MOVE: where it goes */
  uint32_t bytes;        /* of the tensor; 0: the node has none */
  uint32_t from;         /* pages: the offset in storage; POET_MOVE: the offset that it leaves */
  int16_t input;         /* POET_COMPUTE: poet_memory.inputs that is copied; -1: none */
  int16_t loss;          /* POET_COMPUTE: which of the losses this is; -1: none */
  const struct poet_call* calls;
  const struct poet_sink_use* sink; /* NULL: kernels get none */
};

/* Parameters that lie one after the other, such as a weight and its bias. */
struct poet_parameters {
  const char* name; /* of the layer */
  int32_t first;    /* the index of the first one in poet_memory.parameters, or in
                     * poet_memory.constants if they are not trained */
  int32_t count;
  int32_t moments; /* likewise in poet_memory.moments; -1: they have none */
  int32_t is_trained;
  int32_t tensor_count;
  const struct poet_initial* tensors; /* their elements add up to count */
  int32_t running; /* of a batch norm: the index of its first running statistic in
                    * poet_memory.running, a mean for each channel and then a variance; -1: none */
  int32_t bytes;   /* of weights of one byte: the index of the first one in
                    * poet_memory.constant_bytes; then constants have a scale for each filter or
                    * output, and the biases; -1: none */
};

/* An input, or the target of a loss that names none. */
struct poet_data {
  int32_t count;
  int32_t index_limit; /* 0: float; -1: zeros; else int32_t from 0 up to, but not including, this */
};

/* A result of a forward pass: it is complete after this instruction, and others may take its RAM.
 */
struct poet_output {
  int32_t instruction; /* an index into poet_plan.instructions */
  uint32_t offset;     /* in the arena, in bytes */
  uint32_t bytes;
};

/* A part of the offsets in the arena that has a memory of its own. */
struct poet_bank {
  uint32_t from; /* the first of them */
  uint32_t bytes;
};

struct poet_plan {
  uint32_t
      hash; /* of what the parameters mean: layers, shapes and optimizer; not of the schedule */
  uint32_t arena_bytes;
  uint32_t alignment; /* of the arena and all offsets in it */
  uint32_t storage_bytes;
  int32_t optimizer;                                 /* enum poet_optimizer_kind */
  int32_t parameter_count, moment_count, kept_count; /* poet_real in RAM */
  int32_t constant_count;                            /* poet_real that can be in flash */
  int32_t constant_byte_count;                       /* int8_t likewise */
  int32_t running_count;                             /* poet_real in RAM, if they are wanted */
  int32_t second_moments; /* how far the v of Adam is behind the m, in elements of moments */
  int32_t loss_count;
  int32_t instruction_count;
  int32_t group_count; /* of parameters */
  int32_t input_count;
  int32_t target_count;
  const struct poet_instruction* instructions;
  const struct poet_parameters* parameters;
  const struct poet_data* inputs;
  const struct poet_data* targets;
  const poet_real* reset; /* parameter_count: what poet_initialise() copies; NULL: by the seed */
  const poet_real* reset_running; /* running_count, likewise; NULL: means of 0, variances of 1 */
  int32_t is_forward;             /* for poet_infer(), not for poet_step() */
  int32_t reads_losses;           /* its instructions read losses, so that these are computed */
  int32_t output_count;
  const struct poet_output* outputs;
  int32_t bank_count; /* 0: all tensors are in one arena */
  const struct poet_bank* banks;
};

/* ---- what the caller owns ------------------------------------------------------------------- */

/* An input of bytes, as cameras and microphones give them: element b stands for
 * scale (b - zero), which is computed where the step wants it. */
struct poet_byte_input {
  int32_t is_signed; /* int8_t, else uint8_t */
  int32_t zero;
  poet_real scale; /* 0: this input is not bytes */
};

/* A member that the plan has nothing for may be NULL. */
struct poet_memory {
  void* arena;                /* POET_ARENA_BYTES, aligned to POET_ALIGNMENT */
  void* const* banks;         /* POET_BANK_COUNT pointers likewise, each to POET_ARENA_<BANK>_BYTES:
                               * read if the plan has banks. NULL: all are parts of arena */
  poet_real* parameters;      /* POET_PARAMETER_COUNT: what is trained */
  const poet_real* constants; /* POET_CONSTANT_COUNT: what is not; such as poet_constants */
  const int8_t* constant_bytes; /* POET_CONSTANT_BYTE_COUNT: weights of one byte of what is not;
                                 * such as poet_constant_bytes */
  poet_real* moments;        /* POET_MOMENT_COUNT: v of momentum, m and v of Adam; zeros at first */
  poet_real* kept;           /* POET_KEPT_COUNT: gradients that stay in RAM during a step */
  poet_real* running;        /* POET_RUNNING_COUNT: running statistics of batch norms, for an
                              * inference after the training; NULL: not wanted */
  const void* const* inputs; /* POET_INPUT_COUNT pointers to float or int32_t */
  const struct poet_byte_input* byte_inputs; /* POET_INPUT_COUNT: which inputs of floats are bytes;
                                              * NULL: none */
  const void* const* targets;                /* POET_TARGET_COUNT likewise */
  struct poet_optimizer optimizer;
  uint64_t seed;  /* of dropped elements */
  uint32_t steps; /* that were done; poet_step() counts */
  /* Called with each complete gradient before it is applied: element `index` of
   * plan->parameters[parameters]. NULL: not called, and no cost. Elements of a layer come in the
   * order in which its kernel makes them, each once in a step. */
  void (*on_gradient)(void* context, int32_t parameters, int32_t index, poet_real gradient);
  void* context;
  int32_t failed; /* poet_step() failed: the number of the instruction, or -1 */
  /* Of a step that was begun: 1 + the index of its next instruction; else 0. */
  volatile int32_t under_way;
  volatile int32_t is_busy; /* 1 while a function below is at work on this memory; 0 at first */
};

/* ---- functions ------------------------------------------------------------------------------ */

/* What functions return beside what poet_page_out() and poet_page_in() do. */
enum {
  POET_OK = 0,
  POET_NO_STORAGE = -1,   /* a page, and no hook */
  POET_MISALIGNED = -2,   /* the arena */
  POET_NO_CONSTANTS = -3, /* the plan has some, or bytes, and the pointer is NULL */
  POET_WRONG_PLAN = -4,   /* one for poet_infer() given to poet_step(), or the reverse */
  POET_NO_RUNNING = -5,   /* the plan reads running statistics, and the pointer is NULL */
  POET_FUSED = -6,        /* the kernels were compiled without -ffp-contract=off */
  POET_NO_MEMORY = -7,    /* plan or memory is NULL, or a pointer in it that the plan needs */
  POET_NO_DATA = -8,      /* an input or a target is NULL, or bytes stand for an input of indices */
  POET_NO_STEP = -9,      /* poet_step_next() without poet_step_begin() */
  POET_BAD_DATA = -12,    /* an input or a target has a NaN, or an index outside its range */
  POET_UNDER_WAY = -13    /* a step was begun and has not ended, or an interrupt came while one of
                           * these functions is at work on the same memory, and calls another */
};

/* Trained parameters, moments, running statistics and optimizer from a seed, as `poet-solve run
 * --seed` has them. Pointers in `memory` have to be set; constants, inputs and targets stay as they
 * are. Returns POET_OK; or, before anything is done, POET_NO_MEMORY, or POET_FUSED if the compiler
 * was told to compute otherwise than everywhere else: results would differ in silence. */
int poet_initialise(const struct poet_plan* plan, struct poet_memory* memory, uint64_t seed);
/* Data from a seed, likewise: poet_data.count elements of 4 bytes. */
void poet_fill_input(const struct poet_plan* plan, int32_t input, uint64_t seed, void* values);
void poet_fill_target(const struct poet_plan* plan, int32_t target, uint64_t seed, void* values);

/* Where an offset in the arena is, such as a tensor's: in a bank if the plan has some. */
void* poet_arena_at(const struct poet_plan* plan, const struct poet_memory* memory,
                    uint32_t offset);

/* A training step: forward pass, backward pass and updates. `losses` gets POET_LOSS_COUNT numbers;
 * NULL: not wanted. Returns POET_OK; or, before anything is done, what is wrong with the arguments;
 * or, at the first page that fails, what the hook returned. The step ends there, memory->failed
 * names the instruction, losses are not complete, and what was updated before stays so. With
 * parameters, moments and running statistics as they were before it, the next call is the same
 * step again: all else that lives longer than a step changes when one has ended. */
int poet_step(const struct poet_plan* plan, struct poet_memory* memory, poet_real* losses);

/* The same, an instruction at a time, so that other work finds its turn: poet_step_begin(), then
 * poet_step_next() while memory->under_way is not 0. Between two calls, arena, parameters, moments
 * and kept gradients have to stay as they are, and data and optimizer too. Both return as
 * poet_step() does; a step that failed is not under way, and one is given up by under_way = 0. */
int poet_step_begin(const struct poet_plan* plan, struct poet_memory* memory);
int poet_step_next(const struct poet_plan* plan, struct poet_memory* memory, poet_real* losses);

/* A forward pass: norms use their running statistics and nothing is dropped. It reads parameters,
 * constants, running statistics and inputs of `memory`, writes the arena, and changes nothing else.
 * `outputs` has POET_OUTPUT_COUNT pointers, of which any may be NULL: tensor i is copied to
 * outputs[i]. NULL: none is wanted. `losses` is as of poet_step(); without it, losses are not
 * computed, and targets may be NULL. Returns as poet_step() does. */
int poet_infer(const struct poet_plan* plan, struct poet_memory* memory, poet_real* const* outputs,
               poet_real* losses);

/* Secondary storage: `bytes` at `offset`, which end within POET_STORAGE_BYTES. Return POET_OK or an
 * error of your own. A transfer is complete when the function returns: the next instruction may use
 * the same RAM. By default storage is missing: POET_NO_STORAGE. */
int poet_page_out(uint32_t offset, const void* from, uint32_t bytes);
int poet_page_in(uint32_t offset, void* to, uint32_t bytes);

/* A clock that may wrap around; by default it stands still. */
uint32_t poet_ticks(void);
/* Called after each instruction with its number and the ticks that it took; by default it does
 * nothing. A line "number,ticks" for each is the file that `poet-solve fit` reads. */
void poet_on_instruction(int32_t number, uint32_t ticks);

#ifdef __cplusplus
}
#endif

#endif

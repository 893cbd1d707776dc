/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_runtime.h"

#include <string.h>

static const poet_real kNumberOne = 1;

POET_HOOK int poet_page_out(uint32_t offset, const void* from, uint32_t bytes) {
  (void)offset, (void)from, (void)bytes;
  return POET_NO_STORAGE;
}

POET_HOOK int poet_page_in(uint32_t offset, void* to, uint32_t bytes) {
  (void)offset, (void)to, (void)bytes;
  return POET_NO_STORAGE;
}

POET_HOOK uint32_t poet_ticks(void) {
  return 0;
}

POET_HOOK void poet_on_instruction(int32_t number, uint32_t ticks) {
  (void)number, (void)ticks;
}

/* What lives from step to step. */
static int expect_pointers(const struct poet_plan* plan, const struct poet_memory* memory) {
  const int is_complete = plan && memory && (memory->parameters || plan->parameter_count == 0) &&
                          (memory->moments || plan->moment_count == 0);
  return is_complete ? POET_OK : POET_NO_MEMORY;
}

int poet_initialise(const struct poet_plan* plan, struct poet_memory* memory, uint64_t seed) {
  int32_t p, t, i;
  int status = expect_pointers(plan, memory);
  if (status == POET_OK && poet_fuses_products()) status = POET_FUSED;
  if (status != POET_OK) return status;
  for (p = 0; p < plan->group_count; ++p) {
    const struct poet_parameters* group = &plan->parameters[p];
    struct poet_random random = poet_random_of(seed, POET_STREAM_PARAMETERS, (uint32_t)p);
    poet_real* values;
    if (group->running >= 0 && memory->running) {
      const int32_t channels = group->tensors[0].count;
      for (i = group->running; i < group->running + 2 * channels; ++i) {
        const poet_real usual = (poet_real)(i - group->running < channels ? 0 : 1);
        memory->running[i] = plan->reset_running ? plan->reset_running[i] : usual;
      }
    }
    if (!group->is_trained) continue;
    values = memory->parameters + group->first;
    if (plan->reset) {
      memcpy(values, plan->reset + group->first, (size_t)group->count * sizeof *values);
      continue;
    }
    for (t = 0; t < group->tensor_count; ++t) {
      poet_fill_parameters(&random, &group->tensors[t], values);
      values += group->tensors[t].count;
    }
  }
  for (i = 0; i < plan->moment_count; ++i) memory->moments[i] = 0;
  memory->optimizer = poet_usual_optimizer((enum poet_optimizer_kind)plan->optimizer);
  memory->seed = seed;
  memory->steps = 0;
  memory->failed = -1;
  memory->under_way = 0;
  memory->is_busy = 0;
  return POET_OK;
}

void poet_fill_input(const struct poet_plan* plan, int32_t input, uint64_t seed, void* values) {
  const struct poet_data* data = &plan->inputs[input];
  struct poet_random random = poet_random_of(seed, POET_STREAM_INPUTS, (uint32_t)input);
  poet_fill_data(&random, data->count, data->index_limit, values);
}

void poet_fill_target(const struct poet_plan* plan, int32_t target, uint64_t seed, void* values) {
  const struct poet_data* data = &plan->targets[target];
  struct poet_random random = poet_random_of(seed, POET_STREAM_TARGETS, (uint32_t)target);
  poet_fill_data(&random, data->count, data->index_limit, values);
}

void* poet_arena_at(const struct poet_plan* plan, const struct poet_memory* memory,
                    uint32_t offset) {
  int32_t bank = plan->bank_count - 1;
  if (bank < 0 || !memory->banks) return (unsigned char*)memory->arena + offset;
  while (bank > 0 && offset < plan->banks[bank].from) --bank;
  return (unsigned char*)memory->banks[bank] + (offset - plan->banks[bank].from);
}

static const void* address_of(const struct poet_plan* plan, const struct poet_memory* memory,
                              const struct poet_operand* from) {
  switch ((enum poet_place)from->place) {
    case POET_ARENA:
      return poet_arena_at(plan, memory, from->offset);
    case POET_PARAMETERS:
      return (const unsigned char*)memory->parameters + from->offset;
    case POET_CONSTANTS:
      return (const unsigned char*)memory->constants + from->offset;
    case POET_KEPT:
      return (const unsigned char*)memory->kept + from->offset;
    case POET_TARGET:
      return (const unsigned char*)memory->targets[from->index] + from->offset;
    case POET_ONE:
      return &kNumberOne;
    case POET_RUNNING:
      return (const unsigned char*)memory->running + from->offset;
    case POET_BYTES:
      return memory->constant_bytes + from->offset;
    case POET_NULL:
      break;
  }
  return 0;
}

/* What the sink gives to poet_memory.on_gradient. */
struct observed {
  const struct poet_memory* memory;
  int32_t parameters;
};

static void observe(void* context, int32_t index, poet_real gradient) {
  const struct observed* seen = context;
  seen->memory->on_gradient(seen->memory->context, seen->parameters, index, gradient);
}

static void set_sink(const struct poet_plan* plan, const struct poet_memory* memory,
                     const struct poet_sink_use* use, struct observed* seen,
                     struct poet_sink* sink) {
  sink->sum = address_of(plan, memory, &use->sum);
  if (use->gradient.place == POET_ARENA) {
    sink->gradient = poet_arena_at(plan, memory, use->gradient.offset);
  }
  if (use->gradient.place == POET_KEPT) {
    sink->gradient = memory->kept + use->gradient.offset / sizeof(poet_real);
  }
  if (use->tracks >= 0 && memory->running) {
    sink->running = memory->running + plan->parameters[use->tracks].running;
  }
  if (use->updates >= 0) {
    const struct poet_parameters* group = &plan->parameters[use->updates];
    sink->optimizer = &memory->optimizer;
    sink->parameters = memory->parameters + group->first;
    if (group->moments >= 0) {
      sink->first = memory->moments + group->moments;
      sink->second = sink->first + plan->second_moments;
    }
    if (memory->on_gradient) {
      seen->memory = memory;
      seen->parameters = use->updates;
      sink->observe = observe;
      sink->context = seen;
    }
  }
}

static void call_kernel(const struct poet_plan* plan, const struct poet_call* call,
                        const struct poet_memory* memory, void* out, const struct poet_sink* sink) {
  const void* in[POET_MOST_OPERANDS];
  int i;
  for (i = 0; i < call->operand_count; ++i) in[i] = address_of(plan, memory, &call->in[i]);
  if (call->is_random) {
    struct poet_dropout_spec spec = *(const struct poet_dropout_spec*)call->spec;
    spec.seed[1] = poet_dropout_seed(memory->seed, memory->steps);
    call->function(&spec, in, out, sink);
  } else {
    call->function(call->spec, in, out, sink);
  }
}

static int is_of_bytes(const struct poet_byte_input* bytes) {
  return bytes && bytes->scale > (poet_real)0;
}

static void take_input(const struct poet_memory* memory, const struct poet_instruction* instruction,
                       void* out) {
  const void* from = memory->inputs[instruction->input];
  const struct poet_byte_input* bytes =
      memory->byte_inputs ? &memory->byte_inputs[instruction->input] : 0;
  const int32_t count = (int32_t)(instruction->bytes / sizeof(poet_real));
  poet_real* to = out;
  int32_t i;
  if (!is_of_bytes(bytes)) {
    /* A program may have put it there: its RAM is the tensor's own. */
    if (from != out) memcpy(out, from, instruction->bytes);
  } else if (bytes->is_signed) {
    const int8_t* each = from;
    for (i = 0; i < count; ++i) to[i] = bytes->scale * (poet_real)(each[i] - bytes->zero);
  } else {
    const uint8_t* each = from;
    for (i = 0; i < count; ++i) to[i] = bytes->scale * (poet_real)(each[i] - bytes->zero);
  }
}

static void compute(const struct poet_plan* plan, const struct poet_instruction* instruction,
                    const struct poet_memory* memory, poet_real* losses) {
  void* out = instruction->bytes > 0 ? poet_arena_at(plan, memory, instruction->offset) : 0;
  struct poet_sink sink;
  struct observed seen;
  int i;
  memset(&sink, 0, sizeof sink);
  if (instruction->sink) set_sink(plan, memory, instruction->sink, &seen, &sink);
  if (out && instruction->input >= 0) take_input(memory, instruction, out);
  for (i = 0; i < instruction->length; ++i) {
    call_kernel(plan, &instruction->calls[i], memory, instruction->writes_tensor ? out : 0,
                instruction->sink ? &sink : 0);
  }
  if (out && losses && instruction->loss >= 0) {
    memcpy(&losses[instruction->loss], out, sizeof(poet_real));
  }
}

static int run(const struct poet_plan* plan, const struct poet_instruction* instruction,
               const struct poet_memory* memory, poet_real* losses) {
  void* at = poet_arena_at(plan, memory, instruction->offset);
  switch ((enum poet_op)instruction->op) {
    case POET_COMPUTE:
      compute(plan, instruction, memory, losses);
      break;
    case POET_PAGE_OUT:
      return poet_page_out(instruction->from, at, instruction->bytes);
    case POET_PAGE_IN:
      return poet_page_in(instruction->from, at, instruction->bytes);
    case POET_MOVE:
      memmove(at, poet_arena_at(plan, memory, instruction->from), instruction->bytes);
      break;
  }
  return POET_OK;
}

/* Indices below their limit, or floats that are numbers: a NaN has bits above infinity's, which are
 * 0xff000000 without the sign. */
static int is_sound(const struct poet_data* about, const void* data) {
  const int shift = about->index_limit > 0 ? 0 : 1;
  const uint32_t most = shift == 0 ? (uint32_t)about->index_limit - 1u : 0xff000000u;
  const unsigned char* each = data;
  const unsigned char* end = each + 4 * (size_t)about->count;
  for (; each != end; each += 4) {
    uint32_t word;
    memcpy(&word, each, sizeof word);
    if (word << shift > most) return 0;
  }
  return 1;
}

static int expect_data(int32_t count, const struct poet_data* about, const void* const* data,
                       const struct poet_byte_input* bytes) {
  int32_t i;
  for (i = 0; i < count; ++i) {
    const int has_bytes = is_of_bytes(bytes ? &bytes[i] : 0);
    if (!data || !data[i] || (has_bytes && about[i].index_limit > 0)) return POET_NO_DATA;
    if (!has_bytes && !is_sound(&about[i], data[i])) return POET_BAD_DATA;
  }
  return POET_OK;
}

static int expect_arenas(const struct poet_plan* plan, const struct poet_memory* memory) {
  const int has_banks = plan->bank_count > 0 && memory->banks;
  int32_t i;
  for (i = 0; i < (has_banks ? plan->bank_count : 1); ++i) {
    const void* arena = has_banks ? memory->banks[i] : memory->arena;
    if (!arena) return POET_NO_MEMORY;
    if ((uintptr_t)arena % plan->alignment != 0) return POET_MISALIGNED;
  }
  return POET_OK;
}

static int expect_memory(const struct poet_plan* plan, struct poet_memory* memory,
                         int32_t is_forward) {
  int status = expect_pointers(plan, memory);
  if (status != POET_OK) return status;
  memory->failed = -1;
  if (plan->is_forward != is_forward) return POET_WRONG_PLAN;
  if (plan->kept_count > 0 && !memory->kept) return POET_NO_MEMORY;
  status = expect_arenas(plan, memory);
  if (status != POET_OK) return status;
  if (plan->constant_count > 0 && !memory->constants) return POET_NO_CONSTANTS;
  if (plan->constant_byte_count > 0 && !memory->constant_bytes) return POET_NO_CONSTANTS;
  return expect_data(plan->input_count, plan->inputs, memory->inputs, memory->byte_inputs);
}

static int expect_targets(const struct poet_plan* plan, const struct poet_memory* memory) {
  return expect_data(plan->target_count, plan->targets, memory->targets, 0);
}

static void copy_outputs(const struct poet_plan* plan, const struct poet_memory* memory,
                         int32_t instruction, poet_real* const* outputs) {
  int32_t i;
  for (i = 0; outputs && i < plan->output_count; ++i) {
    const struct poet_output* output = &plan->outputs[i];
    if (output->instruction != instruction || !outputs[i]) continue;
    memcpy(outputs[i], poet_arena_at(plan, memory, output->offset), output->bytes);
  }
}

/* Instruction i, and what follows from its being done. */
static int run_next(const struct poet_plan* plan, struct poet_memory* memory, int32_t i,
                    poet_real* const* outputs, poet_real* losses) {
  const struct poet_instruction* instruction = &plan->instructions[i];
  const uint32_t start = poet_ticks();
  const int status = run(plan, instruction, memory, losses);
  if (status != POET_OK) {
    memory->failed = instruction->number;
    return status;
  }
  copy_outputs(plan, memory, i, outputs);
  poet_on_instruction(instruction->number, poet_ticks() - start);
  return POET_OK;
}

/* An interrupt ends before what it interrupted goes on. So nothing that is read after this changes
 * until leave(); what was read before may have. */
static int enter(const struct poet_plan* plan, struct poet_memory* memory) {
  if (!plan || !memory) return POET_NO_MEMORY;
  if (memory->is_busy) return POET_UNDER_WAY;
  memory->is_busy = 1;
  return POET_OK;
}

static int leave(struct poet_memory* memory, int status) {
  memory->is_busy = 0;
  return status;
}

static int begin(const struct poet_plan* plan, struct poet_memory* memory) {
  int status = memory->under_way ? POET_UNDER_WAY : expect_memory(plan, memory, 0);
  if (status == POET_OK) status = expect_targets(plan, memory);
  if (status != POET_OK) return status;
  poet_begin_step(&memory->optimizer);
  memory->under_way = 1;
  return POET_OK;
}

static int next(const struct poet_plan* plan, struct poet_memory* memory, poet_real* losses) {
  const int32_t number = memory->under_way;
  const int is_last = number == plan->instruction_count;
  int status;
  if (number <= 0 || number > plan->instruction_count) return POET_NO_STEP;
  status = run_next(plan, memory, number - 1, 0, losses);
  memory->under_way = status == POET_OK && !is_last ? number + 1 : 0;
  if (status == POET_OK && is_last) {
    poet_end_step(&memory->optimizer);
    ++memory->steps;
  }
  return status;
}

int poet_step_begin(const struct poet_plan* plan, struct poet_memory* memory) {
  const int status = enter(plan, memory);
  return status == POET_OK ? leave(memory, begin(plan, memory)) : status;
}

int poet_step_next(const struct poet_plan* plan, struct poet_memory* memory, poet_real* losses) {
  const int status = enter(plan, memory);
  return status == POET_OK ? leave(memory, next(plan, memory, losses)) : status;
}

int poet_step(const struct poet_plan* plan, struct poet_memory* memory, poet_real* losses) {
  int status = enter(plan, memory);
  if (status != POET_OK) return status;
  status = begin(plan, memory);
  while (status == POET_OK && memory->under_way) status = next(plan, memory, losses);
  return leave(memory, status);
}

static int infer(const struct poet_plan* plan, struct poet_memory* memory,
                 poet_real* const* outputs, poet_real* losses) {
  const int leaves_out_losses = !plan->reads_losses && !losses;
  int status = memory->under_way ? POET_UNDER_WAY : expect_memory(plan, memory, 1);
  int32_t i;
  if (status == POET_OK && !leaves_out_losses) status = expect_targets(plan, memory);
  if (status == POET_OK && plan->running_count > 0 && !memory->running) status = POET_NO_RUNNING;
  for (i = 0; i < plan->instruction_count && status == POET_OK; ++i) {
    if (leaves_out_losses && plan->instructions[i].loss >= 0) continue;
    status = run_next(plan, memory, i, outputs, losses);
  }
  return status;
}

int poet_infer(const struct poet_plan* plan, struct poet_memory* memory, poet_real* const* outputs,
               poet_real* losses) {
  const int status = enter(plan, memory);
  return status == POET_OK ? leave(memory, infer(plan, memory, outputs, losses)) : status;
}

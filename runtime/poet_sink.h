/* SPDX-License-Identifier: Apache-2.0 */
/* Where the gradient of a parameter goes.
 *
 * A kernel that makes the gradient of parameters makes it one parameter at a time: it sums all that
 * the batch contributes to parameter i in a register, and then calls poet_sink_put(sink, i, g)
 * once. The sink adds what came before, stores the sum, or applies it at once. With a fused update
 * there is no buffer of |W| at all. As the sum is complete before anything is done with it,
 *   gradient into a buffer, poet_update() later
 *   gradient into a buffer that others have added to, poet_update() later
 *   optimizer at once
 * give the same bits.
 *
 * Parameters are numbered through: the weights, then the biases (gamma, then beta), in the order in
 * which a layer's parameters lie in memory. A kernel calls the sink for each exactly once, in an
 * order that depends on the geometry only.
 *
 * The same kernels serve for the gradient of a plain tensor: a sink with only `gradient` set is a
 * store. */
#ifndef POET_SINK_H
#define POET_SINK_H

#include "poet_math.h"

enum poet_optimizer_kind { POET_SGD, POET_MOMENTUM, POET_ADAM };

/* Hyperparameters, and for Adam what depends on the step: zeros at first, set by
 * poet_begin_step() and poet_end_step(). */
struct poet_optimizer {
  int32_t kind; /* poet_optimizer_kind */
  poet_real learning_rate;
  poet_real momentum;     /* momentum: v = momentum v + g, w -= rate v */
  poet_real beta1, beta2; /* Adam (Kingma and Ba, 2015, Algorithm 1) */
  poet_real epsilon;
  /* What happens to a gradient before it is applied; 0: nothing. First it is limited to at most
   * largest_gradient and at least its negative, then weight_decay times the parameter is added, as
   * by PyTorch's optimizers. */
  poet_real largest_gradient, weight_decay;
  int32_t has_begun;          /* 0 until the first step has ended */
  poet_real decay1, decay2;   /* beta1^t, beta2^t after t steps that have ended */
  poet_real rate, root_scale; /* of step t: learning_rate / (1 - beta1^t), sqrt(1 - beta2^t) */
};

struct poet_sink {
  const poet_real* sum; /* earlier contributions, added first; NULL: none. May equal gradient */
  poet_real* gradient;  /* stored here; NULL: not stored */
  const struct poet_optimizer* optimizer; /* applied to what follows; NULL: not applied */
  poet_real* parameters;
  poet_real* first;  /* v of momentum, m of Adam, else unused */
  poet_real* second; /* v of Adam, else unused */
  /* Called with each complete gradient, for digests; NULL: not called. */
  void (*observe)(void* context, int32_t index, poet_real gradient);
  void* context;
  poet_real* running; /* of a batch norm: running means, then variances; NULL: not tracked */
};

static inline void poet_apply(const struct poet_sink* sink, int32_t i, poet_real g) {
  const struct poet_optimizer* o = sink->optimizer;
  const poet_real zero = 0, one = 1, largest = o->largest_gradient;
  if (largest > zero) g = g > largest ? largest : g < -largest ? -largest : g;
  if (o->weight_decay != zero) g += o->weight_decay * sink->parameters[i];
  if (o->kind == POET_SGD) {
    sink->parameters[i] -= o->learning_rate * g;
  } else if (o->kind == POET_MOMENTUM) {
    sink->first[i] = o->momentum * sink->first[i] + g;
    sink->parameters[i] -= o->learning_rate * sink->first[i];
  } else {
    const poet_real m = o->beta1 * sink->first[i] + (one - o->beta1) * g;
    const poet_real v = o->beta2 * sink->second[i] + (one - o->beta2) * (g * g);
    sink->first[i] = m;
    sink->second[i] = v;
    sink->parameters[i] -= o->rate * (m / (POET_SQRT(v) / o->root_scale + o->epsilon));
  }
}

static inline void poet_sink_put(const struct poet_sink* sink, int32_t i, poet_real g) {
  if (sink->sum) g = sink->sum[i] + g;
  if (sink->gradient) sink->gradient[i] = g;
  if (sink->observe) sink->observe(sink->context, i, g);
  if (sink->optimizer) poet_apply(sink, i, g);
}

/* The same for rows x columns parameters, number (i, j) of which is first + i row_step +
 * j column_step; the gradients lie row by row. What the sink does is decided once. */
void poet_sink_put_block(const struct poet_sink* sink, int32_t first, int32_t rows,
                         int32_t row_step, int32_t columns, int32_t column_step,
                         const poet_real* gradients);

/* The same for parameters first, first + step, ... */
static inline void poet_sink_put_run(const struct poet_sink* sink, int32_t first, int32_t step,
                                     const poet_real* gradients, int32_t count) {
  poet_sink_put_block(sink, first, 1, 0, count, step, gradients);
}

#endif

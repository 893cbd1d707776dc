/* SPDX-License-Identifier: Apache-2.0 */
/* Where gradients go: into the parameters by SGD, momentum or Adam, or into a buffer. */
#include "poet_block.h"
#include "poet_kernels.h"

/* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, of which a product that is rounded loses the last term. The
 * compiler must not know the numbers. */
int poet_fuses_products(void) {
  volatile float factor = 1.000244140625f, rest = -1.00048828125f;
  const float left = factor, right = factor, sum = rest;
  return left * right + sum != 0.0f;
}

/* beta^t for the step that comes, from beta^(t - 1). */
static poet_real next_decay(const struct poet_optimizer* o, poet_real decay, poet_real beta) {
  return o->has_begun ? decay * beta : beta;
}

POET_KERNEL void poet_begin_step(struct poet_optimizer* o) {
  const poet_real one = 1;
  o->rate = o->learning_rate / (one - next_decay(o, o->decay1, o->beta1));
  o->root_scale = POET_SQRT(one - next_decay(o, o->decay2, o->beta2));
}

POET_KERNEL void poet_end_step(struct poet_optimizer* o) {
  o->decay1 = next_decay(o, o->decay1, o->beta1);
  o->decay2 = next_decay(o, o->decay2, o->beta2);
  o->has_begun = 1;
}

POET_KERNEL void poet_update(int32_t count, const poet_real* gradient,
                             const struct poet_sink* sink) {
  poet_sink_put_run(sink, 0, 1, gradient, count);
}

/* For every kind of sink: apart, so that the usual cases below need no large frame. */
POET_APART void put_each(const struct poet_sink* sink, int32_t first, int32_t step,
                         const poet_real* gradients, int32_t count) {
  int32_t i;
  for (i = 0; i < count; ++i) poet_sink_put(sink, first + i * step, gradients[i]);
}

static void descend(poet_real rate, const poet_real* gradients, int32_t count, int32_t step,
                    poet_real* parameters) {
  int32_t i;
  if (step == 1) {
    for (i = 0; i < count; ++i) parameters[i] -= rate * gradients[i];
  } else {
    for (; count > 0; --count, parameters += step) *parameters -= rate * *gradients++;
  }
}

void poet_sink_put_block(const struct poet_sink* sink, int32_t first, int32_t rows,
                         int32_t row_step, int32_t columns, int32_t column_step,
                         const poet_real* gradients) {
  const struct poet_optimizer* o = sink->optimizer;
  const int is_plain = !sink->sum && !sink->observe;
  const int is_store = is_plain && !o && sink->gradient;
  const int is_sgd = is_plain && o && o->kind == POET_SGD && !sink->gradient &&
                     o->largest_gradient == (poet_real)0 && o->weight_decay == (poet_real)0;
  int32_t j;
  for (; rows > 0; --rows, first += row_step, gradients += columns) {
    if (is_sgd) {
      descend(o->learning_rate, gradients, columns, column_step, sink->parameters + first);
    } else if (is_store) {
      poet_real* at = sink->gradient + first;
      for (j = 0; j < columns; ++j, at += column_step) *at = gradients[j];
    } else {
      put_each(sink, first, column_step, gradients, columns);
    }
  }
}

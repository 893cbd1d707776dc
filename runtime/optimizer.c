#include "poet_kernels.h"

POET_KERNEL void poet_begin_step(struct poet_optimizer* optimizer) {
  struct poet_optimizer* o = optimizer;
  const poet_real one = 1;
  o->decay1 = o->has_begun ? o->decay1 * o->beta1 : o->beta1;
  o->decay2 = o->has_begun ? o->decay2 * o->beta2 : o->beta2;
  o->has_begun = 1;
  o->rate = o->learning_rate / (one - o->decay1);
  o->root_scale = POET_SQRT(one - o->decay2);
}

POET_KERNEL void poet_update(int32_t count, const poet_real* gradient,
                             const struct poet_sink* sink) {
  int32_t i;
  for (i = 0; i < count; ++i) poet_sink_put(sink, i, gradient[i]);
}

void poet_sink_put_run(const struct poet_sink* sink, int32_t first, int32_t step,
                       const poet_real* gradients, int32_t count) {
  const struct poet_optimizer* o = sink->optimizer;
  const int is_plain = !sink->sum && !sink->observe;
  int32_t i;
  if (is_plain && !o && sink->gradient) {
    poet_real* at = sink->gradient + first;
    for (i = 0; i < count; ++i, at += step) *at = gradients[i];
  } else if (is_plain && o && o->kind == POET_SGD && !sink->gradient) {
    poet_real* at = sink->parameters + first;
    for (i = 0; i < count; ++i, at += step) *at -= o->learning_rate * gradients[i];
  } else {
    for (i = 0; i < count; ++i) poet_sink_put(sink, first + i * step, gradients[i]);
  }
}

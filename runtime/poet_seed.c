/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_seed.h"

#include <string.h>

static const uint64_t kGolden = 0x9e3779b97f4a7c15u; /* 2^64 / the golden ratio, odd */

static uint64_t mix64(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

static uint64_t next_of(struct poet_random* random) {
  random->state += kGolden;
  return mix64(random->state);
}

struct poet_random poet_random_of(uint64_t seed, enum poet_stream stream, uint32_t tensor) {
  struct poet_random random;
  random.state = mix64(seed + kGolden) + (uint64_t)stream * kGolden;
  random.state = mix64(random.state) + tensor * kGolden;
  random.state = mix64(random.state);
  return random;
}

float poet_uniform(struct poet_random* random) {
  const float step = 1.0f / 8388608.0f; /* 2^-23 */
  return (float)(uint32_t)(next_of(random) >> 40) * step - 1.0f;
}

uint32_t poet_below(struct poet_random* random, uint32_t limit) {
  return (uint32_t)(next_of(random) >> 32) % limit;
}

float poet_weight_spread(float fan_in) {
  return poet_sqrtf(6.0f / fan_in);
}

void poet_fill_parameters(struct poet_random* random, const struct poet_initial* initial,
                          poet_real* values) {
  int32_t i;
  for (i = 0; i < initial->count; ++i) {
    values[i] = (poet_real)(initial->center + initial->spread * poet_uniform(random));
  }
}

void poet_fill_data(struct poet_random* random, int32_t count, int32_t index_limit, void* values) {
  unsigned char* at = values;
  int32_t i;
  for (i = 0; i < count; ++i, at += 4) {
    if (index_limit < 0) {
      memset(at, 0, 4);
    } else if (index_limit > 0) {
      const uint32_t index = poet_below(random, (uint32_t)index_limit);
      memcpy(at, &index, sizeof index);
    } else {
      const float number = poet_uniform(random);
      memcpy(at, &number, sizeof number);
    }
  }
}

struct poet_optimizer poet_usual_optimizer(enum poet_optimizer_kind kind) {
  struct poet_optimizer optimizer;
  memset(&optimizer, 0, sizeof optimizer);
  optimizer.kind = (int32_t)kind;
  optimizer.learning_rate = (poet_real)0.01f;
  optimizer.momentum = (poet_real)0.9f;
  if (kind == POET_ADAM) {
    optimizer.learning_rate = (poet_real)0.001f;
    optimizer.beta1 = (poet_real)0.9f;
    optimizer.beta2 = (poet_real)0.999f;
    optimizer.epsilon = (poet_real)1e-8f;
  }
  return optimizer;
}

uint32_t poet_dropout_seed(uint64_t seed, uint32_t step) {
  return (uint32_t)mix64(seed + step);
}

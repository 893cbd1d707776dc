/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers from a seed: parameters, data and dropped elements, with the same bits on a host and on a
 * device. Each number depends on the seed, the tensor and the index of the element alone, by the
 * finaliser of SplitMix64 (Steele, Lea and Flood, 2014). Compile with -ffp-contract=off. */
#ifndef POET_SEED_H
#define POET_SEED_H

#include "poet_sink.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a number is for. Numbers of two streams have nothing to do with each other. */
enum poet_stream { POET_STREAM_PARAMETERS = 1, POET_STREAM_INPUTS = 2, POET_STREAM_TARGETS = 3 };

/* The random numbers of one tensor, from its first element on. */
struct poet_random {
  uint64_t state;
};

struct poet_random poet_random_of(uint64_t seed, enum poet_stream stream, uint32_t tensor);

/* Uniform in [-1, 1), in steps of 2^-23: exact in a float. */
float poet_uniform(struct poet_random* random);
/* Uniform below `limit`, which is at least 1. */
uint32_t poet_below(struct poet_random* random, uint32_t limit);

/* What the elements of a tensor of parameters are at first: uniform within center +- spread. */
struct poet_initial {
  int32_t count;
  float center, spread;
};

/* Weights: within +-sqrt(6 / fan-in) (He et al., 2015). */
float poet_weight_spread(float fan_in);
/* Writes initial->count elements. */
void poet_fill_parameters(struct poet_random* random, const struct poet_initial* initial,
                          poet_real* values);
/* Writes `count` elements of an input or a target: float within +-1 if index_limit is 0, zeros if
 * it is negative, else int32_t below it. */
void poet_fill_data(struct poet_random* random, int32_t count, int32_t index_limit, void* values);

/* SGD and momentum with a rate of 0.01 and a momentum of 0.9; Adam with a rate of 0.001 and the
 * constants of Kingma and Ba (2015). */
struct poet_optimizer poet_usual_optimizer(enum poet_optimizer_kind kind);

/* poet_dropout_spec.seed[1] in a training step; steps count from 0. */
uint32_t poet_dropout_seed(uint64_t seed, uint32_t step);

#ifdef __cplusplus
}
#endif

#endif

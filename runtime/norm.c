/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_block.h"
#include "poet_copies.h"

/* Elements that are normalised together: `runs` runs of `length`, `stride` apart. */
struct region {
  int32_t runs, length, stride;
};

struct statistics {
  poet_real mean, scale; /* scale = 1 / sqrt(variance + epsilon) */
  poet_real squares;     /* the sum of (x - mean)^2 */
};

/* Mean first, then the mean square around it: stable, at the price of a second pass. */
static struct statistics statistics_of(struct region r, const poet_real* x, poet_real epsilon) {
  const poet_real count = (poet_real)(r.runs * r.length);
  struct statistics result;
  poet_real sum = 0, squares = 0;
  int32_t i, j;
  for (i = 0; i < r.runs; ++i) {
    for (j = 0; j < r.length; ++j) sum += x[i * r.stride + j];
  }
  result.mean = sum / count;
  for (i = 0; i < r.runs; ++i) {
    for (j = 0; j < r.length; ++j) {
      const poet_real d = x[i * r.stride + j] - result.mean;
      squares += d * d;
    }
  }
  result.scale = (poet_real)1 / POET_SQRT(squares / count + epsilon);
  result.squares = squares;
  return result;
}

static struct region channel_of(const struct poet_batch_norm_spec* b) {
  const struct region r = {.runs = b->batch, .length = b->plane, .stride = b->channels * b->plane};
  return r;
}

POET_KERNEL void poet_batch_norm(const struct poet_batch_norm_spec* b, const poet_real* x,
                                 const poet_real* gamma, const poet_real* beta, poet_real* y) {
  const struct region r = channel_of(b);
  int32_t c, n, i;
  for (c = 0; c < b->channels; ++c) {
    const struct statistics s = statistics_of(r, x + c * b->plane, b->epsilon);
    const poet_real scale = s.scale * gamma[c];
    for (n = 0; n < r.runs; ++n) {
      const int32_t at = n * r.stride + c * b->plane;
      for (i = at; i < at + r.length; ++i) y[i] = (x[i] - s.mean) * scale + beta[c];
    }
  }
}

/* PyTorch's: the variance of the running statistics is the unbiased one. */
static void track(const struct poet_batch_norm_spec* b, struct statistics s, int32_t c,
                  poet_real* running) {
  const int32_t count = b->batch * b->plane;
  const poet_real variance = s.squares / (poet_real)(count > 1 ? count - 1 : 1);
  running[c] = b->keep * running[c] + b->take * s.mean;
  running[b->channels + c] = b->keep * running[b->channels + c] + b->take * variance;
}

/* What a gradient reads: numbers, or bytes that are unpacked into a tile as it needs them. */
struct source {
  const poet_real* numbers;
  const struct poet_copy_spec* copy;
  const int8_t* bytes;
  poet_real* tile;
};

/* A channel of all samples, and in r where its runs lie. */
POET_INLINE const poet_real* channel_in(const struct source* from, int is_copy, int32_t c,
                                        struct region* r) {
  const int32_t first = c * r->length;
  int32_t n;
  if (!is_copy) return from->numbers + first;
  for (n = 0; n < r->runs; ++n) {
    poet_unpack(from->copy, from->bytes, first + n * r->stride, r->length,
                from->tile + n * r->length);
  }
  r->stride = r->length;
  return from->tile;
}

/* With h = (x - mean) scale: dgamma = sum of dy h, dbeta = sum of dy,
 * dx = gamma scale (dy - dbeta / m - h dgamma / m). The sink's parameters are what trains. */
POET_INLINE void batch_norm_grad(const struct poet_batch_norm_spec* b, int trains_gamma,
                                 int trains_beta, const struct source* from, int is_copy,
                                 const poet_real* dy, const poet_real* gamma, poet_real* dx,
                                 const struct poet_sink* dw) {
  const struct region r = channel_of(b);
  const poet_real count = (poet_real)(r.runs * r.length);
  int32_t c, n, i;
  for (c = 0; c < b->channels; ++c) {
    struct region of_x = r;
    const poet_real* x = channel_in(from, is_copy, c, &of_x);
    const struct statistics s = statistics_of(of_x, x, b->epsilon);
    poet_real dgamma = 0, dbeta = 0;
    for (n = 0; n < r.runs; ++n) {
      const int32_t at = n * r.stride + c * b->plane;
      const poet_real* run = x + n * of_x.stride;
      for (i = 0; i < r.length; ++i) {
        dgamma += dy[at + i] * ((run[i] - s.mean) * s.scale);
        dbeta += dy[at + i];
      }
    }
    for (n = 0; n < r.runs && dx; ++n) {
      const int32_t at = n * r.stride + c * b->plane;
      const poet_real* run = x + n * of_x.stride;
      for (i = 0; i < r.length; ++i) {
        const poet_real h = (run[i] - s.mean) * s.scale;
        dx[at + i] = gamma[c] * s.scale * (dy[at + i] - dbeta / count - h * (dgamma / count));
      }
    }
    if (!dw) continue;
    if (dw->running) track(b, s, c, dw->running);
    if (trains_gamma) poet_sink_put(dw, c, dgamma);
    if (trains_beta) poet_sink_put(dw, trains_gamma ? b->channels + c : c, dbeta);
  }
}

POET_KERNEL void poet_batch_norm_grad(const struct poet_batch_norm_spec* b, const poet_real* x,
                                      const poet_real* dy, const poet_real* gamma, poet_real* dx,
                                      const struct poet_sink* dw) {
  const struct source from = {.numbers = x};
  batch_norm_grad(b, 1, 1, &from, 0, dy, gamma, dx, dw);
}

POET_KERNEL void poet_batch_norm_grad_gamma(const struct poet_batch_norm_spec* b,
                                            const poet_real* x, const poet_real* dy,
                                            const poet_real* gamma, poet_real* dx,
                                            const struct poet_sink* dw) {
  const struct source from = {.numbers = x};
  batch_norm_grad(b, 1, 0, &from, 0, dy, gamma, dx, dw);
}

POET_KERNEL void poet_batch_norm_grad_beta(const struct poet_batch_norm_spec* b, const poet_real* x,
                                           const poet_real* dy, const poet_real* gamma,
                                           poet_real* dx, const struct poet_sink* dw) {
  const struct source from = {.numbers = x};
  batch_norm_grad(b, 0, 1, &from, 0, dy, gamma, dx, dw);
}

/* Of bytes: all three, as speed is not what tells them apart. */
static void batch_norm_grad_of_bytes(const struct poet_batch_norm_copy_spec* b, int trains_gamma,
                                     int trains_beta, const int8_t* x, const poet_real* dy,
                                     const poet_real* gamma, struct poet_workspace* tile,
                                     poet_real* dx, const struct poet_sink* dw) {
  const struct source from = {.copy = &b->copy, .bytes = x, .tile = poet_tile_of(tile)};
  batch_norm_grad(&b->norm, trains_gamma, trains_beta, &from, 1, dy, gamma, dx, dw);
}

POET_KERNEL void poet_batch_norm_grad_of_bytes(const struct poet_batch_norm_copy_spec* b,
                                               const int8_t* x, const poet_real* dy,
                                               const poet_real* gamma, struct poet_workspace* tile,
                                               poet_real* dx, const struct poet_sink* dw) {
  batch_norm_grad_of_bytes(b, 1, 1, x, dy, gamma, tile, dx, dw);
}

POET_KERNEL void poet_batch_norm_grad_gamma_of_bytes(const struct poet_batch_norm_copy_spec* b,
                                                     const int8_t* x, const poet_real* dy,
                                                     const poet_real* gamma,
                                                     struct poet_workspace* tile, poet_real* dx,
                                                     const struct poet_sink* dw) {
  batch_norm_grad_of_bytes(b, 1, 0, x, dy, gamma, tile, dx, dw);
}

POET_KERNEL void poet_batch_norm_grad_beta_of_bytes(const struct poet_batch_norm_copy_spec* b,
                                                    const int8_t* x, const poet_real* dy,
                                                    const poet_real* gamma,
                                                    struct poet_workspace* tile, poet_real* dx,
                                                    const struct poet_sink* dw) {
  batch_norm_grad_of_bytes(b, 0, 1, x, dy, gamma, tile, dx, dw);
}

POET_KERNEL void poet_frozen_norm(const struct poet_batch_norm_spec* b, const poet_real* x,
                                  const poet_real* gamma, const poet_real* beta, poet_real* y) {
  int32_t n, c, i;
  for (n = 0; n < b->batch; ++n) {
    for (c = 0; c < b->channels; ++c) {
      for (i = 0; i < b->plane; ++i) *y++ = *x++ * gamma[c] + beta[c];
    }
  }
}

POET_KERNEL void poet_running_norm(const struct poet_batch_norm_spec* b, const poet_real* x,
                                   const poet_real* gamma, const poet_real* beta,
                                   const poet_real* mean, const poet_real* variance, poet_real* y) {
  int32_t c, n, i;
  for (c = 0; c < b->channels; ++c) {
    const poet_real scale = gamma[c] / POET_SQRT(variance[c] + b->epsilon);
    const poet_real shift = beta[c] - mean[c] * scale;
    for (n = 0; n < b->batch; ++n) {
      const int32_t at = (n * b->channels + c) * b->plane;
      for (i = at; i < at + b->plane; ++i) y[i] = x[i] * scale + shift;
    }
  }
}

POET_KERNEL void poet_frozen_norm_grad(const struct poet_batch_norm_spec* b, const poet_real* dy,
                                       const poet_real* gamma, poet_real* dx) {
  int32_t n, c, i;
  for (n = 0; n < b->batch; ++n) {
    for (c = 0; c < b->channels; ++c) {
      for (i = 0; i < b->plane; ++i) *dx++ = *dy++ * gamma[c];
    }
  }
}

static struct statistics group_statistics(const struct poet_group_norm_spec* n,
                                          const poet_real* x) {
  const int32_t size = n->channels * n->plane;
  const struct region r = {.runs = 1, .length = size, .stride = size};
  return statistics_of(r, x, n->epsilon);
}

POET_KERNEL void poet_group_norm(const struct poet_group_norm_spec* n, const poet_real* x,
                                 const poet_real* gamma, const poet_real* beta, poet_real* y) {
  const int is_line = n->plane == 1 && beta;
  int32_t i, c, j;
  for (i = 0; i < n->samples * n->groups; ++i) {
    const struct statistics s = group_statistics(n, x);
    const int32_t first = i % n->groups * n->channels, end = first + n->channels;
    for (c = first; c < end && is_line; ++c) {
      *y++ = (*x++ - s.mean) * s.scale * gamma[c] + beta[c];
    }
    for (c = first; c < end && !is_line; ++c) {
      for (j = 0; j < n->plane; ++j) {
        const poet_real h = (*x++ - s.mean) * s.scale;
        *y++ = beta ? h * gamma[c] + beta[c] : h * gamma[c];
      }
    }
  }
}

/* t to scale (t - mean of t - h mean of t h) in one group of one sample. */
static void finish_group(int32_t size, struct statistics s, const poet_real* x, poet_real* dx) {
  const poet_real count = (poet_real)size;
  poet_real sum = 0, products = 0, mean, mean_product;
  int32_t i;
  for (i = 0; i < size; ++i) {
    sum += dx[i];
    products += dx[i] * ((x[i] - s.mean) * s.scale);
  }
  mean = sum / count;
  mean_product = products / count;
  for (i = 0; i < size; ++i) {
    const poet_real h = (x[i] - s.mean) * s.scale;
    dx[i] = s.scale * (dx[i] - mean - h * mean_product);
  }
}

/* Channels whose gradients are summed side by side: the statistics of each sample are computed once
 * for all of them. */
enum { kNormLanes = 64 };

/* Gradients of gamma and beta of some channels, as far as they are summed. */
struct scale_sums {
  poet_real gamma[kNormLanes], beta[kNormLanes];
};

/* Adds what channels give in one sample. In the same pass t = gamma dy takes the place of dx, so
 * that the sink may change gamma, and dx may be over dy: what is left to do needs t and x only. */
static void add_scale_gradients(int32_t lanes, int32_t plane, struct statistics s,
                                const poet_real* x, const poet_real* dy, const poet_real* gamma,
                                poet_real* dx, struct scale_sums* sums) {
  int32_t u, j;
  if (plane == 1) {
    for (u = 0; u < lanes; ++u) {
      const poet_real gradient = dy[u];
      sums->gamma[u] += gradient * ((x[u] - s.mean) * s.scale);
      sums->beta[u] += gradient;
      if (dx) dx[u] = gradient * gamma[u];
    }
    return;
  }
  for (u = 0; u < lanes; ++u) {
    poet_real dgamma = sums->gamma[u], dbeta = sums->beta[u];
    for (j = plane; j > 0; --j) {
      const poet_real gradient = *dy++;
      dgamma += gradient * ((*x++ - s.mean) * s.scale);
      dbeta += gradient;
      if (dx) *dx++ = gradient * gamma[u];
    }
    sums->gamma[u] = dgamma;
    sums->beta[u] = dbeta;
  }
}

/* A group of one sample. */
POET_INLINE const poet_real* group_in(const struct poet_group_norm_spec* n,
                                      const struct source* from, int is_copy, int32_t first) {
  if (!is_copy) return from->numbers + first;
  poet_unpack(from->copy, from->bytes, first, n->channels * n->plane, from->tile);
  return from->tile;
}

/* Channels c to c + lanes - 1 of group g, over all samples. dx is complete with the last ones. */
POET_INLINE void scale_gradients(const struct poet_group_norm_spec* n, int32_t g, int32_t c,
                                 int32_t lanes, const struct source* from, int is_copy,
                                 const poet_real* dy, const poet_real* gamma, poet_real* dx,
                                 const struct poet_sink* dw) {
  const int32_t size = n->channels * n->plane;
  const int32_t first = g * n->channels + c;
  struct scale_sums sums = {{0}, {0}};
  int32_t i;
  for (i = 0; i < n->samples; ++i) {
    const int32_t group = (i * n->groups + g) * size, at = group + c * n->plane;
    const poet_real* x = group_in(n, from, is_copy, group);
    const struct statistics s = group_statistics(n, x);
    add_scale_gradients(lanes, n->plane, s, x + c * n->plane, dy + at, gamma + first,
                        dx ? dx + at : 0, &sums);
    if (dx && c + lanes == n->channels) finish_group(size, s, x, dx + group);
  }
  for (i = 0; i < lanes && dw; ++i) {
    poet_sink_put(dw, first + i, sums.gamma[i]);
    if (n->has_bias) poet_sink_put(dw, n->groups * n->channels + first + i, sums.beta[i]);
  }
}

POET_INLINE void group_norm_grad(const struct poet_group_norm_spec* n, const struct source* from,
                                 int is_copy, const poet_real* dy, const poet_real* gamma,
                                 poet_real* dx, const struct poet_sink* dw) {
  int32_t g, c;
  for (g = 0; g < n->groups; ++g) {
    for (c = 0; c < n->channels; c += kNormLanes) {
      const int32_t rest = n->channels - c;
      scale_gradients(n, g, c, rest < kNormLanes ? rest : kNormLanes, from, is_copy, dy, gamma, dx,
                      dw);
    }
  }
}

POET_KERNEL void poet_group_norm_grad(const struct poet_group_norm_spec* n, const poet_real* x,
                                      const poet_real* dy, const poet_real* gamma, poet_real* dx,
                                      const struct poet_sink* dw) {
  const struct source from = {.numbers = x};
  group_norm_grad(n, &from, 0, dy, gamma, dx, dw);
}

POET_KERNEL void poet_group_norm_grad_of_bytes(const struct poet_group_norm_copy_spec* n,
                                               const int8_t* x, const poet_real* dy,
                                               const poet_real* gamma, struct poet_workspace* tile,
                                               poet_real* dx, const struct poet_sink* dw) {
  const struct source from = {.copy = &n->copy, .bytes = x, .tile = poet_tile_of(tile)};
  group_norm_grad(&n->norm, &from, 1, dy, gamma, dx, dw);
}

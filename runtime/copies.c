/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of forward tensors for gradients: a byte for each number and a scale for each group, or a
 * bit for each number of a rectifier. Gradients unpack a tile of the bytes, and run the loops of
 * the kernels that read numbers on it: results have the bits of these on the unpacked numbers. */
#include "poet_copies.h"

#include "poet_block.h"

static const poet_real kMostSteps = 127;

/* A byte for each number, padded to whole scales, comes before the scales. */
static int32_t padded(const struct poet_copy_spec* c) {
  return (c->groups * c->group_size + 3) / 4 * 4;
}

/* The largest magnitude; a NaN if one is not finite. */
static poet_real largest_magnitude(const poet_real* x, int32_t count) {
  poet_real largest = 0;
  int32_t i;
  for (i = 0; i < count; ++i) {
    const poet_real size = x[i] < (poet_real)0 ? -x[i] : x[i];
    if (!(size - size == (poet_real)0)) return size - size;
    if (size > largest) largest = size;
  }
  return largest;
}

/* A step of zero would lose the sign of what is left. */
static poet_real step_of(poet_real largest) {
  const poet_real step = largest / kMostSteps;
  return step == (poet_real)0 ? largest : step;
}

/* To the nearest whole number, ties to even: a sum with 1.5 times 2 to the number of its bits has
 * no others. */
static poet_real rounded(poet_real value) {
  const poet_real shift = (poet_real)(sizeof value == 4 ? 12582912.0 : 6755399441055744.0);
  const poet_real shifted = value + shift;
  return shifted - shift;
}

static int8_t byte_of(const struct poet_copy_spec* c, poet_real x, poet_real step) {
  poet_real byte = rounded(x / step);
  if (byte > kMostSteps) byte = kMostSteps;
  if (byte < -kMostSteps) byte = -kMostSteps;
  if (c->keeps_sign && byte == (poet_real)0) {
    byte = (poet_real)((x > (poet_real)0) - (x < (poet_real)0));
  }
  return (int8_t)byte;
}

POET_KERNEL void poet_copy_int8(const struct poet_copy_spec* c, const poet_real* x, int8_t* y) {
  poet_real* scale = (poet_real*)(void*)(y + padded(c));
  int32_t g, i;
  for (i = c->groups * c->group_size; i < padded(c); ++i) y[i] = 0;
  for (g = 0; g < c->groups; ++g, x += c->group_size, y += c->group_size) {
    const poet_real step = step_of(largest_magnitude(x, c->group_size));
    const int has_steps = step > (poet_real)0;
    scale[g] = step;
    for (i = 0; i < c->group_size; ++i) y[i] = has_steps ? byte_of(c, x[i], step) : 0;
  }
}

/* The scale of number `first`. */
static const poet_real* scales_from(const struct poet_copy_spec* c, const int8_t* bytes,
                                    int32_t first) {
  return (const poet_real*)(const void*)(bytes + padded(c)) + first / c->group_size;
}

/* Sixteen at a time: the end of a loop would be a third of the instructions. */
static void unpack_run(const int8_t* bytes, poet_real scale, int32_t count, poet_real* out) {
  enum { kPart = 16 };
  int32_t i;
  for (; count >= kPart; count -= kPart, bytes += kPart, out += kPart) {
    POET_UNROLL for (i = 0; i < kPart; ++i) out[i] = (poet_real)bytes[i] * scale;
  }
  for (i = 0; i < count; ++i) out[i] = (poet_real)bytes[i] * scale;
}

void poet_unpack(const struct poet_copy_spec* c, const int8_t* bytes, int32_t first, int32_t count,
                 poet_real* out) {
  const poet_real* scale = scales_from(c, bytes, first);
  int32_t rest = c->group_size - first % c->group_size;
  bytes += first;
  for (; count > 0; count -= rest, rest = c->group_size, ++scale) {
    if (rest > count) rest = count;
    unpack_run(bytes, *scale, rest, out);
    out += rest;
    bytes += rest;
  }
}

/* ---- activations ---- */

typedef void map_gradient(const struct poet_map_spec* m, const poet_real* x, const poet_real* dy,
                          poet_real* dx);

static void map_of_bytes(const struct poet_map_copy_spec* m, map_gradient* gradient,
                         const int8_t* x, const poet_real* dy, poet_real* dx) {
  enum { kRun = 64 };
  poet_real numbers[kRun];
  struct poet_map_spec run = m->map;
  int32_t i;
  for (i = 0; i < m->map.count; i += run.count) {
    const int32_t rest = m->map.count - i;
    run.count = rest < kRun ? rest : kRun;
    poet_unpack(&m->copy, x, i, run.count, numbers);
    gradient(&run, numbers, dy + i, dx + i);
  }
}

#define MAP_OF_BYTES(name)                                                                       \
  POET_KERNEL void poet_##name##_grad_of_bytes(                                                  \
      const struct poet_map_copy_spec* m, const int8_t* x, const poet_real* dy, poet_real* dx) { \
    map_of_bytes(m, poet_##name##_grad, x, dy, dx);                                              \
  }
MAP_OF_BYTES(relu)
MAP_OF_BYTES(relu6)
MAP_OF_BYTES(leaky_relu)
MAP_OF_BYTES(sigmoid)
MAP_OF_BYTES(tanh)
MAP_OF_BYTES(elu)
MAP_OF_BYTES(hard_sigmoid)
MAP_OF_BYTES(hard_swish)
MAP_OF_BYTES(silu)
MAP_OF_BYTES(gelu)

/* ---- bits of rectifiers: whether the gradient passes ---- */

static void copy_bits(int32_t count, const poet_real* x, int below_6, uint8_t* y) {
  int32_t i, j;
  for (i = 0; i < count; i += 8, ++y) {
    const int32_t rest = count - i < 8 ? count - i : 8;
    unsigned bits = 0;
    for (j = 0; j < rest; ++j) {
      const poet_real value = x[i + j];
      if (value > (poet_real)0 && (!below_6 || value < (poet_real)6)) bits |= 1u << j;
    }
    *y = (uint8_t)bits;
  }
}

POET_KERNEL void poet_relu_bits(const struct poet_map_spec* m, const poet_real* x, uint8_t* y) {
  copy_bits(m->count, x, 0, y);
}

POET_KERNEL void poet_relu6_bits(const struct poet_map_spec* m, const poet_real* x, uint8_t* y) {
  copy_bits(m->count, x, 1, y);
}

static int bit_of(const uint8_t* bits, int32_t i) {
  return bits[i / 8] >> i % 8 & 1;
}

POET_KERNEL void poet_relu_grad_of_bits(const struct poet_map_spec* m, const uint8_t* y,
                                        const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) dx[i] = bit_of(y, i) ? dy[i] : (poet_real)0;
}

POET_KERNEL void poet_leaky_relu_grad_of_bits(const struct poet_map_spec* m, const uint8_t* y,
                                              const poet_real* dy, poet_real* dx) {
  int32_t i;
  for (i = 0; i < m->count; ++i) {
    const poet_real gradient = dy[i];
    dx[i] = bit_of(y, i) ? gradient : gradient * m->slope;
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_kernels.h"

/* What one element of Y, or of its gradient, contributes. */
enum term { TERM_ADD, TERM_SUB, TERM_MUL, TERM_DIV, TERM_DY, TERM_MINUS_DY, TERM_DIV_B };

static inline poet_real term_of(enum term term, poet_real a, poet_real b, poet_real dy) {
  switch (term) {
    case TERM_ADD:
      return a + b;
    case TERM_SUB:
      return a - b;
    case TERM_MUL:
      return a * b;
    case TERM_DIV:
      return a / b;
    case TERM_MINUS_DY:
      return -dy;
    case TERM_DIV_B:
      return -(dy * a) / (b * b);
    case TERM_DY:
      break;
  }
  return dy;
}

/* The next index in row-major order; 0 after the last one. */
static int advance(int32_t at[4], const int32_t extent[4]) {
  int32_t d;
  for (d = 3; d >= 0; --d) {
    if (++at[d] < extent[d]) return 1;
    at[d] = 0;
  }
  return 0;
}

static int32_t offset_of(const int32_t at[4], const int32_t stride[4]) {
  return at[0] * stride[0] + at[1] * stride[1] + at[2] * stride[2] + at[3] * stride[3];
}

static inline void broadcast_map(const struct poet_broadcast_spec* s, enum term term,
                                 const poet_real* a, const poet_real* b, poet_real* y) {
  const int32_t rows[4] = {s->extent[0], s->extent[1], s->extent[2], 1};
  int32_t at[4] = {0};
  do {
    const poet_real* left = a + offset_of(at, s->stride_a);
    const poet_real* right = b + offset_of(at, s->stride_b);
    int32_t i;
    for (i = 0; i < s->extent[3]; ++i) {
      *y++ = term_of(term, left[i * s->stride_a[3]], right[i * s->stride_b[3]], 0);
    }
  } while (advance(at, rows));
}

POET_KERNEL void poet_add(const struct poet_broadcast_spec* s, const poet_real* a,
                          const poet_real* b, poet_real* y) {
  broadcast_map(s, TERM_ADD, a, b, y);
}

POET_KERNEL void poet_sub(const struct poet_broadcast_spec* s, const poet_real* a,
                          const poet_real* b, poet_real* y) {
  broadcast_map(s, TERM_SUB, a, b, y);
}

POET_KERNEL void poet_mul(const struct poet_broadcast_spec* s, const poet_real* a,
                          const poet_real* b, poet_real* y) {
  broadcast_map(s, TERM_MUL, a, b, y);
}

POET_KERNEL void poet_div(const struct poet_broadcast_spec* s, const poet_real* a,
                          const poet_real* b, poet_real* y) {
  broadcast_map(s, TERM_DIV, a, b, y);
}

/* Operands of a term at an index of Y; a NULL operand is not read. */
struct operands {
  const poet_real *a, *b, *dy;
  int32_t stride_y[4];
};

static inline poet_real term_at(const struct poet_broadcast_spec* s, const struct operands* o,
                                enum term term, const int32_t at[4]) {
  const poet_real a = o->a ? o->a[offset_of(at, s->stride_a)] : (poet_real)0;
  const poet_real b = o->b ? o->b[offset_of(at, s->stride_b)] : (poet_real)0;
  const poet_real dy = o->dy[offset_of(at, o->stride_y)];
  switch (term) {
    case TERM_MUL:
      return dy * (o->a ? a : b);
    case TERM_DIV:
      return dy / b;
    default:
      return term_of(term, a, b, dy);
  }
}

/* The gradient of a side: for each of its elements the sum over all that it was repeated for. */
static void reduce(const struct poet_broadcast_spec* s, const int32_t own_stride[4], enum term term,
                   const poet_real* a, const poet_real* b, const poet_real* dy,
                   const struct poet_sink* out) {
  struct operands o = {.a = a, .b = b, .dy = dy, .stride_y = {0, 0, 0, 1}};
  int32_t own[4], repeated[4], first[4] = {0};
  int32_t d, i = 0;
  for (d = 2; d >= 0; --d) o.stride_y[d] = o.stride_y[d + 1] * s->extent[d + 1];
  for (d = 0; d < 4; ++d) {
    own[d] = own_stride[d] != 0 ? s->extent[d] : 1;
    repeated[d] = own_stride[d] != 0 ? 1 : s->extent[d];
  }
  do {
    int32_t step[4] = {0};
    poet_real sum = 0;
    do {
      const int32_t at[4] = {first[0] + step[0], first[1] + step[1], first[2] + step[2],
                             first[3] + step[3]};
      sum += term_at(s, &o, term, at);
    } while (advance(step, repeated));
    poet_sink_put(out, i++, sum);
  } while (advance(first, own));
}

POET_KERNEL void poet_add_grad_a(const struct poet_broadcast_spec* s, const poet_real* dy,
                                 const struct poet_sink* da) {
  reduce(s, s->stride_a, TERM_DY, 0, 0, dy, da);
}

POET_KERNEL void poet_add_grad_b(const struct poet_broadcast_spec* s, const poet_real* dy,
                                 const struct poet_sink* db) {
  reduce(s, s->stride_b, TERM_DY, 0, 0, dy, db);
}

POET_KERNEL void poet_sub_grad_a(const struct poet_broadcast_spec* s, const poet_real* dy,
                                 const struct poet_sink* da) {
  reduce(s, s->stride_a, TERM_DY, 0, 0, dy, da);
}

POET_KERNEL void poet_sub_grad_b(const struct poet_broadcast_spec* s, const poet_real* dy,
                                 const struct poet_sink* db) {
  reduce(s, s->stride_b, TERM_MINUS_DY, 0, 0, dy, db);
}

POET_KERNEL void poet_mul_grad_a(const struct poet_broadcast_spec* s, const poet_real* b,
                                 const poet_real* dy, const struct poet_sink* da) {
  reduce(s, s->stride_a, TERM_MUL, 0, b, dy, da);
}

POET_KERNEL void poet_mul_grad_b(const struct poet_broadcast_spec* s, const poet_real* a,
                                 const poet_real* dy, const struct poet_sink* db) {
  reduce(s, s->stride_b, TERM_MUL, a, 0, dy, db);
}

POET_KERNEL void poet_div_grad_a(const struct poet_broadcast_spec* s, const poet_real* b,
                                 const poet_real* dy, const struct poet_sink* da) {
  reduce(s, s->stride_a, TERM_DIV, 0, b, dy, da);
}

POET_KERNEL void poet_div_grad_b(const struct poet_broadcast_spec* s, const poet_real* a,
                                 const poet_real* b, const poet_real* dy,
                                 const struct poet_sink* db) {
  reduce(s, s->stride_b, TERM_DIV_B, a, b, dy, db);
}

/* How many elements each element of Y is the mean of. */
static poet_real averaged_count(const struct poet_mean_spec* m) {
  int32_t count = 1;
  int32_t d;
  for (d = 0; d < 4; ++d) {
    if (m->stride[d] == 0) count *= m->extent[d];
  }
  return (poet_real)count;
}

static int32_t size_of_mean(const struct poet_mean_spec* m) {
  int32_t size = 1;
  int32_t d;
  for (d = 0; d < 4; ++d) {
    if (m->stride[d] != 0) size *= m->extent[d];
  }
  return size;
}

POET_KERNEL void poet_mean(const struct poet_mean_spec* m, const poet_real* x, poet_real* y) {
  const poet_real count = averaged_count(m);
  const int32_t size = size_of_mean(m);
  int32_t a, b, c, d;
  for (a = 0; a < size; ++a) y[a] = 0;
  for (a = 0; a < m->extent[0]; ++a) {
    for (b = 0; b < m->extent[1]; ++b) {
      for (c = 0; c < m->extent[2]; ++c) {
        poet_real* to = y + a * m->stride[0] + b * m->stride[1] + c * m->stride[2];
        for (d = 0; d < m->extent[3]; ++d) to[d * m->stride[3]] += *x++;
      }
    }
  }
  for (a = 0; a < size; ++a) y[a] /= count;
}

POET_KERNEL void poet_mean_grad(const struct poet_mean_spec* m, const poet_real* dy,
                                poet_real* dx) {
  const poet_real count = averaged_count(m);
  int32_t a, b, c, d;
  for (a = 0; a < m->extent[0]; ++a) {
    for (b = 0; b < m->extent[1]; ++b) {
      for (c = 0; c < m->extent[2]; ++c) {
        const poet_real* from = dy + a * m->stride[0] + b * m->stride[1] + c * m->stride[2];
        for (d = 0; d < m->extent[3]; ++d) *dx++ = from[d * m->stride[3]] / count;
      }
    }
  }
}

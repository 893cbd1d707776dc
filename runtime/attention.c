/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_copies.h"
#include "poet_lanes.h"
#include "poet_product.h"

POET_KERNEL void poet_attention_layout(struct poet_attention_spec* a) {
  a->row_stride = a->heads * a->head_dim;
  a->output_stride = a->row_stride;
  a->head_stride = a->head_dim;
  a->element_stride = 1;
  a->probability_head = a->queries * a->keys;
  a->probability_query = a->keys;
  a->probability_key = 1;
}

POET_KERNEL void poet_attention_qkv_layout(struct poet_attention_spec* a) {
  a->row_stride = 3 * a->heads * a->head_dim;
  a->output_stride = a->heads * a->head_dim;
  a->head_stride = 1;
  a->element_stride = a->heads;
  a->probability_head = 1;
  a->probability_query = a->keys * a->heads;
  a->probability_key = a->heads;
}

/* Where a head of a sample begins: in queries (rows of row_stride), keys and values (likewise),
 * outputs, and probabilities. */
struct head {
  int32_t query, key, output, probability;
};

static struct head head_of(const struct poet_attention_spec* a, int32_t sample, int32_t h) {
  const struct head at = {
      .query = sample * a->queries * a->row_stride + h * a->head_stride,
      .key = sample * a->keys * a->row_stride + h * a->head_stride,
      .output = sample * a->queries * a->output_stride + h * a->head_stride,
      .probability = sample * a->heads * a->queries * a->keys + h * a->probability_head};
  return at;
}

static poet_real score_scale(const struct poet_attention_spec* a) {
  return (poet_real)1 / POET_SQRT((poet_real)a->head_dim);
}

/* The keys that query s sees. */
static int32_t keys_seen(const struct poet_attention_spec* a, int32_t s) {
  return a->causal && s + 1 < a->keys ? s + 1 : a->keys;
}

/* Softmax of scale times the scores of query s, in place; 0 for keys that it does not see. */
static void softmax_row(const struct poet_attention_spec* a, int32_t s, poet_real scale,
                        poet_real* row) {
  const int32_t step = a->probability_key;
  const int32_t seen = keys_seen(a, s), end = a->keys * step;
  int32_t t;
  for (t = 0; t < seen * step; t += step) row[t] *= scale;
  poet_softmax_line(row, step, seen, row);
  for (; t < end; t += step) row[t] = 0;
}

/* Products of all rows of queries or outputs with all keys or values of a head, laid out as P. */
static struct poet_product_spec scores_product(const struct poet_attention_spec* a,
                                               const poet_real* rows, int32_t row_stride,
                                               const poet_real* keys, int32_t probability) {
  const struct poet_product_spec p = {.rows = a->queries,
                                      .inner = a->head_dim,
                                      .columns = a->keys,
                                      .a = rows,
                                      .a_row = row_stride,
                                      .a_inner = a->element_stride,
                                      .b = keys,
                                      .b_inner = a->element_stride,
                                      .b_column = a->row_stride,
                                      .first = probability,
                                      .out_row = a->probability_query,
                                      .out_column = a->probability_key};
  return p;
}

POET_KERNEL void poet_attention_scores(const struct poet_attention_spec* a, const poet_real* q,
                                       const poet_real* k, poet_real* p) {
  const struct poet_sink out = {.gradient = p};
  int32_t n, h, s;
  for (n = 0; n < a->batch; ++n) {
    for (h = 0; h < a->heads; ++h) {
      const struct head at = head_of(a, n, h);
      const struct poet_product_spec scores =
          scores_product(a, q + at.query, a->row_stride, k + at.key, at.probability);
      poet_product(&scores, &out);
      for (s = 0; s < a->queries; ++s) {
        softmax_row(a, s, score_scale(a), p + at.probability + s * a->probability_query);
      }
    }
  }
}

/* For each head, out = M R, where M is P or its gradient or the transpose of one, and R has a row
 * for each column of M. */
static void times_rows(const struct poet_attention_spec* a, const poet_real* m, int is_transposed,
                       const poet_real* rows, int32_t row_stride, poet_real* out,
                       int32_t out_stride) {
  const struct poet_sink sink = {.gradient = out};
  int32_t n, h;
  for (n = 0; n < a->batch; ++n) {
    for (h = 0; h < a->heads; ++h) {
      const int32_t inner = is_transposed ? a->queries : a->keys;
      const int32_t count = is_transposed ? a->keys : a->queries;
      const int32_t query = a->probability_query;
      const int32_t key = a->probability_key;
      const struct poet_product_spec p = {.rows = count,
                                          .inner = inner,
                                          .columns = a->head_dim,
                                          .a = m + head_of(a, n, h).probability,
                                          .a_row = is_transposed ? key : query,
                                          .a_inner = is_transposed ? query : key,
                                          .b = rows + n * inner * row_stride + h * a->head_stride,
                                          .b_inner = row_stride,
                                          .b_column = a->element_stride,
                                          .first = n * count * out_stride + h * a->head_stride,
                                          .out_row = out_stride,
                                          .out_column = a->element_stride};
      poet_product(&p, &sink);
    }
  }
}

POET_KERNEL void poet_attention_context(const struct poet_attention_spec* a, const poet_real* p,
                                        const poet_real* v, poet_real* y) {
  times_rows(a, p, 0, v, a->row_stride, y, a->output_stride);
}

/* Room for some rows and keys of dP, which has no other one: whole rows, if one fits. */
#if POET_LANES >= 8
enum { kGradientRows = 16, kGradientRoom = 8192 };
#else
enum { kGradientRows = 4, kGradientRoom = 64 };
#endif

struct part_of_scores {
  int32_t row, rows, key, keys;
};

/* dP = dY V^T: `all` is the product for a whole head. */
static void probability_gradients(struct poet_product_spec all, const struct part_of_scores* part,
                                  poet_real* dp) {
  const struct poet_sink out = {.gradient = dp};
  all.a += part->row * all.a_row;
  all.rows = part->rows;
  all.b += part->key * all.b_column;
  all.columns = part->keys;
  all.first = 0;
  all.out_row = part->keys;
  all.out_column = 1;
  poet_product(&all, &out);
}

/* dot plus the sum of P dP over some keys of a query, which are p_step and dp_step apart. */
static poet_real add_products(int32_t keys, const poet_real* p, int32_t p_step, const poet_real* dp,
                              int32_t dp_step, poet_real dot) {
  for (; keys > 0; --keys, p += p_step, dp += dp_step) dot += *p * *dp;
  return dot;
}

/* dS, p_step apart like P. */
static void finish_scores(int32_t keys, const poet_real* p, int32_t p_step, const poet_real* dp,
                          int32_t dp_step, poet_real dot, poet_real scale, poet_real* ds) {
  for (; keys > 0; --keys, p += p_step, dp += dp_step, ds += p_step) {
    *ds = *p * (*dp - dot) * scale;
  }
}

/* dS over P, some rows at a time: the sum is of a whole row, so what does not fit is computed a
 * second time. */
static void gradients_in_place(const struct poet_attention_spec* a,
                               const struct poet_product_spec* all, poet_real scale, poet_real* p) {
  poet_real dp[kGradientRoom], dot[kGradientRows];
  const int32_t step = a->probability_key, whole = kGradientRoom / a->keys;
  const int32_t rows = whole > 0 && whole < kGradientRows ? whole : kGradientRows;
  const int32_t keys = whole > 0 ? a->keys : kGradientRoom / kGradientRows;
  struct part_of_scores part;
  int32_t pass, r;
  for (part.row = 0; part.row < a->queries; part.row += part.rows) {
    poet_real* const first = p + all->first + part.row * a->probability_query;
    const int32_t rest = a->queries - part.row;
    part.rows = rest < rows ? rest : rows;
    for (r = 0; r < part.rows; ++r) dot[r] = 0;
    for (pass = 0; pass < 2; ++pass) {
      for (part.key = 0; part.key < a->keys; part.key += part.keys) {
        part.keys = a->keys - part.key < keys ? a->keys - part.key : keys;
        if (pass == 0 || whole == 0) probability_gradients(*all, &part, dp);
        for (r = 0; r < part.rows; ++r) {
          poet_real* row = first + r * a->probability_query + part.key * step;
          const poet_real* gradients = dp + r * part.keys;
          if (pass == 0) dot[r] = add_products(part.keys, row, step, gradients, 1, dot[r]);
          if (pass == 1) finish_scores(part.keys, row, step, gradients, 1, dot[r], scale, row);
        }
      }
    }
  }
}

/* dS = P (dP - sum of P dP) scale of a row, whose dP is in the place of dS. */
static void score_gradients(const struct poet_attention_spec* a, const poet_real* p,
                            poet_real scale, poet_real* ds) {
  const int32_t step = a->probability_key;
  const poet_real dot = add_products(a->keys, p, step, ds, step, 0);
  finish_scores(a->keys, p, step, ds, step, dot, scale, ds);
}

/* dP = dY V^T of a head. */
static struct poet_product_spec gradient_product(const struct poet_attention_spec* a,
                                                 const struct head* at, const poet_real* dy,
                                                 const poet_real* v) {
  return scores_product(a, dy + at->output, a->output_stride, v + at->key, at->probability);
}

POET_KERNEL void poet_attention_grad_scores(const struct poet_attention_spec* a,
                                            const poet_real* dy, const poet_real* v,
                                            const poet_real* p, poet_real* ds) {
  const struct poet_sink out = {.gradient = ds};
  const poet_real scale = score_scale(a);
  int32_t n, h, s;
  for (n = 0; n < a->batch; ++n) {
    for (h = 0; h < a->heads; ++h) {
      const struct head at = head_of(a, n, h);
      const struct poet_product_spec all = gradient_product(a, &at, dy, v);
      if (ds == p) {
        gradients_in_place(a, &all, scale, ds);
        continue;
      }
      poet_product(&all, &out);
      for (s = 0; s < a->queries; ++s) {
        const int32_t row = at.probability + s * a->probability_query;
        score_gradients(a, p + row, scale, ds + row);
      }
    }
  }
}

/* Keys of a query lie side by side. */
POET_KERNEL void poet_attention_grad_scores_of_bytes(const struct poet_attention_copy_spec* c,
                                                     const poet_real* dy, const poet_real* v,
                                                     const int8_t* p, struct poet_workspace* tile,
                                                     poet_real* ds) {
  const struct poet_attention_spec* a = &c->attention;
  const struct poet_sink out = {.gradient = ds};
  const poet_real scale = score_scale(a);
  int32_t n, h, s;
  for (n = 0; n < a->batch; ++n) {
    for (h = 0; h < a->heads; ++h) {
      const struct head at = head_of(a, n, h);
      const struct poet_product_spec all = gradient_product(a, &at, dy, v);
      poet_product(&all, &out);
      for (s = 0; s < a->queries; ++s) {
        const int32_t row = at.probability + s * a->keys;
        poet_unpack(&c->copy, p, row, a->keys, poet_tile_of(tile));
        score_gradients(a, poet_tile_of(tile), scale, ds + row);
      }
    }
  }
}

POET_KERNEL void poet_attention_grad_q(const struct poet_attention_spec* a, const poet_real* ds,
                                       const poet_real* k, poet_real* dq) {
  times_rows(a, ds, 0, k, a->row_stride, dq, a->row_stride);
}

POET_KERNEL void poet_attention_grad_k(const struct poet_attention_spec* a, const poet_real* ds,
                                       const poet_real* q, poet_real* dk) {
  times_rows(a, ds, 1, q, a->row_stride, dk, a->row_stride);
}

POET_KERNEL void poet_attention_grad_v(const struct poet_attention_spec* a, const poet_real* p,
                                       const poet_real* dy, poet_real* dv) {
  times_rows(a, p, 1, dy, a->output_stride, dv, a->row_stride);
}

/* Keys of a query lie side by side; some of them, of all queries, are a tile. */
POET_KERNEL void poet_attention_grad_v_of_bytes(const struct poet_attention_copy_spec* c,
                                                const int8_t* p, const poet_real* dy,
                                                struct poet_workspace* tile, poet_real* dv) {
  const struct poet_attention_spec* a = &c->attention;
  const struct poet_sink sink = {.gradient = dv};
  int32_t head, t, s;
  for (head = 0; head < a->batch * a->heads; ++head) {
    const struct head at = head_of(a, head / a->heads, head % a->heads);
    struct poet_product_spec part = {.inner = a->queries,
                                     .columns = a->head_dim,
                                     .a = poet_tile_of(tile),
                                     .a_row = 1,
                                     .b = dy + at.output,
                                     .b_inner = a->output_stride,
                                     .b_column = a->element_stride,
                                     .out_row = a->row_stride,
                                     .out_column = a->element_stride};
    for (t = 0; t < a->keys; t += part.rows) {
      part.rows = a->keys - t < POET_TILE_COLUMNS ? a->keys - t : POET_TILE_COLUMNS;
      part.a_inner = part.rows;
      part.first = at.key + t * a->row_stride;
      for (s = 0; s < a->queries; ++s) {
        poet_unpack(&c->copy, p, at.probability + s * a->keys + t, part.rows,
                    poet_tile_of(tile) + s * part.rows);
      }
      poet_product(&part, &sink);
    }
  }
}

POET_KERNEL void poet_attention_grad_qkv(const struct poet_attention_spec* a, const poet_real* ds,
                                         const poet_real* qkv, const poet_real* p,
                                         const poet_real* dy, poet_real* dqkv) {
  const int32_t width = a->heads * a->head_dim;
  poet_attention_grad_q(a, ds, qkv + width, dqkv);
  poet_attention_grad_k(a, ds, qkv, dqkv + width);
  poet_attention_grad_v(a, p, dy, dqkv + 2 * width);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_gates.h"

/* Sums over cells are products of one row with some rows or columns of U, of which a part fits into
 * a frame. */
enum { kSums = 16, kStates = 64 };

static int32_t part_of(int32_t rest, int32_t most) {
  return rest < most ? rest : most;
}

/* out = start + a row of `inner` numbers times a part of U, whose elements are u_inner and u_column
 * apart. */
static void row_product(int32_t inner, const poet_real* row, const poet_real* u, int32_t u_inner,
                        int32_t u_column, const poet_real* start, int32_t columns, poet_real* out) {
  const struct poet_product_spec p = {.rows = 1,
                                      .inner = inner,
                                      .columns = columns,
                                      .a = row,
                                      .a_row = inner,
                                      .a_inner = 1,
                                      .b = u,
                                      .b_inner = u_inner,
                                      .b_column = u_column,
                                      .start = start,
                                      .out_row = columns,
                                      .out_column = 1};
  const struct poet_sink sink = {.gradient = out};
  poet_product(&p, &sink);
}

/* r, z = sigmoid of W x + U h + biases; n = tanh of W x + U (r h) + biases */
POET_KERNEL void poet_gru_gates(const struct poet_recurrent_spec* r, const poet_real* x,
                                const poet_real* h, const poet_real* w, const poet_real* w_bias,
                                const poet_real* u, const poet_real* u_bias, poet_real* gates) {
  const int32_t hidden = r->hidden;
  const int32_t width = 3 * hidden;
  int32_t row, i, j, k, count, states;
  poet_gate_product(r->rows, r->inputs, width, width, x, w, w_bias, 0, gates);
  poet_gate_product(r->rows, hidden, 2 * hidden, width, h, u, u_bias, 1, gates);
  for (row = 0; row < r->rows; ++row, gates += width, h += hidden) {
    for (j = 0; j < 2 * hidden; ++j) gates[j] = poet_logistic(gates[j]);
    for (j = 2 * hidden; j < width; j += count) {
      poet_real sums[kSums], seen[kStates];
      count = part_of(width - j, kSums);
      for (i = 0; i < count; ++i) sums[i] = u_bias ? u_bias[j + i] : (poet_real)0;
      for (k = 0; k < hidden; k += states) {
        states = part_of(hidden - k, kStates);
        for (i = 0; i < states; ++i) seen[i] = gates[k + i] * h[k + i];
        row_product(states, seen, u + j * hidden + k, 1, hidden, sums, count, sums);
      }
      for (i = 0; i < count; ++i) gates[j + i] = POET_TANH(gates[j + i] + sums[i]);
    }
  }
}

/* h = (1 - z) n + z h_before */
POET_KERNEL void poet_gru_h(const struct poet_recurrent_spec* r, const poet_real* gates,
                            const poet_real* h_before, poet_real* h) {
  int32_t row, j;
  for (row = 0; row < r->rows; ++row, gates += 3 * r->hidden) {
    for (j = 0; j < r->hidden; ++j, ++h_before) {
      const poet_real z = gates[r->hidden + j];
      *h++ = (poet_unit - z) * gates[2 * r->hidden + j] + z * *h_before;
    }
  }
}

/* Columns k, k + 1, ... of the rows of gate `gate` of U, times a row of gate gradients. */
static void through_hidden(const struct poet_recurrent_spec* r, const poet_real* u,
                           const poet_real* dgates, int32_t gate, int32_t k, int32_t count,
                           poet_real* out) {
  const int32_t first = gate * r->hidden;
  row_product(r->hidden, dgates + first, u + first * r->hidden + k, r->hidden, 1, 0, count, out);
}

POET_KERNEL void poet_gru_grad_gates(const struct poet_recurrent_spec* r, const poet_real* gates,
                                     const poet_real* h_before, const poet_real* dy,
                                     const poet_real* u, poet_real* dgates) {
  const int32_t hidden = r->hidden;
  poet_real by_n[kSums];
  int32_t row, i, j, count;
  for (row = 0; row < r->rows; ++row) {
    for (j = 0; j < hidden; ++j) {
      const poet_real z = gates[hidden + j], n = gates[2 * hidden + j];
      dgates[hidden + j] = dy[j] * (h_before[j] - n) * (z * (poet_unit - z));
      dgates[2 * hidden + j] = dy[j] * (poet_unit - z) * (poet_unit - n * n);
    }
    for (j = 0; j < hidden; j += count) {
      count = part_of(hidden - j, kSums);
      through_hidden(r, u, dgates, 2, j, count, by_n);
      for (i = j; i < j + count; ++i) {
        dgates[i] = by_n[i - j] * h_before[i] * (gates[i] * (poet_unit - gates[i]));
      }
    }
    gates += 3 * hidden;
    dgates += 3 * hidden;
    h_before += hidden;
    dy += hidden;
  }
}

POET_KERNEL void poet_gru_grad_h(const struct poet_recurrent_spec* r, const poet_real* dgates,
                                 const poet_real* gates, const poet_real* dy, const poet_real* u,
                                 poet_real* dh_before) {
  const int32_t hidden = r->hidden;
  poet_real by_r[kSums], by_z[kSums], by_n[kSums];
  int32_t row, i, k, count;
  for (row = 0; row < r->rows; ++row, gates += 3 * hidden, dgates += 3 * hidden) {
    for (k = 0; k < hidden; k += count) {
      count = part_of(hidden - k, kSums);
      through_hidden(r, u, dgates, 0, k, count, by_r);
      through_hidden(r, u, dgates, 1, k, count, by_z);
      through_hidden(r, u, dgates, 2, k, count, by_n);
      for (i = 0; i < count; ++i) {
        *dh_before++ = *dy++ * gates[hidden + k + i] + (by_r[i] + by_z[i]) + gates[k + i] * by_n[i];
      }
    }
  }
}

/* The rows of n saw r h, the others h. */
POET_KERNEL void poet_gru_gradw_hidden(const struct poet_recurrent_spec* r,
                                       const poet_real* h_before, const poet_real* gates,
                                       const poet_real* dgates, const struct poet_sink* du) {
  const int32_t hidden = r->hidden;
  const int32_t width = 3 * hidden;
  int32_t j, k, row;
  for (j = 0; j < width; ++j) {
    for (k = 0; k < hidden; ++k) {
      poet_real sum = 0;
      for (row = 0; row < r->rows; ++row) {
        const poet_real state = h_before[row * hidden + k];
        const poet_real seen = j < 2 * hidden ? state : gates[row * width + k] * state;
        sum += dgates[row * width + j] * seen;
      }
      poet_sink_put(du, j * hidden + k, sum);
    }
  }
  for (j = 0; j < width && r->has_bias; ++j) {
    poet_real sum = 0;
    for (row = 0; row < r->rows; ++row) sum += dgates[row * width + j];
    poet_sink_put(du, width * hidden + j, sum);
  }
}

/* Products of the state with the rows of n for cells j, j + 1, ..., biases included. */
static void state_products(const struct poet_recurrent_spec* r, const poet_real* u,
                           const poet_real* u_bias, const poet_real* h, int32_t j, int32_t count,
                           poet_real* out) {
  const int32_t first = 2 * r->hidden + j;
  row_product(r->hidden, h, u + first * r->hidden, 1, r->hidden, u_bias ? u_bias + first : 0, count,
              out);
}

/* r, z = sigmoid of W x + U h + biases; n = tanh of W x + bias + r (U h + bias) */
POET_KERNEL void poet_gru_after_gates(const struct poet_recurrent_spec* r, const poet_real* x,
                                      const poet_real* h, const poet_real* w,
                                      const poet_real* w_bias, const poet_real* u,
                                      const poet_real* u_bias, poet_real* gates) {
  const int32_t hidden = r->hidden;
  const int32_t width = 3 * hidden;
  poet_real sums[kSums];
  int32_t row, i, j, count;
  poet_gate_product(r->rows, r->inputs, width, width, x, w, w_bias, 0, gates);
  poet_gate_product(r->rows, hidden, 2 * hidden, width, h, u, u_bias, 1, gates);
  for (row = 0; row < r->rows; ++row, gates += width, h += hidden) {
    for (j = 0; j < 2 * hidden; ++j) gates[j] = poet_logistic(gates[j]);
    for (j = 0; j < hidden; j += count) {
      poet_real* n = gates + 2 * hidden + j;
      count = part_of(hidden - j, kSums);
      state_products(r, u, u_bias, h, j, count, sums);
      for (i = 0; i < count; ++i) n[i] = POET_TANH(n[i] + gates[j + i] * sums[i]);
    }
  }
}

POET_KERNEL void poet_gru_after_grad_gates(const struct poet_recurrent_spec* r,
                                           const poet_real* gates, const poet_real* h_before,
                                           const poet_real* dy, const poet_real* u,
                                           const poet_real* u_bias, poet_real* dgates) {
  const int32_t hidden = r->hidden;
  poet_real sums[kSums];
  int32_t row, j;
  for (row = 0; row < r->rows; ++row) {
    for (j = 0; j < hidden; ++j) {
      const int32_t i = j % kSums;
      const poet_real reset = gates[j], z = gates[hidden + j], n = gates[2 * hidden + j];
      const poet_real dn = dy[j] * (poet_unit - z) * (poet_unit - n * n);
      if (i == 0) state_products(r, u, u_bias, h_before, j, part_of(hidden - j, kSums), sums);
      dgates[j] = dn * sums[i] * (reset * (poet_unit - reset));
      dgates[hidden + j] = dy[j] * (h_before[j] - n) * (z * (poet_unit - z));
      dgates[2 * hidden + j] = dn;
    }
    gates += 3 * hidden;
    dgates += 3 * hidden;
    h_before += hidden;
    dy += hidden;
  }
}

POET_KERNEL void poet_gru_after_grad_h(const struct poet_recurrent_spec* r, const poet_real* dgates,
                                       const poet_real* gates, const poet_real* dy,
                                       const poet_real* u, poet_real* dh_before) {
  const int32_t hidden = r->hidden;
  poet_real by_r[kSums], by_z[kSums];
  int32_t row, i, j, k;
  for (row = 0; row < r->rows; ++row, gates += 3 * hidden, dgates += 3 * hidden) {
    for (k = 0; k < hidden; ++k) {
      poet_real sum;
      i = k % kSums;
      if (i == 0) {
        through_hidden(r, u, dgates, 0, k, part_of(hidden - k, kSums), by_r);
        through_hidden(r, u, dgates, 1, k, part_of(hidden - k, kSums), by_z);
      }
      sum = by_r[i] + by_z[i];
      for (j = 0; j < hidden; ++j) {
        sum += dgates[2 * hidden + j] * gates[j] * u[(2 * hidden + j) * hidden + k];
      }
      *dh_before++ = *dy++ * gates[hidden + k] + sum;
    }
  }
}

/* The gradient of row j of the product with the state: the gate's gradient, for n through r. */
static poet_real product_gradient(const struct poet_recurrent_spec* r, const poet_real* gates,
                                  const poet_real* dgates, int32_t row, int32_t j) {
  const int32_t first = row * 3 * r->hidden;
  const int32_t reset = j - 2 * r->hidden;
  return reset < 0 ? dgates[first + j] : dgates[first + j] * gates[first + reset];
}

/* The sink's parameters from `first` on. */
static void state_bias_gradients(const struct poet_recurrent_spec* r, const poet_real* gates,
                                 const poet_real* dgates, int32_t first,
                                 const struct poet_sink* db) {
  int32_t j, row;
  for (j = 0; j < 3 * r->hidden; ++j) {
    poet_real sum = 0;
    for (row = 0; row < r->rows; ++row) sum += product_gradient(r, gates, dgates, row, j);
    poet_sink_put(db, first + j, sum);
  }
}

POET_KERNEL void poet_gru_after_gradb_hidden(const struct poet_recurrent_spec* r,
                                             const poet_real* gates, const poet_real* dgates,
                                             const struct poet_sink* db) {
  state_bias_gradients(r, gates, dgates, 0, db);
}

POET_KERNEL void poet_gru_after_gradw_hidden(const struct poet_recurrent_spec* r,
                                             const poet_real* h_before, const poet_real* gates,
                                             const poet_real* dgates, const struct poet_sink* du) {
  const int32_t hidden = r->hidden;
  const int32_t width = 3 * hidden;
  int32_t j, k, row;
  for (j = 0; j < width; ++j) {
    for (k = 0; k < hidden; ++k) {
      poet_real sum = 0;
      for (row = 0; row < r->rows; ++row) {
        sum += product_gradient(r, gates, dgates, row, j) * h_before[row * hidden + k];
      }
      poet_sink_put(du, j * hidden + k, sum);
    }
  }
  if (r->has_bias) state_bias_gradients(r, gates, dgates, width * hidden, du);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_gates.h"

/* r, z = sigmoid of W x + U h + biases; n = tanh of W x + U (r h) + biases */
POET_KERNEL void poet_gru_gates(const struct poet_recurrent_spec* r, const poet_real* x,
                                const poet_real* h, const poet_real* w, const poet_real* w_bias,
                                const poet_real* u, const poet_real* u_bias, poet_real* gates) {
  const int32_t hidden = r->hidden;
  const int32_t width = 3 * hidden;
  const poet_real* u_n = u + 2 * hidden * hidden;
  int32_t row, j, k;
  poet_gate_product(r->rows, r->inputs, width, width, x, w, w_bias, 0, gates);
  poet_gate_product(r->rows, hidden, 2 * hidden, width, h, u, u_bias, 1, gates);
  for (row = 0; row < r->rows; ++row, gates += width, h += hidden) {
    for (j = 0; j < 2 * hidden; ++j) gates[j] = poet_logistic(gates[j]);
    for (j = 0; j < hidden; ++j) {
      poet_real sum = u_bias ? u_bias[2 * hidden + j] : (poet_real)0;
      for (k = 0; k < hidden; ++k) sum += u_n[j * hidden + k] * (gates[k] * h[k]);
      gates[2 * hidden + j] = POET_TANH(gates[2 * hidden + j] + sum);
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

/* Column k of the rows of gate `gate` of U, times a row of gate gradients. */
static poet_real through_hidden(const struct poet_recurrent_spec* r, const poet_real* u,
                                const poet_real* dgates, int32_t gate, int32_t k) {
  const int32_t first = gate * r->hidden;
  poet_real sum = 0;
  int32_t j;
  for (j = first; j < first + r->hidden; ++j) sum += dgates[j] * u[j * r->hidden + k];
  return sum;
}

POET_KERNEL void poet_gru_grad_gates(const struct poet_recurrent_spec* r, const poet_real* gates,
                                     const poet_real* h_before, const poet_real* dy,
                                     const poet_real* u, poet_real* dgates) {
  const int32_t hidden = r->hidden;
  int32_t row, j;
  for (row = 0; row < r->rows; ++row) {
    for (j = 0; j < hidden; ++j) {
      const poet_real z = gates[hidden + j], n = gates[2 * hidden + j];
      dgates[hidden + j] = dy[j] * (h_before[j] - n) * (z * (poet_unit - z));
      dgates[2 * hidden + j] = dy[j] * (poet_unit - z) * (poet_unit - n * n);
    }
    for (j = 0; j < hidden; ++j) {
      const poet_real by_state = through_hidden(r, u, dgates, 2, j) * h_before[j];
      dgates[j] = by_state * (gates[j] * (poet_unit - gates[j]));
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
  int32_t row, k;
  for (row = 0; row < r->rows; ++row, gates += 3 * r->hidden, dgates += 3 * r->hidden) {
    for (k = 0; k < r->hidden; ++k) {
      const poet_real by_gates =
          through_hidden(r, u, dgates, 0, k) + through_hidden(r, u, dgates, 1, k);
      *dh_before++ =
          *dy++ * gates[r->hidden + k] + by_gates + gates[k] * through_hidden(r, u, dgates, 2, k);
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

/* The product of the state with the row of n for cell j, bias included. */
static poet_real state_product(const struct poet_recurrent_spec* r, const poet_real* u,
                               const poet_real* u_bias, const poet_real* h, int32_t j) {
  const int32_t row = 2 * r->hidden + j;
  poet_real sum = u_bias ? u_bias[row] : (poet_real)0;
  int32_t k;
  for (k = 0; k < r->hidden; ++k) sum += u[row * r->hidden + k] * h[k];
  return sum;
}

/* r, z = sigmoid of W x + U h + biases; n = tanh of W x + bias + r (U h + bias) */
POET_KERNEL void poet_gru_after_gates(const struct poet_recurrent_spec* r, const poet_real* x,
                                      const poet_real* h, const poet_real* w,
                                      const poet_real* w_bias, const poet_real* u,
                                      const poet_real* u_bias, poet_real* gates) {
  const int32_t hidden = r->hidden;
  const int32_t width = 3 * hidden;
  int32_t row, j;
  poet_gate_product(r->rows, r->inputs, width, width, x, w, w_bias, 0, gates);
  poet_gate_product(r->rows, hidden, 2 * hidden, width, h, u, u_bias, 1, gates);
  for (row = 0; row < r->rows; ++row, gates += width, h += hidden) {
    for (j = 0; j < 2 * hidden; ++j) gates[j] = poet_logistic(gates[j]);
    for (j = 0; j < hidden; ++j) {
      const poet_real scaled = gates[j] * state_product(r, u, u_bias, h, j);
      gates[2 * hidden + j] = POET_TANH(gates[2 * hidden + j] + scaled);
    }
  }
}

POET_KERNEL void poet_gru_after_grad_gates(const struct poet_recurrent_spec* r,
                                           const poet_real* gates, const poet_real* h_before,
                                           const poet_real* dy, const poet_real* u,
                                           const poet_real* u_bias, poet_real* dgates) {
  const int32_t hidden = r->hidden;
  int32_t row, j;
  for (row = 0; row < r->rows; ++row) {
    for (j = 0; j < hidden; ++j) {
      const poet_real reset = gates[j], z = gates[hidden + j], n = gates[2 * hidden + j];
      const poet_real dn = dy[j] * (poet_unit - z) * (poet_unit - n * n);
      const poet_real dreset = dn * state_product(r, u, u_bias, h_before, j);
      dgates[j] = dreset * (reset * (poet_unit - reset));
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
  int32_t row, j, k;
  for (row = 0; row < r->rows; ++row, gates += 3 * hidden, dgates += 3 * hidden) {
    for (k = 0; k < hidden; ++k) {
      poet_real sum = through_hidden(r, u, dgates, 0, k) + through_hidden(r, u, dgates, 1, k);
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

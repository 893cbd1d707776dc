#include "poet_kernels.h"
#include "poet_product.h"

static const poet_real kUnit = 1;

static poet_real logistic(poet_real x) {
  const poet_real e = POET_EXP(x > (poet_real)0 ? -x : x);
  return x > (poet_real)0 ? kUnit / (kUnit + e) : e / (kUnit + e);
}

/* gates = x W^T + bias in the first `columns` of `width` columns; with `is_sum` it is added to what
 * is there. */
static void gate_product(int32_t rows, int32_t inner, int32_t columns, int32_t width,
                         const poet_real* x, const poet_real* w, const poet_real* bias, int is_sum,
                         poet_real* gates) {
  const struct poet_product_spec p = {.rows = rows,
                                      .inner = inner,
                                      .columns = columns,
                                      .a = x,
                                      .a_row = inner,
                                      .a_inner = 1,
                                      .b = w,
                                      .b_inner = 1,
                                      .b_column = inner,
                                      .start = bias,
                                      .out_row = width,
                                      .out_column = 1};
  const struct poet_sink out = {.sum = is_sum ? gates : 0, .gradient = gates};
  poet_product(&p, &out);
}

/* i, f, g, o = sigmoid, sigmoid, tanh, sigmoid of W x + U h + biases */
POET_KERNEL void poet_lstm_gates(const struct poet_recurrent_spec* r, const poet_real* x,
                                 const poet_real* h, const poet_real* w, const poet_real* w_bias,
                                 const poet_real* u, const poet_real* u_bias, poet_real* gates) {
  const int32_t width = 4 * r->hidden;
  int32_t i;
  gate_product(r->rows, r->inputs, width, width, x, w, w_bias, 0, gates);
  gate_product(r->rows, r->hidden, width, width, h, u, u_bias, 1, gates);
  for (i = 0; i < r->rows * width; ++i) {
    const int is_cell_input = i % width / r->hidden == 2;
    gates[i] = is_cell_input ? POET_TANH(gates[i]) : logistic(gates[i]);
  }
}

/* c = f c_before + i g */
POET_KERNEL void poet_lstm_c(const struct poet_recurrent_spec* r, const poet_real* gates,
                             const poet_real* c_before, poet_real* c) {
  int32_t row, j;
  for (row = 0; row < r->rows; ++row, gates += 4 * r->hidden) {
    for (j = 0; j < r->hidden; ++j) {
      *c++ = gates[r->hidden + j] * *c_before++ + gates[j] * gates[2 * r->hidden + j];
    }
  }
}

/* h = o tanh(c) */
POET_KERNEL void poet_lstm_h(const struct poet_recurrent_spec* r, const poet_real* gates,
                             const poet_real* c, poet_real* h) {
  int32_t row, j;
  for (row = 0; row < r->rows; ++row, gates += 4 * r->hidden) {
    for (j = 0; j < r->hidden; ++j) *h++ = gates[3 * r->hidden + j] * POET_TANH(*c++);
  }
}

/* dcell = dc + dh o (1 - tanh(c)^2) */
POET_KERNEL void poet_lstm_grad_cell(const struct poet_recurrent_spec* r, const poet_real* gates,
                                     const poet_real* c, const poet_real* dh, const poet_real* dc,
                                     poet_real* dcell) {
  int32_t i;
  for (i = 0; i < r->rows * r->hidden; ++i) {
    const int32_t gate = i / r->hidden * 4 * r->hidden + i % r->hidden;
    const poet_real tanh_c = POET_TANH(c[i]);
    const poet_real by_c = dc ? dc[i] : (poet_real)0;
    const poet_real by_h =
        dh ? dh[i] * gates[gate + 3 * r->hidden] * (kUnit - tanh_c * tanh_c) : (poet_real)0;
    dcell[i] = by_c + by_h;
  }
}

POET_KERNEL void poet_lstm_grad_c(const struct poet_recurrent_spec* r, const poet_real* gates,
                                  const poet_real* dcell, poet_real* dc_before) {
  int32_t row, j;
  for (row = 0; row < r->rows; ++row, gates += 4 * r->hidden) {
    for (j = 0; j < r->hidden; ++j) *dc_before++ = *dcell++ * gates[r->hidden + j];
  }
}

POET_KERNEL void poet_lstm_grad_gates(const struct poet_recurrent_spec* r, const poet_real* gates,
                                      const poet_real* c, const poet_real* c_before,
                                      const poet_real* dh, const poet_real* dcell,
                                      poet_real* dgates) {
  const int32_t hidden = r->hidden;
  int32_t k;
  for (k = 0; k < r->rows * hidden; ++k) {
    const int32_t at = k / hidden * 4 * hidden + k % hidden;
    const poet_real i = gates[at], f = gates[at + hidden];
    const poet_real g = gates[at + 2 * hidden], o = gates[at + 3 * hidden];
    const poet_real do_gate = dh ? dh[k] * POET_TANH(c[k]) : (poet_real)0;
    dgates[at] = dcell[k] * g * (i * (kUnit - i));
    dgates[at + hidden] = dcell[k] * c_before[k] * (f * (kUnit - f));
    dgates[at + 2 * hidden] = dcell[k] * i * (kUnit - g * g);
    dgates[at + 3 * hidden] = do_gate * (o * (kUnit - o));
  }
}

/* r, z = sigmoid of W x + U h + biases; n = tanh of W x + U (r h) + biases */
POET_KERNEL void poet_gru_gates(const struct poet_recurrent_spec* r, const poet_real* x,
                                const poet_real* h, const poet_real* w, const poet_real* w_bias,
                                const poet_real* u, const poet_real* u_bias, poet_real* gates) {
  const int32_t hidden = r->hidden;
  const int32_t width = 3 * hidden;
  const poet_real* u_n = u + 2 * hidden * hidden;
  int32_t row, j, k;
  gate_product(r->rows, r->inputs, width, width, x, w, w_bias, 0, gates);
  gate_product(r->rows, hidden, 2 * hidden, width, h, u, u_bias, 1, gates);
  for (row = 0; row < r->rows; ++row, gates += width, h += hidden) {
    for (j = 0; j < 2 * hidden; ++j) gates[j] = logistic(gates[j]);
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
      *h++ = (kUnit - z) * gates[2 * r->hidden + j] + z * *h_before;
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
      dgates[hidden + j] = dy[j] * (h_before[j] - n) * (z * (kUnit - z));
      dgates[2 * hidden + j] = dy[j] * (kUnit - z) * (kUnit - n * n);
    }
    for (j = 0; j < hidden; ++j) {
      const poet_real by_state = through_hidden(r, u, dgates, 2, j) * h_before[j];
      dgates[j] = by_state * (gates[j] * (kUnit - gates[j]));
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
  gate_product(r->rows, r->inputs, width, width, x, w, w_bias, 0, gates);
  gate_product(r->rows, hidden, 2 * hidden, width, h, u, u_bias, 1, gates);
  for (row = 0; row < r->rows; ++row, gates += width, h += hidden) {
    for (j = 0; j < 2 * hidden; ++j) gates[j] = logistic(gates[j]);
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
      const poet_real dn = dy[j] * (kUnit - z) * (kUnit - n * n);
      const poet_real dreset = dn * state_product(r, u, u_bias, h_before, j);
      dgates[j] = dreset * (reset * (kUnit - reset));
      dgates[hidden + j] = dy[j] * (h_before[j] - n) * (z * (kUnit - z));
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

/* The gradient of row j of the product with the state: that of a gate, for n through r. */
static poet_real product_gradient(const struct poet_recurrent_spec* r, const poet_real* gates,
                                  const poet_real* dgates, int32_t row, int32_t j) {
  const int32_t first = row * 3 * r->hidden;
  const int32_t reset = j - 2 * r->hidden;
  return reset < 0 ? dgates[first + j] : dgates[first + j] * gates[first + reset];
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
  for (j = 0; j < width && r->has_bias; ++j) {
    poet_real sum = 0;
    for (row = 0; row < r->rows; ++row) sum += product_gradient(r, gates, dgates, row, j);
    poet_sink_put(du, width * hidden + j, sum);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "poet_gates.h"

/* i, f, g, o = sigmoid, sigmoid, tanh, sigmoid of W x + U h + biases */
POET_KERNEL void poet_lstm_gates(const struct poet_recurrent_spec* r, const poet_real* x,
                                 const poet_real* h, const poet_real* w, const poet_real* w_bias,
                                 const poet_real* u, const poet_real* u_bias, poet_real* gates) {
  const int32_t width = 4 * r->hidden;
  int32_t i;
  poet_gate_product(r->rows, r->inputs, width, width, x, w, w_bias, 0, gates);
  poet_gate_product(r->rows, r->hidden, width, width, h, u, u_bias, 1, gates);
  for (i = 0; i < r->rows * width; ++i) {
    const int is_cell_input = i % width / r->hidden == 2;
    gates[i] = is_cell_input ? POET_TANH(gates[i]) : poet_logistic(gates[i]);
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
        dh ? dh[i] * gates[gate + 3 * r->hidden] * (poet_unit - tanh_c * tanh_c) : (poet_real)0;
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
    dgates[at] = dcell[k] * g * (i * (poet_unit - i));
    dgates[at + hidden] = dcell[k] * c_before[k] * (f * (poet_unit - f));
    dgates[at + 2 * hidden] = dcell[k] * i * (poet_unit - g * g);
    dgates[at + 3 * hidden] = do_gate * (o * (poet_unit - o));
  }
}

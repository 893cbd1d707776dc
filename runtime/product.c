#include "poet_product.h"

/* Columns that are summed side by side, so that no sum waits for the one before. Each sum has its
 * terms in the order of k, whatever the lanes. */
enum { kProductLanes = 8 };

static inline void sum_lanes(const struct poet_product_spec* p, const poet_real* a,
                             const poet_real* b, int32_t lanes, int32_t b_column, poet_real* sums) {
  int32_t k, u;
  for (k = 0; k < p->inner; ++k) {
    const poet_real left = a[k * p->a_inner];
    const poet_real* right = b + k * p->b_inner;
    for (u = 0; u < lanes; ++u) sums[u] += left * right[u * b_column];
  }
}

void poet_product(const struct poet_product_spec* p, const struct poet_sink* out) {
  int32_t i, j, u;
  for (i = 0; i < p->rows; ++i) {
    const poet_real* a = p->a + i * p->a_row;
    for (j = 0; j < p->columns; j += kProductLanes) {
      const int32_t rest = p->columns - j;
      const int32_t lanes = rest < kProductLanes ? rest : kProductLanes;
      const poet_real* b = p->b + j * p->b_column;
      poet_real sums[kProductLanes] = {0};
      for (u = 0; u < lanes && p->start; ++u) sums[u] = p->start[j + u];
      if (lanes < kProductLanes) {
        sum_lanes(p, a, b, lanes, p->b_column, sums);
      } else if (p->b_column == 1) {
        sum_lanes(p, a, b, kProductLanes, 1, sums);
      } else {
        sum_lanes(p, a, b, kProductLanes, p->b_column, sums);
      }
      for (u = 0; u < lanes; ++u) {
        poet_sink_put(out, p->first + i * p->out_row + (j + u) * p->out_column, sums[u]);
      }
    }
  }
}

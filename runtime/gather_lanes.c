/* SPDX-License-Identifier: Apache-2.0 */
/* Both directions of a convolution on hosts: lanes are channels of the output, whose weights are a
 * panel, and rows are any four positions of a rectangle, so that narrow planes are as good as wide
 * ones. Between two panels of the same sums, these are in the output. */
#include "poet_lanes.h"

#if POET_LANES >= 8

enum { kMostRuns = 32, kPanelTerms = 288 };

struct runs {
  int32_t count;
  struct poet_run run[kMostRuns];
};

/* Returns 0 if there are too many. */
static int list_runs(const struct poet_axis* axis, struct runs* runs) {
  int32_t output = 0;
  for (runs->count = 0; output >= 0; ++runs->count) {
    struct poet_run* run = &runs->run[runs->count];
    if (runs->count == kMostRuns) return 0;
    *run = poet_longest_run(axis, output);
    output = poet_after(axis, run);
  }
  return 1;
}

/* Sums of `width` channels from channel `first` of a group on, over `terms` channels of the input.
 */
struct gather_panel {
  const struct poet_gather* g;
  const struct poet_lanes* lanes;
  int32_t channels, terms;
  const poet_real* from;
  const poet_real* start; /* the channels' first values; NULL: zeros */
  int is_begun;           /* then the output has them */
  poet_real* out;
  poet_real weights[kPanelTerms * POET_LANES];
};

static void fill_weights(struct gather_panel* p, const poet_real* w) {
  const struct poet_gather* g = p->g;
  const int32_t taps = g->rows.kernel * g->columns.kernel;
  int32_t c;
  for (c = 0; c < p->terms; ++c) {
    poet_fill_panel(taps, w + c * g->term_stride, 1, p->channels, g->sum_stride, p->lanes->width,
                    p->weights + c * taps * p->lanes->width);
  }
}

/* `count` positions, at most four: left[i] is under the first tap, out[i] of the first channel. */
static void gather_positions(const struct gather_panel* p, const struct poet_terms* terms,
                             const poet_real* right, int32_t count, const poet_real** left,
                             poet_real* const* out) {
  const int32_t plane = p->g->rows.count * p->g->columns.count;
  const int32_t width = p->lanes->width;
  poet_real sums[POET_BLOCK * POET_LANES] = {0};
  int32_t i, u;
  for (u = 0; u < p->channels; ++u) {
    for (i = 0; i < count; ++i) {
      sums[i * width + u] = p->is_begun ? out[i][u * plane] : p->start ? p->start[u] : (poet_real)0;
    }
  }
  poet_sum_rows(p->lanes, terms, count, left, right, sums);
  for (u = 0; u < p->channels; ++u) {
    for (i = 0; i < count; ++i) out[i][u * plane] = sums[i * width + u];
  }
}

static void gather_lanes_rectangle(const struct gather_panel* p, const struct poet_run* rows,
                                   const struct poet_run* columns) {
  const struct poet_gather* g = p->g;
  const int32_t extent = g->columns.extent, kernel = g->columns.kernel, width = p->lanes->width;
  const struct poet_terms terms = {
      .count = {p->terms, rows->taps, columns->taps},
      .left = {g->rows.extent * extent, rows->from_tap * extent, columns->from_tap},
      .right = {g->rows.kernel * kernel * width, rows->tap_step * kernel * width,
                columns->tap_step * width}};
  const poet_real* right = p->weights + (rows->tap * kernel + columns->tap) * width;
  const poet_real* left[2 * POET_BLOCK];
  poet_real* out[POET_BLOCK];
  int32_t y, x, count = 0;
  for (y = 0; y < rows->count; ++y) {
    for (x = 0; x < columns->count; ++x) {
      left[count] = p->from + (rows->from + y * rows->from_step) * extent + columns->from +
                    x * columns->from_step;
      out[count] = p->out + (rows->first + y * rows->step) * g->columns.count + columns->first +
                   x * columns->step;
      if (++count < POET_BLOCK) continue;
      gather_positions(p, &terms, right, count, left, out);
      count = 0;
    }
  }
  if (count > 0) gather_positions(p, &terms, right, count, left, out);
}

int poet_gather_by_lanes(const struct poet_gather* g, int32_t batch, const poet_real* from,
                         const poet_real* w, const poet_real* start, poet_real* out) {
  const int32_t taps = g->rows.kernel * g->columns.kernel;
  const int32_t most_terms = kPanelTerms / taps;
  const int32_t from_plane = g->rows.extent * g->columns.extent;
  const int32_t plane = g->rows.count * g->columns.count;
  struct gather_panel p;
  struct runs rows, columns;
  int32_t group, k, c, n, y, x;
  if (most_terms == 0 || !list_runs(&g->rows, &rows) || !list_runs(&g->columns, &columns)) return 0;
  p.g = g;
  p.lanes = poet_lanes_here();
  for (group = 0; group < g->groups; ++group, w += g->sums * g->terms * taps) {
    for (k = 0; k < g->sums; k += p.lanes->width) {
      p.channels = g->sums - k < p.lanes->width ? g->sums - k : p.lanes->width;
      p.start = start ? start + group * g->sums + k : 0;
      for (c = 0; c < g->terms; c += most_terms) {
        p.terms = g->terms - c < most_terms ? g->terms - c : most_terms;
        p.is_begun = c > 0;
        fill_weights(&p, w + k * g->sum_stride + c * g->term_stride);
        for (n = group; n < batch * g->groups; n += g->groups) {
          p.from = from + (n * g->terms + c) * from_plane;
          p.out = out + (n * g->sums + k) * plane;
          for (y = 0; y < rows.count; ++y) {
            for (x = 0; x < columns.count; ++x) {
              gather_lanes_rectangle(&p, &rows.run[y], &columns.run[x]);
            }
          }
        }
      }
    }
  }
  return 1;
}

#endif

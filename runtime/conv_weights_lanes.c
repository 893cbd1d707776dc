/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of a convolution's weights on hosts: lanes are filters, whose map is a panel, and rows
 * are channels at one tap. Sums of all taps of some channels are a tile, so that each panel serves
 * them all. */
#include <string.h>

#include "poet_lanes.h"

#if POET_LANES >= 8

enum { kPanelPositions = 128, kTileWeights = 256 };

struct weights_tile {
  const struct poet_conv2d_spec* c;
  const struct poet_lanes* lanes;
  int32_t filters, channels, taps;
  int32_t rows; /* of a tap: channels, and room for those that poet_sum_rows() sums again */
  const poet_real *image, *map; /* the first channel's and the first filter's plane */
  poet_real panel[kPanelPositions * POET_LANES];
  poet_real sums[kTileWeights * POET_LANES]; /* tap by tap, then channel by channel */
};

/* A part of the map: rows from `row` on and columns from `column` on. */
struct part {
  int32_t row, rows, column, columns;
};

/* [first, end) of a span, seen from `from` of `count` positions. */
static struct poet_span clipped(struct poet_span s, int32_t from, int32_t count) {
  s.first = s.first < from ? from : s.first;
  s.end = s.end > from + count ? from + count : s.end;
  return s;
}

/* Adds what a tap meets in a part of the map. */
static void add_part(struct weights_tile* t, const struct part* part, int32_t tap) {
  const struct poet_conv2d_spec* c = t->c;
  const int32_t width = t->lanes->width;
  const int32_t r = tap / c->kernel_width, s = tap % c->kernel_width;
  const struct poet_span rows = clipped(
      poet_span_of(r * c->dilation_height - c->pad_top, c->stride_height, c->height, c->map_height),
      part->row, part->rows);
  const struct poet_span columns = clipped(
      poet_span_of(s * c->dilation_width - c->pad_left, c->stride_width, c->width, c->map_width),
      part->column, part->columns);
  const struct poet_terms terms = {.count = {1, rows.end - rows.first, columns.end - columns.first},
                                   .left = {0, c->stride_height * c->width, c->stride_width},
                                   .right = {0, part->columns * width, width}};
  const poet_real* left[kTileWeights + POET_BLOCK];
  int32_t j;
  if (terms.count[1] <= 0 || terms.count[2] <= 0) return;
  for (j = 0; j < t->channels; ++j) {
    left[j] = t->image + (j * c->height + rows.first * c->stride_height + rows.offset) * c->width +
              columns.first * c->stride_width + columns.offset;
  }
  poet_sum_rows(
      t->lanes, &terms, t->channels, left,
      t->panel + ((rows.first - part->row) * part->columns + columns.first - part->column) * width,
      t->sums + tap * t->rows * width);
}

/* Adds one sample. */
static void add_sample(struct weights_tile* t) {
  const struct poet_conv2d_spec* c = t->c;
  const int32_t columns = c->map_width < kPanelPositions ? c->map_width : kPanelPositions;
  const int32_t rows = kPanelPositions / columns;
  struct part p;
  int32_t o, tap;
  for (p.row = 0; p.row < c->map_height; p.row += rows) {
    p.rows = c->map_height - p.row < rows ? c->map_height - p.row : rows;
    for (p.column = 0; p.column < c->map_width; p.column += columns) {
      p.columns = c->map_width - p.column < columns ? c->map_width - p.column : columns;
      for (o = 0; o < p.rows; ++o) {
        poet_fill_panel(p.columns, t->map + (p.row + o) * c->map_width + p.column, 1, t->filters,
                        c->map_height * c->map_width, t->lanes->width,
                        t->panel + o * p.columns * t->lanes->width);
      }
      for (tap = 0; tap < t->taps; ++tap) add_part(t, &p, tap);
    }
  }
}

/* The tile's sums are of filters k, ... and channels j, ... */
static void put_weights(const struct weights_tile* t, int32_t k, int32_t j,
                        const struct poet_sink* dw) {
  const int32_t of_filter = t->c->channels / t->c->groups * t->taps;
  const int32_t count = t->channels * t->taps;
  poet_real gradients[kTileWeights];
  int32_t u, i, tap;
  for (u = 0; u < t->filters; ++u) {
    for (i = 0; i < t->channels; ++i) {
      for (tap = 0; tap < t->taps; ++tap) {
        gradients[i * t->taps + tap] = t->sums[(tap * t->rows + i) * t->lanes->width + u];
      }
    }
    poet_sink_put_run(dw, (k + u) * of_filter + j * t->taps, 1, gradients, count);
  }
}

int poet_conv_weights_by_lanes(const struct poet_conv2d_spec* c, const struct poet_conv_part* part,
                               const poet_real* image, const poet_real* map,
                               const struct poet_sink* dw) {
  const int32_t filters = c->filters / c->groups, channels = c->channels / c->groups;
  const int32_t plane = c->height * c->width, map_plane = c->map_height * c->map_width;
  const int32_t planes = part ? part->channels : c->channels;
  const int32_t first = part ? part->channel % channels : 0;
  const int32_t last = part ? first + planes : channels;
  const int32_t first_filter = part ? part->channel / channels * filters : 0;
  const int32_t last_filter = part ? first_filter + filters : c->filters;
  struct weights_tile t;
  int32_t most, k, j, n;
  t.c = c;
  t.lanes = poet_lanes_here();
  t.taps = c->kernel_height * c->kernel_width;
  most = kTileWeights / t.taps;
  if (most < POET_BLOCK || filters == 1) return 0;
  most -= most % POET_BLOCK;
  for (k = first_filter; k < last_filter; k += t.filters) {
    const int32_t rest = filters - k % filters;
    t.filters = rest < t.lanes->width ? rest : t.lanes->width;
    for (j = first; j < last; j += t.channels) {
      const int32_t at = (part ? j - first : k / filters * channels + j) * plane;
      t.channels = last - j < most ? last - j : most;
      t.rows = (t.channels + POET_BLOCK - 1) / POET_BLOCK * POET_BLOCK;
      memset(t.sums, 0, (size_t)(t.rows * t.taps * t.lanes->width) * sizeof t.sums[0]);
      for (n = 0; n < c->batch; ++n) {
        t.image = image + n * planes * plane + at;
        t.map = map + (n * c->filters + k) * map_plane;
        add_sample(&t);
      }
      put_weights(&t, k, j, dw);
    }
  }
  return 1;
}

#endif

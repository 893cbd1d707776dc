/* SPDX-License-Identifier: Apache-2.0 */
/* Both directions of a convolution: an element of the map sums over the image under the kernel, and
 * an element of the image over the map, with the same weights. Seen from its outputs, each is a sum
 * over channels and taps of the input.
 *
 * At a border, or with a stride on the way back, outputs see some of the taps only. Outputs of an
 * axis that see the same ones are a run, and a run of rows and a run of columns make a rectangle.
 * In a rectangle, nothing has to be tested: four channels at four positions are a block. */
#include "poet_conv.h"
#include "poet_lanes.h"

/* `channels` channels of a rectangle, whose first block is given: blocks of four in a row and,
 * where fewer are left, four in a column. */
static void gather_channels(const struct poet_gather* g, const struct poet_run* rows,
                            const struct poet_run* columns, struct poet_block* block,
                            int32_t channels) {
  const int32_t from_row = rows->from_step * g->columns.extent;
  const int32_t out_row = rows->step * g->columns.count;
  const poet_real* from = block->right;
  poet_real* out = block->out;
  int32_t y, x, width, height;
  block->right_column = columns->from_step;
  block->out_column = columns->step;
  for (x = 0; x + POET_BLOCK <= columns->count; x += width) {
    const int is_long = channels == 1 && x + POET_BLOCK_ROW <= columns->count && !block->bytes.of;
    width = is_long ? POET_BLOCK_ROW : POET_BLOCK;
    block->lacks_first = (int8_t)(columns->has_edges && x == 0);
    block->lacks_last = (int8_t)(columns->has_edges && x + POET_BLOCK == g->columns.count);
    for (y = 0; y < rows->count; ++y) {
      block->right = from + y * from_row + x * columns->from_step;
      block->out = out + y * out_row + x * columns->step;
      poet_sum_block(block, channels, width);
    }
  }
  block->right_column = from_row;
  block->out_column = out_row;
  for (; x < columns->count; ++x) {
    for (y = 0; y < rows->count; y += height) {
      height = poet_part_of(rows->count - y, POET_BLOCK);
      block->right = from + y * from_row + x * columns->from_step;
      block->out = out + y * out_row + x * columns->step;
      poet_sum_block(block, channels, height);
    }
  }
}

/* All channels of a rectangle, of all samples. */
static void gather_rectangle(const struct poet_gather* g, const struct poet_run* rows,
                             const struct poet_run* columns, int32_t batch, const poet_real* from,
                             const struct poet_weights* w, const poet_real* start, poet_real* out) {
  const int32_t from_plane = g->rows.extent * g->columns.extent;
  const int32_t plane = g->rows.count * g->columns.count;
  /* The weights of groups lie one behind the other, whichever way they are read. */
  const int32_t weights = g->sums * g->terms * g->rows.kernel * g->columns.kernel;
  struct poet_block block = {
      .terms = {.count = {g->terms, rows->taps, columns->taps},
                .left = {g->term_stride, rows->tap_step * g->columns.kernel, columns->tap_step},
                .right = {from_plane, rows->from_tap * g->columns.extent, columns->from_tap}},
      .start = &poet_zero,
      .left_row = g->sum_stride,
      .start_row = start != 0,
      .out_row = plane,
      .bytes = {.of = w->bytes ? w : 0, .scale_row = g->to_map, .scale_outer = !g->to_map}};
  const int32_t tap = rows->tap * g->columns.kernel + columns->tap;
  int32_t n, k, channels;
  from += rows->from * g->columns.extent + columns->from;
  out += rows->first * g->columns.count + columns->first;
  for (n = 0; n < batch * g->groups; ++n) {
    const int32_t group = n % g->groups;
    for (k = 0; k < g->sums; k += channels) {
      block.right = from + n * g->terms * from_plane;
      channels = poet_part_of(g->sums - k, POET_BLOCK);
      if (w->bytes) {
        block.bytes.first = tap + group * weights + k * g->sum_stride;
        block.bytes.first_scale = g->to_map ? group * g->sums + k : group * g->terms;
      } else {
        block.left = w->real + tap + group * weights + k * g->sum_stride;
      }
      if (start) block.start = start + group * g->sums + k;
      block.out = out + (n * g->sums + k) * plane;
      gather_channels(g, rows, columns, &block, channels);
    }
  }
}

/* Columns in blocks of four with the edges of the image in them, for three taps of which the middle
 * one lies on its output; count 0 if the shape is another one. */
static struct poet_run columns_with_edges(const struct poet_gather* g,
                                          const struct poet_weights* w) {
  const struct poet_axis* a = &g->columns;
  struct poet_run r = {.step = 1, .tap_step = 1, .taps = 3, .from_step = 1, .has_edges = 1};
  if (w->bytes || a->kernel != 3 || a->stride != 1 || a->pad != 1 || a->dilation != 1 ||
      a->count != a->extent || g->sums % POET_BLOCK != 0) {
    return r;
  }
  r.from = a->to_map ? -1 : 1;
  r.from_tap = a->to_map ? 1 : -1;
  r.count = a->count - a->count % POET_BLOCK;
  return r;
}

void poet_gather(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                 const struct poet_weights* w, const poet_real* start, poet_real* out) {
  const struct poet_gather g = poet_gather_of(c, to_map);
  const struct poet_run wide = columns_with_edges(&g, w);
  struct poet_run rows, columns;
  int32_t y, x;
#if POET_LANES >= 8
  if (!w->bytes && poet_gather_by_lanes(&g, c->batch, from, w->real, start, out)) return;
#endif
  for (y = 0; y >= 0; y = poet_after(&g.rows, &rows)) {
    rows = poet_longest_run(&g.rows, y);
    for (x = 0; x >= 0; x = poet_after(&g.columns, &columns)) {
      columns = x < wide.count ? wide : poet_longest_run(&g.columns, x);
      gather_rectangle(&g, &rows, &columns, c->batch, from, w, start, out);
    }
  }
}

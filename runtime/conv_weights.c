/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of a convolution's weights: each sums products of the map and of the image under one
 * tap, over samples, rows and columns. Four filters and four channels at one tap are a block. */
#include "poet_conv.h"
#include "poet_lanes.h"

/* Sets a block to the positions at which tap (r, s) lies inside the image, of filter 0 and channel
 * 0. */
static void set_tap(const struct poet_conv2d_spec* c, int32_t r, int32_t s, const poet_real* image,
                    const poet_real* map, struct poet_block* block) {
  const struct poet_span rows =
      poet_span_of(r * c->dilation_height - c->pad_top, c->stride_height, c->height, c->map_height);
  const struct poet_span columns =
      poet_span_of(s * c->dilation_width - c->pad_left, c->stride_width, c->width, c->map_width);
  const int32_t height = rows.end - rows.first, width = columns.end - columns.first;
  /* Whole rows of the map and of the image follow each other: one long row. */
  const int is_whole =
      width == c->map_width && c->stride_height * c->width == width * c->stride_width;
  struct poet_terms* t = &block->terms;
  t->count[1] = is_whole ? 1 : height;
  t->count[2] = is_whole ? height * width : width;
  block->left = map + rows.first * c->map_width + columns.first;
  block->right = image + (rows.first * c->stride_height + rows.offset) * c->width +
                 columns.first * c->stride_width + columns.offset;
}

void poet_conv_weights(const struct poet_conv2d_spec* c, const poet_real* image,
                       const poet_real* map, const struct poet_sink* dw) {
  const int32_t filters = c->filters / c->groups, channels = c->channels / c->groups;
  const int32_t taps = c->kernel_height * c->kernel_width;
  const int32_t plane = c->height * c->width, map_plane = c->map_height * c->map_width;
  poet_real sums[POET_MOST_SUMS];
  struct poet_block block = {
      .terms = {.count = {c->batch, 0, 0},
                .left = {c->filters * map_plane, c->map_width, 1},
                .right = {c->channels * plane, c->stride_height * c->width, c->stride_width}},
      .start = &poet_zero,
      .out = sums,
      .left_row = map_plane,
      .right_column = plane,
      .out_column = 1};
  int32_t k, j, tap, height, width;
#if POET_LANES
  if (poet_conv_weights_by_lanes(c, image, map, dw)) return;
#else
  if (poet_depthwise_weights(c, image, map, dw)) return;
#endif
  for (k = 0; k < c->filters; k += height) {
    height = poet_part_of(filters - k % filters, POET_BLOCK);
    for (j = 0; j < channels; j += width) {
      const poet_real* first = image + (k / filters * channels + j) * plane;
      width = poet_part_of(channels - j, POET_BLOCK);
      block.out_row = width;
      for (tap = 0; tap < taps; ++tap) {
        set_tap(c, tap / c->kernel_width, tap % c->kernel_width, first, map + k * map_plane,
                &block);
        poet_sum_block(&block, height, width);
        poet_sink_put_block(dw, (k * channels + j) * taps + tap, height, channels * taps, width,
                            taps, sums);
      }
    }
  }
}

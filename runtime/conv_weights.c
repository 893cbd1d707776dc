/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of a convolution's weights: each sums products of the map and of the image under one
 * tap, over samples, rows and columns. Four filters and four channels at one tap are a block. */
#include "poet_conv.h"
#include "poet_lanes.h"

/* Sets a block to the positions at which tap (r, s) lies inside the image, of filter 0 and channel
 * 0. */
POET_INLINE void set_tap(const struct poet_conv2d_spec* c, int32_t r, int32_t s,
                         const poet_real* image, const poet_real* map, struct poet_block* block) {
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

/* `part` is NULL for all weights, wherever this is compiled for them. */
POET_INLINE void some_weights(const struct poet_conv2d_spec* c, const struct poet_conv_part* part,
                              const poet_real* image, const poet_real* map,
                              const struct poet_sink* dw) {
  const int32_t filters = c->filters / c->groups, channels = c->channels / c->groups;
  const int32_t taps = c->kernel_height * c->kernel_width;
  const int32_t plane = c->height * c->width, map_plane = c->map_height * c->map_width;
  const int32_t first = part ? part->channel : 0, planes = part ? part->channels : c->channels;
  poet_real sums[POET_MOST_SUMS];
  struct poet_block block = {
      .terms = {.count = {c->batch, 0, 0},
                .left = {c->filters * map_plane, c->map_width, 1},
                .right = {planes * plane, c->stride_height * c->width, c->stride_width}},
      .start = &poet_zero,
      .out = sums,
      .left_row = map_plane,
      .right_column = plane,
      .out_column = 1};
  int32_t j, k, tap, height, width;
#if POET_LANES >= 8
  if (poet_conv_weights_by_lanes(c, part, image, map, dw)) return;
#else
  if (poet_depthwise_weights(c, part, image, map, dw)) return;
#endif
  for (j = first; j < first + planes; j += width) {
    const int32_t in_group = j % channels, last = (j / channels + 1) * filters;
    width = poet_part_of(channels - in_group, POET_BLOCK);
    block.out_row = width;
    for (k = last - filters; k < last; k += height) {
      height = poet_part_of(last - k, POET_BLOCK);
      for (tap = 0; tap < taps; ++tap) {
        set_tap(c, tap / c->kernel_width, tap % c->kernel_width, image + (j - first) * plane,
                map + k * map_plane, &block);
        poet_sum_block(&block, height, width);
        poet_sink_put_block(dw, (k * channels + in_group) * taps + tap, height, channels * taps,
                            width, taps, sums);
      }
    }
  }
}

void poet_conv_weights(const struct poet_conv2d_spec* c, const poet_real* image,
                       const poet_real* map, const struct poet_sink* dw) {
  some_weights(c, 0, image, map, dw);
}

/* A block of channels at a time, of all samples, so that each byte is unpacked once. */
void poet_conv_weights_of_bytes(const struct poet_conv2d_spec* c, const struct poet_copy_spec* copy,
                                const int8_t* image, const poet_real* map, poet_real* tile,
                                const struct poet_sink* dw) {
  const int32_t channels = c->channels / c->groups, plane = c->height * c->width;
  struct poet_conv_part part;
  int32_t n;
  for (part.channel = 0; part.channel < c->channels; part.channel += part.channels) {
    const int32_t rest = channels - part.channel % channels;
    part.channels = rest < POET_BLOCK ? rest : POET_BLOCK;
    for (n = 0; n < c->batch; ++n) {
      poet_unpack(copy, image, (n * c->channels + part.channel) * plane, part.channels * plane,
                  tile + n * part.channels * plane);
    }
    some_weights(c, &part, tile, map, dw);
  }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of a convolution's weights: each sums products of the map and of the image under one
 * tap, over samples, rows and columns. Four filters and four channels at one tap are a block. */
#include "poet_conv.h"
#include "poet_lanes.h"

/* Sets a block to the positions at which tap (r, s) lies inside the image, of filter 0 and channel
 * 0. Pixels of a channel are `pixel` apart. */
POET_INLINE void set_tap(const struct poet_conv2d_spec* c, int32_t r, int32_t s,
                         const poet_real* image, int32_t pixel, const poet_real* map,
                         struct poet_block* block) {
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
  block->right = image + ((rows.first * c->stride_height + rows.offset) * c->width +
                          columns.first * c->stride_width + columns.offset) *
                             pixel;
}

/* `part` is NULL for all weights, wherever this is compiled for them. */
POET_INLINE void some_weights(const struct poet_conv2d_spec* c, const struct poet_conv_part* part,
                              const poet_real* image, const poet_real* map,
                              const struct poet_sink* dw) {
  const int32_t filters = c->filters / c->groups, channels = c->channels / c->groups;
  const int32_t taps = c->kernel_height * c->kernel_width;
  const int32_t plane = c->height * c->width, map_plane = c->map_height * c->map_width;
  const int32_t pixel = part ? part->channels : 1;
  const int32_t last_filter = part ? part->filter + filters : c->filters;
  poet_real sums[POET_MOST_SUMS];
  struct poet_block block = {
      .terms = {.count = {c->batch, 0, 0},
                .left = {c->filters * map_plane, c->map_width, 1},
                .right = {(part ? part->channels : c->channels) * plane,
                          c->stride_height * c->width * pixel, c->stride_width * pixel}},
      .start = &poet_zero,
      .out = sums,
      .left_row = map_plane,
      .right_column = part ? 1 : plane,
      .out_column = 1};
  int32_t k, j, tap, height, width;
#if POET_LANES
  if (poet_conv_weights_by_lanes(c, part, image, map, dw)) return;
#else
  if (poet_depthwise_weights(c, part, image, map, dw)) return;
#endif
  for (k = part ? part->filter : 0; k < last_filter; k += height) {
    height = poet_part_of(filters - k % filters, POET_BLOCK);
    const int32_t first = part ? part->channel : 0;
    const int32_t last = part ? first + part->channels : channels;
    for (j = first; j < last; j += width) {
      const poet_real* of_block =
          part ? image + (j - first) : image + (k / filters * channels + j) * plane;
      width = poet_part_of(last - j, POET_BLOCK);
      block.out_row = width;
      for (tap = 0; tap < taps; ++tap) {
        set_tap(c, tap / c->kernel_width, tap % c->kernel_width, of_block, pixel,
                map + k * map_plane, &block);
        poet_sum_block(&block, height, width);
        poet_sink_put_block(dw, (k * channels + j) * taps + tap, height, channels * taps, width,
                            taps, sums);
      }
    }
  }
}

void poet_conv_weights(const struct poet_conv2d_spec* c, const poet_real* image,
                       const poet_real* map, const struct poet_sink* dw) {
  some_weights(c, 0, image, map, dw);
}

/* A block of channels at a time, of all samples, so that each byte is unpacked once. The channels
 * of a pixel lie side by side, which is faster to sum than planes are. */
void poet_conv_weights_of_bytes(const struct poet_conv2d_spec* c, const struct poet_copy_spec* copy,
                                const int8_t* image, const poet_real* map, poet_real* tile,
                                const struct poet_sink* dw) {
  const int32_t filters = c->filters / c->groups, channels = c->channels / c->groups;
  const int32_t plane = c->height * c->width;
  struct poet_conv_part part;
  int32_t j, n;
  for (j = 0; j < c->channels; j += part.channels) {
    const int32_t rest = channels - j % channels;
    part.filter = j / channels * filters;
    part.channel = j % channels;
    part.channels = rest < POET_BLOCK ? rest : POET_BLOCK;
    for (n = 0; n < c->batch; ++n) {
      poet_unpack_planes(copy, image, n * c->channels + j, part.channels, plane,
                         tile + n * part.channels * plane);
    }
    some_weights(c, &part, tile, map, dw);
  }
}

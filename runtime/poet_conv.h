/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of convolutions share. */
#ifndef POET_CONV_H
#define POET_CONV_H

#include "poet_block.h"
#include "poet_copies.h"
#include "poet_kernels.h"

/* Positions [first, end) of the map at which a tap of an axis lies inside the image, at element
 * position stride + offset. */
struct poet_span {
  int32_t first, end, offset;
};

struct poet_span poet_span_of(int32_t offset, int32_t stride, int32_t extent, int32_t count);

/* An axis, from `extent` inputs to `count` outputs. */
struct poet_axis {
  int32_t to_map;
  int32_t kernel, stride, pad, dilation;
  int32_t extent, count;
};

/* `count` outputs first, first + step, ..., all of which see the taps tap, tap + tap_step, ... The
 * first output sees input `from` under the first tap; the next tap is over from_tap inputs further
 * on, and the next output sees from_step further on. */
struct poet_run {
  int32_t first, step, count;
  int32_t tap, tap_step, taps;
  int32_t from, from_tap, from_step;
  int32_t has_edges; /* its first output lacks the first tap, or its last one the last */
};

/* The longest run from an output on. */
struct poet_run poet_longest_run(const struct poet_axis* axis, int32_t output);

/* Where the run after `run` begins, or -1: to the end of outputs a step apart, then from the next
 * of the outputs that are left. */
int32_t poet_after(const struct poet_axis* axis, const struct poet_run* run);

/* A direction of a convolution, seen from its outputs. */
struct poet_gather {
  struct poet_axis rows, columns;
  int32_t groups, sums, terms;     /* channels of the output and of the input, in a group */
  int32_t sum_stride, term_stride; /* of weights */
  int32_t to_map;                  /* the output has a channel for each filter, or the input */
};

struct poet_gather poet_gather_of(const struct poet_conv2d_spec* c, int to_map);

/* Weights whose gradients are made at a time: of `channels` channels of a group, from `channel` on,
 * which are all that the image has. */
struct poet_conv_part {
  int32_t channel, channels;
};

/* ---- the kernels ---- */

/* A direction of a convolution, by the kernel that is best for its shape: `to_map`, from an image
 * to a map by w, or back. `start` has the first value of each channel of the output; NULL: zeros.
 */
void poet_convolve(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                   const struct poet_weights* w, const poet_real* start, poet_real* out);

/* The same for any shape. */
void poet_gather(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                 const struct poet_weights* w, const poet_real* start, poet_real* out);

/* The same for groups of one channel and one filter. */
void poet_depthwise(const struct poet_conv2d_spec* c, int to_map, const poet_real* from,
                    const struct poet_weights* w, const poet_real* start, poet_real* out);

/* The gradients of weights of such groups, or of a part (NULL: all), for kernels of 3 x 3 with a
 * stride of 1; 0 if the shape is another one. Not there with vectors. */
int poet_depthwise_weights(const struct poet_conv2d_spec* c, const struct poet_conv_part* part,
                           const poet_real* image, const poet_real* map,
                           const struct poet_sink* dw);

/* The gradients of all weights; biases are summed elsewhere. */
void poet_conv_weights(const struct poet_conv2d_spec* c, const poet_real* image,
                       const poet_real* map, const struct poet_sink* dw);

/* The same of an image of bytes. The tile has room for the planes of a block of channels. */
void poet_conv_weights_of_bytes(const struct poet_conv2d_spec* c, const struct poet_copy_spec* copy,
                                const int8_t* image, const poet_real* map, poet_real* tile,
                                const struct poet_sink* dw);

#endif

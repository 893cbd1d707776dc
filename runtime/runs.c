/* SPDX-License-Identifier: Apache-2.0 */
/* Which taps of a kernel meet which positions: spans of the map under one tap, and runs of outputs
 * that see the same taps. */
#include "poet_conv.h"

/* Most strides are 1, and a division takes as long as several taps of a small plane. */
static int32_t divide(int32_t extent, int32_t stride) {
  return stride == 1 ? extent : extent / stride;
}

struct poet_span poet_span_of(int32_t offset, int32_t stride, int32_t extent, int32_t count) {
  struct poet_span s = {.offset = offset};
  s.first = offset < 0 ? divide(-offset + stride - 1, stride) : 0;
  s.end = offset < extent ? divide(extent - 1 - offset, stride) + 1 : 0;
  if (s.end > count) s.end = count;
  return s;
}

/* The input under a tap, or -1. */
static int32_t input_under(const struct poet_axis* a, int32_t output, int32_t tap) {
  const int32_t offset = tap * a->dilation - a->pad;
  int32_t at = output * a->stride + offset;
  if (!a->to_map) {
    at = output - offset;
    if (at % a->stride != 0) return -1;
    at /= a->stride;
  }
  return at >= 0 && at < a->extent ? at : -1;
}

/* A run of one output. Taps that it sees are a fixed number of taps apart. */
static struct poet_run run_of(const struct poet_axis* a, int32_t output) {
  struct poet_run r = {.first = output, .count = 1, .tap_step = 1};
  int32_t tap;
  r.step = a->to_map ? 1 : a->stride;
  r.from_step = a->to_map ? a->stride : 1;
  for (tap = 0; tap < a->kernel; ++tap) {
    const int32_t from = input_under(a, output, tap);
    if (from < 0) continue;
    if (r.taps == 0) {
      r.tap = tap;
      r.from = from;
    } else if (r.taps == 1) {
      r.tap_step = tap - r.tap;
      r.from_tap = from - r.from;
    }
    ++r.taps;
  }
  return r;
}

struct poet_run poet_longest_run(const struct poet_axis* a, int32_t output) {
  struct poet_run r = run_of(a, output);
  while (output + r.count * r.step < a->count) {
    const struct poet_run next = run_of(a, output + r.count * r.step);
    if (next.tap != r.tap || next.taps != r.taps) break;
    ++r.count;
  }
  return r;
}

int32_t poet_after(const struct poet_axis* a, const struct poet_run* r) {
  const int32_t end = r->first + r->count * r->step;
  const int32_t next = r->first % r->step + 1;
  if (end < a->count) return end;
  return next < r->step && next < a->count ? next : -1;
}

struct poet_gather poet_gather_of(const struct poet_conv2d_spec* c, int to_map) {
  const int32_t taps = c->kernel_height * c->kernel_width;
  const int32_t channels = c->channels / c->groups, filters = c->filters / c->groups;
  struct poet_gather g = {
      .rows = {to_map, c->kernel_height, c->stride_height, c->pad_top, c->dilation_height,
               to_map ? c->height : c->map_height, to_map ? c->map_height : c->height},
      .columns = {to_map, c->kernel_width, c->stride_width, c->pad_left, c->dilation_width,
                  to_map ? c->width : c->map_width, to_map ? c->map_width : c->width},
      .groups = c->groups,
      .to_map = to_map};
  g.sums = to_map ? filters : channels;
  g.terms = to_map ? channels : filters;
  g.sum_stride = to_map ? channels * taps : taps;
  g.term_stride = to_map ? taps : channels * taps;
  return g;
}

#include "plain_sums.h"

void plain_product(const struct poet_product_spec* p, const struct poet_sink* out) {
  for (int32_t i = 0; i < p->rows; ++i) {
    for (int32_t j = 0; j < p->columns; ++j) {
      float sum = p->start ? p->start[j] : p->row_start ? p->row_start[i] : 0.0f;
      for (int32_t k = 0; k < p->inner; ++k) {
        sum += p->a[i * p->a_row + k * p->a_inner] * p->b[k * p->b_inner + j * p->b_column];
      }
      poet_sink_put(out, p->first + i * p->out_row + j * p->out_column, sum);
    }
  }
}

/* The element of a channel of the image under tap (r, s) at position (o, p) of the map, or -1. */
static int32_t under(const struct poet_conv2d_spec* c, int32_t o, int32_t p, int32_t r, int32_t s) {
  const int32_t y = o * c->stride_height + r * c->dilation_height - c->pad_top;
  const int32_t x = p * c->stride_width + s * c->dilation_width - c->pad_left;
  return y >= 0 && y < c->height && x >= 0 && x < c->width ? y * c->width + x : -1;
}

static void fill(int32_t batch, int32_t channels, int32_t size, const float* start, float* out) {
  for (int32_t i = 0; i < batch * channels * size; ++i) {
    out[i] = start ? start[i / size % channels] : 0.0f;
  }
}

enum direction { TO_MAP, TO_IMAGE, TO_WEIGHT };

/* All products of weight (k, j, r, s) of sample n. */
static float add_weight(const struct poet_conv2d_spec* c, enum direction direction, int32_t r,
                        int32_t s, float weight, float* image, float* map) {
  for (int32_t o = 0; o < c->map_height; ++o) {
    for (int32_t p = 0; p < c->map_width; ++p) {
      const int32_t at = under(c, o, p, r, s);
      if (at < 0) continue;
      if (direction == TO_MAP) map[o * c->map_width + p] += weight * image[at];
      if (direction == TO_IMAGE) image[at] += weight * map[o * c->map_width + p];
      if (direction == TO_WEIGHT) weight += map[o * c->map_width + p] * image[at];
    }
  }
  return weight;
}

static void convolve(const struct poet_conv2d_spec* c, enum direction direction, float* image,
                     const float* w, float* map) {
  const int32_t channels = c->channels / c->groups, filters = c->filters / c->groups;
  for (int32_t n = 0; n < c->batch; ++n) {
    const float* weight = w;
    for (int32_t k = 0; k < c->filters; ++k) {
      float* plane = map + (n * c->filters + k) * c->map_height * c->map_width;
      for (int32_t j = 0; j < channels; ++j) {
        const int32_t channel = n * c->channels + k / filters * channels + j;
        for (int32_t r = 0; r < c->kernel_height; ++r) {
          for (int32_t s = 0; s < c->kernel_width; ++s) {
            add_weight(c, direction, r, s, *weight++, image + channel * c->height * c->width,
                       plane);
          }
        }
      }
    }
  }
}

void plain_to_map(const struct poet_conv2d_spec* c, const float* image, const float* w,
                  const float* start, float* map) {
  fill(c->batch, c->filters, c->map_height * c->map_width, start, map);
  convolve(c, TO_MAP, (float*)image, w, map);
}

void plain_to_image(const struct poet_conv2d_spec* c, const float* map, const float* w,
                    const float* start, float* image) {
  fill(c->batch, c->channels, c->height * c->width, start, image);
  convolve(c, TO_IMAGE, image, w, (float*)map);
}

void plain_conv_weights(const struct poet_conv2d_spec* c, const float* image, const float* map,
                        const struct poet_sink* dw) {
  const int32_t channels = c->channels / c->groups, filters = c->filters / c->groups;
  int32_t index = 0;
  for (int32_t k = 0; k < c->filters; ++k) {
    for (int32_t j = 0; j < channels; ++j) {
      for (int32_t r = 0; r < c->kernel_height; ++r) {
        for (int32_t s = 0; s < c->kernel_width; ++s) {
          float sum = 0;
          for (int32_t n = 0; n < c->batch; ++n) {
            const int32_t channel = n * c->channels + k / filters * channels + j;
            sum =
                add_weight(c, TO_WEIGHT, r, s, sum, (float*)image + channel * c->height * c->width,
                           (float*)map + (n * c->filters + k) * c->map_height * c->map_width);
          }
          poet_sink_put(dw, index++, sum);
        }
      }
    }
  }
}

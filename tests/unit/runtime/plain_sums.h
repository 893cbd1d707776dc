/* Sums of products as plain loops, one output at a time, in the order of the runtime's kernels:
 * what these are compared with, bit by bit. */
#ifndef PLAIN_SUMS_H
#define PLAIN_SUMS_H

#include "poet_kernels.h"
#include "poet_product.h"

#ifdef __cplusplus
extern "C" {
#endif

void plain_product(const struct poet_product_spec* p, const struct poet_sink* out);

/* From the image to the map by w, or back; `start` has a value for each channel, or is NULL. */
void plain_to_map(const struct poet_conv2d_spec* c, const float* image, const float* w,
                  const float* start, float* map);
void plain_to_image(const struct poet_conv2d_spec* c, const float* map, const float* w,
                    const float* start, float* image);

/* Gradients of the weights, without those of biases. */
void plain_conv_weights(const struct poet_conv2d_spec* c, const float* image, const float* map,
                        const struct poet_sink* dw);

#ifdef __cplusplus
}
#endif

#endif

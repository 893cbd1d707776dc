/* SHA-256 (FIPS 180-4), to compare gradients with those of the host. Data comes in pieces, so no
 * buffer has to hold a gradient. */
#ifndef SHA256_H
#define SHA256_H

#include <stdint.h>

enum { SHA256_HEX = 65 }; /* characters of a digest in hexadecimal, with the 0 at the end */

struct sha256 {
  uint32_t state[8];
  uint32_t bytes; /* so far */
  uint8_t block[64];
};

void sha256_begin(struct sha256* sha);
void sha256_add(struct sha256* sha, const void* data, uint32_t bytes);
void sha256_end(struct sha256* sha, char hex[SHA256_HEX]);

#endif

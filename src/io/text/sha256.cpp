#include "io/text/sha256.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "poet/error.hpp"

namespace poet {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1) {
    throw InternalError("SHA-256 is not available from libcrypto");
  }
  std::string result;
  for (unsigned int i = 0; i < length; ++i) result += fmt::format("{:02x}", digest[i]);
  return result;
}

}  // namespace poet

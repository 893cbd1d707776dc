#include "base/sha256.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/files/files.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// With symbols and sanitizers a program is larger than other files of ours.
constexpr std::size_t kMaxProgramBytes = std::size_t{4} << 30;

}  // namespace

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

std::string program_sha256() {
  try {
    return sha256_hex(read_file("/proc/self/exe", kMaxProgramBytes));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace poet

// One target for libFuzzer: POET_FUZZ_TARGET is its index in fuzz_targets().
#include <cstddef>
#include <cstdint>

#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  poet::test::fuzz_targets()[POET_FUZZ_TARGET].read(text);
  return 0;
}

#pragma once

#include <span>
#include <string_view>

namespace poet::test {

/// Reads hostile text as one kind of input. InputError is the right answer to most of it; any other
/// exception, a crash, or a broken promise (which aborts, with a word on stderr) is a finding.
struct FuzzTarget {
  std::string_view name;  ///< of the target, and of its folder under corpus/
  void (*read)(std::string_view text);
};

/// `model`, `platform`, `schedule`, `quantity`, `journal`, `solution`, `npy`, `npz`, `ticks`,
/// `step_log`, and `onnx` in a build with libonnx.
std::span<const FuzzTarget> fuzz_targets();

}  // namespace poet::test

// Whether an output may lie over an input. A graph allows it by sizes and last uses alone; a kernel
// that reads an element again after it has written one would compute from its own output. The bits
// in step/kernels.hpp say for each kernel over which operands it may write. Both `run` and `export`
// ask it, and a model is asked when it is bound: the same fault is found whichever file it is in.

#include "step/output_over.hpp"

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {

// An input that no kernel of the node reads may be written over in any case.
void expect_takes_over(const StepNode& node, int input) {
  // A sink reads each element of an earlier sum right before it writes that element.
  if (node.sink && node.sink->sum == input) return;
  for (const KernelCall& call : node.calls) {
    for (std::size_t i = 0; i < call.in.size(); ++i) {
      const OperandSource& source = call.in[i];
      if (source.kind != OperandSource::Kind::tensor || source.index != input) continue;
      // Of several kernels, the first would write what the next one reads.
      if (node.calls.size() == 1 && ((call.kernel.over >> i) & 1U) != 0) continue;
      throw InputError(fmt::format(
          "the output of '{}' may take over one of its inputs; its kernel, {}, cannot do that",
          printable(node.name), call.kernel.name));
    }
  }
}

}  // namespace poet

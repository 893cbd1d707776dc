// What somebody who runs a network wants to see. A model file does not say it, and need not: what
// no layer reads is computed for its own sake, and what a loss is computed from is what the network
// is trained to make. The value of a loss does not count as an output, as it is reported with the
// other losses, and where a pool has found its maxima is for a backward pass.

#include "step/step_outputs.hpp"

#include <set>

namespace poet {

int prediction_of(const StepNode& loss) {
  if (loss.loss < 0 || !loss.compares) return -1;
  const OperandSource& compared = loss.calls.front().in.front();
  return compared.kind == OperandSource::Kind::tensor ? compared.index : -1;
}

std::vector<int> outputs_of(const TrainingStep& forward) {
  std::vector<bool> is_read(forward.nodes.size(), false);
  std::set<int> outputs;
  for (const StepNode& node : forward.nodes) {
    for (const KernelCall& call : node.calls) {
      for (const OperandSource& source : call.in) {
        if (source.kind == OperandSource::Kind::tensor) is_read[source.index] = true;
      }
    }
    if (const int seen = prediction_of(node); seen >= 0) outputs.insert(seen);
  }
  for (std::size_t i = 0; i < forward.nodes.size(); ++i) {
    const StepNode& node = forward.nodes[i];
    const bool is_result =
        !node.calls.empty() && node.bytes > 0 && !node.compares && !is_index_of_maximum(node.op);
    if (is_result && !is_read[i]) outputs.insert(static_cast<int>(i));
  }
  return {outputs.begin(), outputs.end()};
}

}  // namespace poet

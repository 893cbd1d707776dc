#include "step/norm_statistics.hpp"

#include <map>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/text/printable.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

/// The geometry of a norm's gradient, which may read a copy.
poet_batch_norm_spec& norm_of(KernelSpec& spec) {
  auto* const copied = std::get_if<poet_batch_norm_copy_spec>(&spec);
  return copied != nullptr ? copied->norm : std::get<poet_batch_norm_spec>(spec);
}

StepNorm norm_of(const LayerSpec& layer) {
  return {.layer = layer.name,
          .epsilon = layer.attributes.at("epsilon").number,
          .is_frozen = layer.attributes.at("frozen").height != 0};
}

}  // namespace

bool is_batch_norm(const LayerSpec& layer) {
  return layer.op == "batch_norm1d" || layer.op == "batch_norm2d";
}

std::optional<StepNorm> batch_norm_of(const Draft& draft, int parameters) {
  const DraftLayer& from = draft.layers[draft.parameters[parameters].owner];
  const LayerSpec& owner = *from.spec;
  if (!is_batch_norm(owner) || from.parameters.front() != parameters) return std::nullopt;
  const StepNorm norm = norm_of(owner);
  for (const DraftLayer& layer : draft.layers) {
    if (!is_batch_norm(*layer.spec) || layer.parameters.front() != parameters) continue;
    const StepNorm other = norm_of(*layer.spec);
    const bool is_folded_alike = !norm.is_frozen || norm.epsilon == other.epsilon;
    if (norm.is_frozen == other.is_frozen && is_folded_alike) continue;
    throw InputError(fmt::format(
        "layer '{}' ({}): it shares the parameters of '{}' and differs in \"frozen\", or in the "
        "\"epsilon\" of a frozen norm; expected the same",
        printable(layer.spec->name), printable(layer.spec->op), printable(owner.name)));
  }
  return norm;
}

void order_statistics(TrainingStep& step) {
  std::map<int, std::vector<poet_batch_norm_spec*>> uses;  // by parameters, the last layer first
  for (StepNode& node : step.nodes) {
    if (!node.sink || !node.sink->tracks) continue;
    uses[node.sink->parameters].push_back(&norm_of(node.calls.front().spec));
  }
  for (const auto& [parameters, specs] : uses) {
    poet_real left = 1;
    for (poet_batch_norm_spec* const spec : specs) {
      spec->take *= left;
      left *= spec->keep;
      spec->keep = 1;
    }
    specs.front()->keep = left;
  }
}

}  // namespace poet

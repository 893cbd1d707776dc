// Computes training steps of a model and writes their numbers, for a comparison with PyTorch:
//   poet_dump_step MODEL BATCH SEED
// Parameters are as before the step; gradients and losses are its own.
// A line of JSON describes the arrays that follow it, in their order, with 4 bytes for each number
// as it is in memory. Data and parameters are those of `poet-solve run --seed`.
#include <poet_kernels.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "execute/compute.hpp"
#include "formats/named_text.hpp"
#include "formats/read_inputs.hpp"
#include "step/training_step.hpp"

namespace {

using nlohmann::json;
using namespace poet;

class Dump {
 public:
  template <typename Number>
  void add(json about, const std::vector<Number>& values) {
    static_assert(sizeof(Number) == 4);
    about["count"] = values.size();
    arrays_.push_back(std::move(about));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
  }

  void write(const TrainingState& state) const {
    const std::string head = json{{"losses", state.losses}, {"arrays", arrays_}}.dump() + "\n";
    std::fwrite(head.data(), 1, head.size(), stdout);
    std::fwrite(bytes_.data(), 1, bytes_.size(), stdout);
  }

 private:
  json arrays_ = json::array();
  std::string bytes_;
};

std::vector<Shape> shapes_of(const StepParameters& parameters) {
  std::vector<Shape> shapes;
  for (const StepTensor& tensor : parameters.tensors) shapes.push_back(tensor.shape);
  return shapes;
}

/// What a dropout layer multiplies its input by.
void add_masks(Dump& dump, const TrainingStep& step) {
  for (const StepNode& node : step.nodes) {
    if (node.op != "dropout" && node.op != "stochastic_depth") continue;
    const auto& spec = std::get<poet_dropout_spec>(node.calls.front().spec);
    std::vector<float> mask(static_cast<std::size_t>(spec.count), 1.0F);
    poet_dropout(&spec, mask.data(), mask.data());
    dump.add({{"kind", "mask"}, {"name", node.name}}, mask);
  }
}

void add_data(Dump& dump, const char* kind, const std::string& name, const StepData& about,
              const std::vector<std::uint32_t>& bits) {
  dump.add({{"kind", kind}, {"name", name}, {"is_index", about.index_limit > 0}}, bits);
}

void run(const std::string& model, std::int64_t batch_size, std::uint64_t seed) {
  const NamedText found = find_text(model, "model", embedded_models());
  InputErrors errors;
  ModelSpec spec = read_model(found.text, found.place, errors);
  errors.throw_if_any();
  ask_for_backward(spec, Backward::exact);
  TrainingStep step = bind_step(spec, batch_size);
  seed_dropout(step, seed, 0);
  TrainingState state = initial_state(step, seed);

  Dump dump;
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    const StepParameters& about = step.parameters[p];
    dump.add({{"kind", "parameters"}, {"name", about.name}, {"shapes", shapes_of(about)}},
             state.parameters[p]);
  }
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const StepNode& node = step.nodes[static_cast<std::size_t>(step.inputs[i].node)];
    add_data(dump, "input", node.name, step.inputs[i], state.inputs[i]);
  }
  for (std::size_t i = 0; i < step.targets.size(); ++i) {
    add_data(dump, "target", "", step.targets[i], state.targets[i]);
  }
  add_masks(dump, step);
  compute_unscheduled(step, state);
  for (std::size_t p = 0; p < step.parameters.size(); ++p) {
    const StepParameters& about = step.parameters[p];
    if (!about.is_trained) continue;
    dump.add({{"kind", "gradient"}, {"name", about.name}, {"shapes", shapes_of(about)}},
             state.gradients[p]);
  }
  dump.write(state);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) {
    std::fputs("usage: poet_dump_step MODEL BATCH SEED\n", stderr);
    return 2;
  }
  try {
    run(words[1], std::atoll(words[2]), std::strtoull(words[3], nullptr, 10));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}

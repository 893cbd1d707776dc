// poet_plan.h is what a firmware's own code includes. So its names must not depend on the schedule:
// another schedule of the same model, in any order of its nodes, changes sizes and the values of
// POET_TENSOR_<NAME>, and the firmware compiles as it is. Names and shapes come from the model as
// its user wrote it, and are comments or parts of macros here, so all of them go through c_names.
// Sizes are macros and not members of the plan alone, as a firmware declares its arena with them.

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "export/c_names.hpp"
#include "export/c_sources.hpp"
#include "model/chip_ram.hpp"
#include "model/shape.hpp"
#include "poet/version.hpp"

namespace poet {
namespace {

std::string joined_shapes(const std::vector<StepTensor>& tensors) {
  std::string text;
  for (const StepTensor& each : tensors)
    text += (text.empty() ? "" : " + ") + shape_text(each.shape);
  return text;
}

/// The elements of a tensor: indices of maxima have one or two bytes, all others four. For comments
/// only: the runtime copies bytes, and does not ask what they mean.
std::string_view element_type(const StepNode& node, const TrainingStep& step, int index) {
  if (is_index_of_maximum(node.op)) {
    const Bytes count = element_count(node.shape);
    return node.bytes == count ? "uint8_t" : "uint16_t";
  }
  for (const StepData& input : step.inputs) {
    if (input.node == index && input.index_limit > 0) return "int32_t";
  }
  return "float";
}

class PlanHeader {
 public:
  PlanHeader(const DevicePlan& plan, const DevicePlan* first)
      : plan_(plan), first_(first), words_(words_of(plan)), step_(*plan.step) {}

  // Guards for C++ are in the text, since firmware is often C++ that includes C.
  std::string write() {
    text_ = fmt::format(
        "/* A {0} of '{1}'. Written by poet-solve {2}; do not edit. */\n"
        "#ifndef {3}H\n#define {3}H\n\n#include \"{4}.h\"\n\n",
        step_.is_forward ? "forward pass" : "training step", comment_text(plan_.name), POET_VERSION,
        plan_.is_second ? words_.macro : words_.macro + "PLAN_",
        plan_.is_second ? "poet_plan" : "poet_runtime");
    write_sizes();
    write_data("INPUT", "input", step_.inputs);
    write_data("TARGET", "target", step_.targets);
    write_outputs();
    if (!plan_.is_second) write_groups();
    write_tensors();
    text_ += fmt::format(
        "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\nextern const struct poet_plan {};\n",
        words_.symbol);
    if (!plan_.is_second) {
      text_ += "/* For poet_memory.constants: the values of a seed, in poet_constants.c. */\n" +
               declaration("poet_constants", plan_.constant_count) +
               "/* For poet_memory.constant_bytes, likewise. */\n"
               "extern const int8_t poet_constant_bytes[];\n";
    }
    if (plan_.has_reset) {
      text_ += "/* What poet_initialise() copies; in poet_parameters.c. */\n" +
               declaration("poet_reset_parameters", plan_.parameter_count);
    }
    if (plan_.has_running_reset) text_ += "extern const poet_real poet_reset_running[];\n";
    text_ += "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return std::move(text_);
  }

 private:
  static std::string declaration(std::string_view name, std::int64_t count) {
    if (!are_words(count)) return fmt::format("extern const poet_real {}[];\n", name);
    return fmt::format(
        "extern const uint32_t {0}_words[]; /* the bits of the numbers */\n"
        "#define {0} ((const poet_real*)(const void*){0}_words)\n",
        name);
  }

  /// In C99, a decimal constant beyond 2^31 - 1 without a suffix has a signed type of more than 32
  /// bits.
  void define(const std::string& name, std::int64_t value, const std::string& about = {}) {
    const std::string comment = about.empty() ? "" : fmt::format(" /* {} */", about);
    text_ += fmt::format("#define {}{} {}{}{}\n", words_.macro, name, value,
                         value > std::numeric_limits<std::int32_t>::max() ? "u" : "", comment);
  }

  void write_sizes() {
    text_ += "/* What struct poet_memory has to hold. */\n";
    define("ARENA_BYTES", plan_.arena_bytes);
    define("ALIGNMENT", plan_.alignment, "of the arena, in bytes");
    define_banks();
    name_kept_banks();
    define("STORAGE_BYTES", plan_.storage_bytes, "of secondary storage");
    if (plan_.is_second) return write_second_sizes();
    define("PARAMETER_COUNT", plan_.parameter_count, "poet_real");
    define("CONSTANT_COUNT", plan_.constant_count, "poet_real that no node updates");
    define("CONSTANT_BYTE_COUNT", plan_.constant_byte_count, "int8_t, likewise");
    define("MOMENT_COUNT", plan_.moment_count, "poet_real");
    define("KEPT_COUNT", plan_.kept_count, "poet_real");
    define("RUNNING_COUNT", plan_.running_count, "poet_real, if running statistics are wanted");
    define("LOSS_COUNT", plan_.loss_count);
    define("INPUT_COUNT", static_cast<std::int64_t>(step_.inputs.size()));
    define("TARGET_COUNT", static_cast<std::int64_t>(step_.targets.size()));
    if (step_.is_forward) define_outputs();
    define("GROUP_COUNT", static_cast<std::int64_t>(plan_.groups.size()), "of parameters");
    define("INSTRUCTION_COUNT", static_cast<std::int64_t>(plan_.instructions.size()));
    define("STACK_BYTES", kStackBytes,
           "at most, of a step or a pass on a Cortex-M, by POET_CFLAGS");
    text_ += "\n";
    write_ram();
  }

  /// The sum of what a program has to find room for, which a linker sees in arrays and not at once.
  void write_ram() {
    text_ += "/* RAM of a program in bytes, by term; elements of data have 4 bytes each. */\n";
    std::int64_t sum = std::int64_t{plan_.arena_bytes} + kStackBytes;
    const auto term = [&](const char* name, std::int64_t count, const char* about) {
      define(name, 4 * count, about);
      sum += 4 * count;
    };
    term("PARAMETERS_BYTES", plan_.parameter_count, "of poet_memory.parameters");
    term("MOMENTS_BYTES", plan_.moment_count, "of poet_memory.moments");
    term("KEPT_BYTES", plan_.kept_count, "of poet_memory.kept");
    term("RUNNING_BYTES", plan_.running_count, "of poet_memory.running");
    term("DATA_BYTES", data_count(step_), "of all inputs and targets");
    define("TOTAL_RAM_BYTES", sum, "these, the arena and the stack");
    text_ += "\n";
  }

  static std::int64_t data_count(const TrainingStep& step) {
    std::int64_t count = 0;
    for (const StepData& input : step.inputs) count += input.count;
    for (const StepData& target : step.targets) count += target.count;
    return count;
  }

  /// A firmware declares an array for each bank, in a section of its linker script.
  void define_banks() {
    if (plan_.banks.empty()) return;
    define("BANK_COUNT", static_cast<std::int64_t>(plan_.banks.size()),
           "pointers of poet_memory.banks");
    Identifiers names({"COUNT"});
    for (std::size_t k = 0; k < plan_.banks.size(); ++k) {
      const std::string name = names.add(plan_.banks[k].name);
      define("BANK_" + name, static_cast<std::int64_t>(k), "an index of poet_memory.banks");
      define(fmt::format("ARENA_{}_BYTES", name), plan_.banks[k].bytes);
    }
  }

  /// Texts, as the name of a section is one.
  void name_kept_banks() {
    const auto name = [&](TrainingArray array, const char* macro, const char* member) {
      const auto found = plan_.kept_banks.find(array);
      if (found == plan_.kept_banks.end()) return;
      text_ += fmt::format("#define {}{}_BANK \"{}\" /* where poet_memory.{} should be */\n",
                           words_.macro, macro, found->second, member);
    };
    name(TrainingArray::parameters, "PARAMETERS", "parameters");
    name(TrainingArray::optimizer, "MOMENTS", "moments");
    name(TrainingArray::gradients, "KEPT", "kept");
  }

  void define_outputs() {
    define("OUTPUT_COUNT", static_cast<std::int64_t>(plan_.outputs.size()), "of poet_infer()");
  }

  /// Parameters, constants and running statistics are shared with the training step.
  void write_second_sizes() {
    define("LOSS_COUNT", plan_.loss_count);
    define("INPUT_COUNT", static_cast<std::int64_t>(step_.inputs.size()));
    define("TARGET_COUNT", static_cast<std::int64_t>(step_.targets.size()));
    define_outputs();
    define("INSTRUCTION_COUNT", static_cast<std::int64_t>(plan_.instructions.size()));
    text_ += "\n/* Of one memory for both plans: nothing in it lives longer than a pass. */\n";
    const auto larger = [&](const char* name, std::uint32_t a, std::uint32_t b) {
      text_ += fmt::format("#define POET_SHARED_{} {}u\n", name, std::max(a, b));
    };
    larger("ARENA_BYTES", plan_.arena_bytes, first_->arena_bytes);
    larger("ALIGNMENT", plan_.alignment, first_->alignment);
    larger("STORAGE_BYTES", plan_.storage_bytes, first_->storage_bytes);
    text_ += "\n";
  }

  void write_outputs() {
    if (plan_.outputs.empty()) return;
    text_ += "/* Elements of each output, 4 bytes each. */\n";
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      const StepNode& node = step_.nodes[static_cast<std::size_t>(plan_.outputs[i].node)];
      define(fmt::format("OUTPUT_{}_COUNT", i), element_count(node.shape),
             fmt::format("{} {}, float", comment_text(node.name), shape_text(node.shape)));
    }
    text_ += "\n";
  }

  void write_data(std::string_view word, std::string_view what, const std::vector<StepData>& all) {
    if (all.empty()) return;
    text_ += fmt::format("/* Elements of each {}, 4 bytes each. */\n", what);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const StepData& data = all[i];
      const std::string type = data.index_limit > 0
                                   ? fmt::format("int32_t below {}", data.index_limit)
                               : data.zeros ? "float, zeros at first"
                                            : "float";
      std::string name;
      if (data.node >= 0) {
        const StepNode& node = step_.nodes[data.node];
        name = fmt::format("{} {}, ", comment_text(node.name), shape_text(node.shape));
      }
      define(fmt::format("{}_{}_COUNT", word, i), data.count, name + type);
    }
    text_ += "\n";
  }

  /// Places are macros, by which firmware finds the parameters of one layer.
  void write_groups() {
    if (plan_.groups.empty()) return;
    Identifiers names({"COUNT"});
    std::string indices;
    std::string places;
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      const DeviceGroup& group = plan_.groups[g];
      const StepParameters& from = *group.parameters;
      const std::string name = names.add(from.name);
      indices += fmt::format("  POET_GROUP_{} = {}{} /* {} {}{} */\n", name, g,
                             g + 1 < plan_.groups.size() ? "," : "", comment_text(from.name),
                             joined_shapes(from.tensors), from.is_trained ? "" : ", not trained");
      places += fmt::format("#define POET_{}_{} {}\n#define POET_COUNT_{} {}\n",
                            from.is_trained ? "FIRST" : "CONSTANT_FIRST", name, group.first, name,
                            from.count);
      if (group.bytes) places += fmt::format("#define POET_BYTE_FIRST_{} {}\n", name, *group.bytes);
      if (group.constant_running >= 0) {
        places += fmt::format("#define POET_CONSTANT_RUNNING_FIRST_{} {}\n", name,
                              group.constant_running);
      }
      if (group.running >= 0) {
        places += fmt::format("#define POET_RUNNING_FIRST_{} {}\n", name, group.running);
      }
    }
    text_ += "/* Indices of poet_plan.parameters. */\nenum poet_group {\n" + indices + "};\n\n";
    text_ +=
        "/* Where the parameters of a layer begin in poet_memory.parameters, and how many\n"
        " * there are. What is not trained begins in poet_memory.constants. Weights of one byte "
        "begin "
        "in\n"
        " * poet_memory.constant_bytes, and their scales, and then biases, in constants. The "
        "running\n"
        " * statistics of a batch norm, as many as its parameters, begin in poet_memory.running. "
        "*/\n" +
        places + "\n";
  }

  /// By node. If two names come to the same word, the model's list decides which of them gets a
  /// number, so that a word means the same tensor in every order.
  std::vector<std::string> tensor_names() const {
    const std::vector<int> place = places_of(step_.order);
    Identifiers identifiers;
    std::vector<std::string> names(step_.nodes.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::size_t at = place.empty() ? k : place[k];
      names[at] = identifiers.add(step_.nodes[at].name);
    }
    return names;
  }

  void write_tensors() {
    const std::vector<std::string> names = tensor_names();
    text_ += fmt::format("/* Nodes of the {}, as the schedule numbers them. */\nenum {}tensor {{\n",
                         step_.is_forward ? "forward pass" : "training step", words_.type);
    for (std::size_t i = 0; i < step_.nodes.size(); ++i) {
      const StepNode& node = step_.nodes[i];
      const std::string what =
          node.bytes > 0
              ? fmt::format("{} {}, {} bytes", element_type(node, step_, static_cast<int>(i)),
                            shape_text(node.shape), node.bytes)
              : std::string("no tensor");
      text_ += fmt::format("  {}TENSOR_{} = {}{} /* {}: {} */\n", words_.macro, names[i], i,
                           i + 1 < step_.nodes.size() ? "," : "", comment_text(node.name), what);
    }
    text_ += "};\n\n";
  }

  const DevicePlan& plan_;
  const DevicePlan* first_;
  PlanWords words_;
  const TrainingStep& step_;
  std::string text_;
};

}  // namespace

std::string plan_header(const DevicePlan& plan, const DevicePlan* first) {
  return PlanHeader(plan, first).write();
}

}  // namespace poet

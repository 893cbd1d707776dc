// poet_plan.c: constant tables that hold no address of RAM, so that a linker can keep them in
// flash. What occurs more than once is written once: layers of one shape share their geometry, and
// equal lists of operands their rows. Operands are places and offsets, since the arena is the
// caller's and has no address before linking. Text is made in one pass over the instructions; the
// tables that they refer to grow meanwhile, and are written in front of them, as C wants what is
// used declared before.

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "export/c_names.hpp"
#include "export/c_sources.hpp"
#include "export/kernel_specs.hpp"
#include "poet/version.hpp"
#include "step/initial_values.hpp"

namespace poet {
namespace {

std::string operand_text(const DeviceOperand& operand) {
  return fmt::format("{{{}, {}, {}u}}", name_of(operand.place), operand.index, operand.offset);
}

/// The name of the function that calls a kernel.
std::string adaptor_name(const Kernel& kernel) {
  return fmt::format("call_{}", kernel.name.substr(std::string_view("poet_").size()));
}

/// A function that gives a kernel the arguments that it has. Kernels differ in their arguments, and
/// C leaves a call through a pointer to another type of function undefined. So the tables point to
/// adaptors, of which there is one for each kernel that the plan calls. C converts the pointers.
std::string adaptor(const Kernel& kernel) {
  const bool is_update = kernel.name == "poet_update";
  std::string unused;
  std::string arguments = is_update ? "*(const int32_t*)spec" : "spec";
  const int constant = kernel.operand_count - (kernel.has_tile ? 1 : 0);
  for (int i = 0; i < constant; ++i) arguments += fmt::format(", in[{}]", i);
  if (kernel.has_tile) arguments += fmt::format(", (struct poet_workspace*)in[{}]", constant);
  if (kernel.operand_count == 0) unused += "  (void)in;\n";
  const auto pass = [&](bool is_taken, std::string_view name) {
    is_taken ? arguments += fmt::format(", {}", name)
             : unused += fmt::format("  (void){};\n", name);
  };
  pass(kernel.has_output, "out");
  pass(kernel.has_sink, "sink");
  return fmt::format(
      "static void {}(const void* spec, const void* const* in, void* out,\n"
      "    const struct poet_sink* sink) {{\n{}  {}({});\n}}\n\n",
      adaptor_name(kernel), unused, kernel.name, arguments);
}

/// A table that grows by rows and finds equal runs of rows again. They are compared as text, and as
/// wholes: a call names only where its rows begin.
class Table {
 public:
  /// Returns the index of the first of these rows.
  std::size_t add(const std::vector<std::string>& rows) {
    const auto [found, is_new] = first_.emplace(rows, rows_.size());
    if (is_new) rows_.insert(rows_.end(), rows.begin(), rows.end());
    return found->second;
  }

  /// `static const TYPE NAME[] = {...};`, or nothing without rows.
  std::string text(std::string_view type, std::string_view name) const {
    if (rows_.empty()) return {};
    std::string text = fmt::format("static const {} {}[] = {{\n", type, name);
    for (const std::string& row : rows_) text += fmt::format("  {},\n", row);
    return text + "};\n\n";
  }

 private:
  std::vector<std::string> rows_;
  std::map<std::vector<std::string>, std::size_t> first_;
};

std::string element(std::string_view table, std::size_t index) {
  return fmt::format("&{}[{}]", table, index);
}

class PlanSource {
 public:
  explicit PlanSource(const DevicePlan& plan)
      : plan_(plan), words_(words_of(plan)), step_(*plan.step) {}

  std::string write() {
    std::string instructions;
    for (const DeviceInstruction& each : plan_.instructions) instructions += instruction(each);
    std::string groups;
    if (!plan_.is_second) {
      for (const DeviceGroup& each : plan_.groups) groups += group(each);
    }
    std::string text = fmt::format(
        "/* A {} of '{}'. Written by poet-solve {}; do not edit. */\n"
        "#include \"{}.h\"\n\n",
        step_.is_forward ? "forward pass" : "training step", comment_text(plan_.name), POET_VERSION,
        words_.symbol);
    for (const auto& [name, function] : adaptors_) text += function;
    text += specs_text_ + (specs_.empty() ? "" : "\n");
    text += operands_.text("struct poet_operand", "operands");
    text += calls_.text("struct poet_call", "calls");
    text += sinks_.text("struct poet_sink_use", "sinks");
    text += "static const struct poet_instruction instructions[] = {\n" + instructions + "};\n\n";
    text += tensors_.text("struct poet_initial", "tensors");
    if (!groups.empty()) {
      text += "static const struct poet_parameters groups[] = {\n" + groups + "};\n\n";
    }
    text += data("inputs", step_.inputs) + data("targets", step_.targets) + outputs() + banks();
    return text + plan();
  }

 private:
  // The order of the members is the order of struct poet_instruction; initialisers without names
  // keep a table of thousands of lines short.
  std::string instruction(const DeviceInstruction& from) {
    std::string calls = "0";
    std::string sink = "0";
    if (!from.calls.empty()) {
      std::vector<std::string> rows;
      for (const DeviceCall& each : from.calls) rows.push_back(call(each));
      calls = element("calls", calls_.add(rows));
    }
    if (from.sink) {
      sink = element("sinks",
                     sinks_.add({fmt::format("{{{}, {}, {}, {}}}", operand_text(from.sink->sum),
                                             operand_text(from.sink->gradient), from.sink->updates,
                                             from.sink->tracks)}));
    }
    const std::string& name = step_.nodes[from.node].name;
    return fmt::format("  {{{}, {}, {}, {}, {}u, {}u, {}u, {}, {}, {}, {}}}, /* {} */\n",
                       from.number, name_of(from.op), from.writes_tensor ? 1 : 0, from.calls.size(),
                       from.offset, from.bytes, from.from, from.input, from.loss, calls, sink,
                       comment_text(name));
  }

  // A null pointer stands for a list without entries, as C has no empty array.
  std::string call(const DeviceCall& from) {
    const Kernel& kernel = from.kernel;
    adaptors_.emplace(kernel.name, adaptor(kernel));
    std::string operands = "0";
    if (!from.in.empty()) {
      std::vector<std::string> rows;
      for (const DeviceOperand& each : from.in) rows.push_back(operand_text(each));
      operands = element("operands", operands_.add(rows));
    }
    return fmt::format("{{{}, &{}, {}, {}, {}}}", adaptor_name(kernel), spec(from.call->spec),
                       operands, from.in.size(), is_random(from.call->spec) ? 1 : 0);
  }

  /// Geometry is compared as text: equal text is an equal struct.
  std::string spec(const KernelSpec& from) {
    const SpecText made = spec_text(from);
    const auto [found, is_new] =
        specs_.emplace(made.type + made.initializer, fmt::format("spec_{}", specs_.size()));
    if (is_new) {
      specs_text_ += fmt::format("static const {} {} =\n    {};\n", made.type, found->second,
                                 made.initializer);
    }
    return found->second;
  }

  std::string group(const DeviceGroup& from) {
    std::vector<std::string> rows;
    for (const poet_initial& each : from.tensors) {
      rows.push_back(fmt::format("{{{}, {}, {}}}", each.count, float_literal(each.center),
                                 float_literal(each.spread)));
    }
    const std::string tensors = rows.empty() ? "0" : element("tensors", tensors_.add(rows));
    return fmt::format("  {{{}, {}, {}, {}, {}, {}, {}, {}, {}}},\n",
                       string_literal(from.parameters->name), from.first, from.parameters->count,
                       from.moments, from.parameters->is_trained ? 1 : 0, rows.size(), tensors,
                       from.running, from.bytes.value_or(-1));
  }

  static std::string data(std::string_view name, const std::vector<StepData>& all) {
    Table table;
    std::vector<std::string> rows;
    rows.reserve(all.size());
    for (const StepData& each : all) {
      rows.push_back(fmt::format("{{{}, {}}}", each.count, runtime_limit(each)));
    }
    table.add(rows);
    return table.text("struct poet_data", name);
  }

  std::string outputs() const {
    Table table;
    std::vector<std::string> rows;
    for (const DeviceOutput& each : plan_.outputs) {
      rows.push_back(fmt::format("{{{}, {}u, {}u}}", each.instruction, each.offset, each.bytes));
    }
    table.add(rows);
    return table.text("struct poet_output", "outputs");
  }

  std::string banks() const {
    Table table;
    std::vector<std::string> rows;
    for (const DeviceBank& each : plan_.banks) {
      rows.push_back(fmt::format("{{{}u, {}u}}", each.from, each.bytes));
    }
    table.add(rows);
    return table.text("struct poet_bank", "banks");
  }

  // The plan alone has named members: it is written once, and new ones may come between.
  std::string plan() const {
    const auto member = [](std::string_view name, const auto& value) {
      return fmt::format("  .{} = {},\n", name, value);
    };
    const auto count = [&](std::string_view name, std::string_view macro) {
      return member(name, words_.macro + std::string(macro));
    };
    std::string text = fmt::format("const struct poet_plan {} = {{\n", words_.symbol);
    text += member("hash", fmt::format("0x{:08x}u", plan_.hash));
    text += count("arena_bytes", "ARENA_BYTES");
    text += count("alignment", "ALIGNMENT");
    text += count("storage_bytes", "STORAGE_BYTES");
    text += member("optimizer", name_of(kind_of(step_.optimizer)));
    if (!plan_.is_second) {
      text += member("parameter_count", "POET_PARAMETER_COUNT");
      text += member("moment_count", "POET_MOMENT_COUNT");
      text += member("kept_count", "POET_KEPT_COUNT");
    }
    text += member("constant_count", "POET_CONSTANT_COUNT");
    text += member("constant_byte_count", "POET_CONSTANT_BYTE_COUNT");
    text += member("running_count", "POET_RUNNING_COUNT");
    text += member("second_moments", plan_.second_moments);
    text += count("loss_count", "LOSS_COUNT");
    text += count("instruction_count", "INSTRUCTION_COUNT");
    if (!plan_.is_second) text += member("group_count", "POET_GROUP_COUNT");
    text += count("input_count", "INPUT_COUNT");
    text += count("target_count", "TARGET_COUNT");
    text += member("instructions", "instructions");
    if (!plan_.is_second) text += member("parameters", plan_.groups.empty() ? "0" : "groups");
    text += member("inputs", step_.inputs.empty() ? "0" : "inputs");
    text += member("targets", step_.targets.empty() ? "0" : "targets");
    if (plan_.has_reset) text += member("reset", "poet_reset_parameters");
    if (plan_.has_running_reset) text += member("reset_running", "poet_reset_running");
    if (step_.is_forward) {
      text += member("is_forward", 1);
      text += member("reads_losses", plan_.reads_losses ? 1 : 0);
      text += count("output_count", "OUTPUT_COUNT");
      text += member("outputs", plan_.outputs.empty() ? "0" : "outputs");
    }
    if (!plan_.banks.empty()) {
      text += count("bank_count", "BANK_COUNT");
      text += member("banks", "banks");
    }
    return text + "};\n";
  }

  const DevicePlan& plan_;
  PlanWords words_;
  const TrainingStep& step_;
  std::map<std::string_view, std::string> adaptors_;  ///< by kernel
  std::map<std::string, std::string> specs_;          ///< their names, by type and members
  std::string specs_text_;
  Table operands_, calls_, sinks_, tensors_;
};

}  // namespace

std::string plan_source(const DevicePlan& plan) {
  return PlanSource(plan).write();
}

}  // namespace poet

#include "support/symbolic_executor.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "model/shape.hpp"

namespace poet::test {
namespace {

/// FNV-1a over the bytes of all parts, each with its end.
class Expression {
 public:
  explicit Expression(std::string_view name) {
    for (const char c : name) add_byte(static_cast<unsigned char>(c));
    add_byte(0);
  }

  void add(Value value) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(value >> shift & 0xFF);
  }

  Value value() const { return hash_; }

 private:
  void add_byte(Value byte) { hash_ = (hash_ ^ byte) * 0x100000001B3; }

  Value hash_ = 0xCBF29CE484222325;
};

Value before_step(const std::string& parameters) {
  return Expression("initial " + parameters).value();
}

Value changed(Value parameters, Value gradient) {
  Expression result("changed");
  result.add(parameters);
  result.add(gradient);
  return result.value();
}

using Values = std::map<std::string, Value>;

/// `tensor` and `parameters` look up a name. `kept` are gradients of parameters beside the graph.
template <typename Tensor, typename Parameter>
Value apply(const std::string& name, const Formula& formula, Tensor&& tensor,
            Parameter&& parameters, Values& kept) {
  Expression result(name);
  for (const std::string& read : formula.reads) result.add(tensor(read));
  for (const std::string& read : formula.reads_parameters) result.add(parameters(read));
  for (const std::string& read : formula.applies) result.add(kept[read]);
  // A sum, as the order does not matter.
  for (const std::string& sum : formula.adds_to) kept[sum] += result.value();
  return result.value();
}

Value evaluate(const Formulas& formulas, const std::string& name, Values& known, Values& kept) {
  if (const auto found = known.find(name); found != known.end()) return found->second;
  const Value value = apply(
      name, formulas.at(name),
      [&](const std::string& read) { return evaluate(formulas, read, known, kept); }, before_step,
      kept);
  known.emplace(name, value);
  return value;
}

/// An instruction that cannot be executed.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Device {
 public:
  Device(const Model& model, const Formulas& formulas) : model_(model), formulas_(formulas) {}

  void run(const Instruction& step) {
    const std::string& name = model_.nodes.at(step.node).name;
    switch (step.op) {
      case Instruction::Op::compute:
        return compute(name, step.over);
      case Instruction::Op::free:
        return drop(name);
      case Instruction::Op::page_out:
        return write(step);
      case Instruction::Op::page_in:
        ram_[name] = read(step);
        return;
      case Instruction::Op::move:
        static_cast<void>(in_ram(name));  // values have no addresses
        return;
    }
  }

  Outcome outcome;

 private:
  Value in_ram(const std::string& name) const {
    const auto found = ram_.find(name);
    if (found == ram_.end()) throw Fault(name + " is not in RAM");
    return found->second;
  }

  void drop(const std::string& name) {
    in_ram(name);
    ram_.erase(name);
  }

  /// Destroys what is where the copy goes. A program without slots has room for a copy of each.
  void write(const Instruction& step) {
    const ModelNode& node = model_.nodes.at(step.node);
    const Bytes bytes = node.bytes.value_or(element_count(node.out_shape) * Bytes{sizeof(float)});
    std::erase_if(copies_, [&](const Copy& copy) {
      if (!step.slot) return copy.node == step.node;
      return copy.from < *step.slot + bytes && *step.slot < copy.to;
    });
    const Bytes from = step.slot.value_or(0);
    copies_.push_back({step.node, in_ram(node.name), from, from + bytes});
  }

  Value read(const Instruction& step) const {
    for (const Copy& copy : copies_) {
      if (copy.node == step.node && copy.from == step.slot.value_or(0)) return copy.value;
    }
    throw Fault("there is no copy of it in storage");
  }

  Value& parameters(const std::string& name) {
    return outcome.parameters.try_emplace(name, before_step(name)).first->second;
  }

  void compute(const std::string& name, std::optional<int> over) {
    const auto formula = formulas_.find(name);
    if (formula == formulas_.end()) throw Fault("there is no formula for it");
    Value value = apply(
        name, formula->second, [&](const std::string& read) { return in_ram(read); },
        [&](const std::string& read) { return parameters(read); }, kept_);
    // The next sample is another one.
    if (formula->second.is_sample && !samples_.insert(name).second) value = changed(value, value);
    outcome.computed.push_back({name, value});
    for (const std::string& written : formula->second.writes_parameters) {
      parameters(written) = changed(parameters(written), value);
    }
    if (over) {
      const std::string& overwritten = model_.nodes.at(*over).name;
      const std::vector<std::string>& allowed = formula->second.over;
      if (std::find(allowed.begin(), allowed.end(), overwritten) == allowed.end()) {
        throw Fault("it may not be computed over " + overwritten);
      }
      drop(overwritten);
    }
    ram_[name] = value;
  }

  /// A tensor in storage that nothing has been written over.
  struct Copy {
    int node = 0;
    Value value = 0;
    Bytes from = 0;
    Bytes to = 0;
  };

  const Model& model_;
  const Formulas& formulas_;
  Values ram_;
  std::vector<Copy> copies_;
  Values kept_;
  std::set<std::string> samples_;  ///< inputs that have been taken
};

std::string_view word(Instruction::Op op) {
  switch (op) {
    case Instruction::Op::compute:
      return "compute";
    case Instruction::Op::free:
      return "free";
    case Instruction::Op::page_out:
      return "page out";
    case Instruction::Op::page_in:
      return "page in";
    case Instruction::Op::move:
      return "move";
  }
  return "";
}

}  // namespace

Outcome by_definition(const Formulas& formulas) {
  Outcome outcome;
  Values known;
  Values kept;
  // What applies the gradients that were kept comes after all of them.
  for (const bool applies : {false, true}) {
    for (const auto& [name, formula] : formulas) {
      if (formula.applies.empty() == applies) continue;
      const Value value = evaluate(formulas, name, known, kept);
      outcome.computed.push_back({name, value});
      for (const std::string& read : formula.reads_parameters) {
        outcome.parameters.try_emplace(read, before_step(read));
      }
      for (const std::string& written : formula.writes_parameters) {
        outcome.parameters[written] = changed(before_step(written), value);
      }
    }
  }
  return outcome;
}

Outcome execute(const Model& model, const Formulas& formulas,
                std::span<const Instruction> program) {
  Device device(model, formulas);
  for (std::size_t i = 0; i < program.size() && device.outcome.error.empty(); ++i) {
    try {
      device.run(program[i]);
    } catch (const Fault& fault) {
      device.outcome.error = fmt::format("instruction {}, {} {}: {}", i, word(program[i].op),
                                         model.nodes.at(program[i].node).name, fault.what());
    }
  }
  return std::move(device.outcome);
}

std::string difference(const Outcome& run, const Outcome& expected) {
  if (!run.error.empty()) return run.error;
  Values values;
  for (const Computed& each : expected.computed) values.emplace(each.node, each.value);
  std::map<std::string, int> times;
  for (const Computed& each : run.computed) {
    const int time = ++times[each.node];
    if (each.value == values.at(each.node)) continue;
    return fmt::format("computation {} of {} gives another value", time, each.node);
  }
  for (const Computed& each : expected.computed) {
    if (!times.contains(each.node)) return each.node + " is never computed";
  }
  for (const auto& [name, value] : expected.parameters) {
    const auto found = run.parameters.find(name);
    if (found == run.parameters.end() || found->second != value) {
      return fmt::format("the parameters {} are others after the step", name);
    }
  }
  return "";
}

}  // namespace poet::test

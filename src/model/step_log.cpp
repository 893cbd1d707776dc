// From what a framework did to a graph that can be scheduled anew. A log knows memory, a graph
// knows values: memory that is written in place holds one value after another, and each is a node
// of its own, which may take over the RAM of the one before.
//
// An operation with several outputs is computed once for all of them. Its first output is the node
// with the time, the others are workspace of that node and then nodes of their own, which take no
// time, read what the operation reads and the first output, and are not computed again. So
// a schedule never has one of them for less than it costs, and RAM during the operation is what it
// was. It gives up recomputing a second output, such as the indices of a pooling layer. Splitting
// the time instead was tried on paper: a schedule that keeps one output and recomputes the other
// would pay a share of an operation that has to run as a whole.

#include "model/step_log.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "poet/error.hpp"

namespace poet {
namespace {

/// What a piece of memory holds at some time of the step.
struct Held {
  LoggedMemory::Kind kind = LoggedMemory::Kind::input;
  Bytes bytes = 0;
  std::string name;  ///< of the node whose value it is, or of the parameter
  bool released = false;
};

class StepReader {
 public:
  explicit StepReader(double watts) : watts_(watts) {}

  LoggedStep read(const StepLog& log) {
    ModelSpec& model = step_.model;
    model.name = log.name;
    model.version = 2;
    model.backward = Backward::explicit_nodes;
    for (const LoggedEvent& event : log.events) {
      place_ = event.place;
      if (event.memory) add_memory(*event.memory);
      if (event.op) add_op(*event.op);
      if (event.release) release(*event.release);
    }
    if (op_count_ == 0) throw InputError("found no operation in the log; expected one at least");
    return std::move(step_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw InputError(place_, message); }

  void add_memory(const LoggedMemory& memory) {
    Held held{.kind = memory.kind, .bytes = memory.bytes, .name = memory.name};
    if (memory.kind == LoggedMemory::Kind::input) {
      MeasuredSpec node = node_named(memory.name.empty() ? "input" : memory.name, "input");
      node.costs.bytes = memory.bytes;
      node.recompute = false;  // nobody knows whether it can be had again
      held.name = node.name;
      step_.model.nodes.push_back(std::move(node));
    } else if (memory.kind == LoggedMemory::Kind::parameter) {
      if (!parameters_.insert(memory.name).second || memory.name.empty()) {
        fail(fmt::format("found the parameter '{}', expected a name that no other has",
                         memory.name));
      }
      step_.model.parameters.push_back({.name = memory.name, .bytes = memory.bytes});
    }
    take(memory.id, std::move(held));
  }

  void take(std::int64_t id, Held held) {
    const auto found = memory_.find(id);
    if (found != memory_.end()) fail(fmt::format("found memory {} a second time", id));
    if (held.kind == LoggedMemory::Kind::input) grow(held.bytes);
    memory_.emplace(id, std::move(held));
  }

  void grow(Bytes bytes) {
    held_bytes_ += bytes;
    step_.peak_bytes = std::max(step_.peak_bytes, held_bytes_);
  }

  Held& held(std::int64_t id) {
    const auto found = memory_.find(id);
    if (found == memory_.end()) fail(fmt::format("found memory {}, which no line before made", id));
    if (found->second.released) fail(fmt::format("found memory {}, which was released", id));
    return found->second;
  }

  void release(std::int64_t id) {
    Held& memory = held(id);
    if (memory.kind == LoggedMemory::Kind::input) held_bytes_ -= memory.bytes;
    memory.released = true;
  }

  /// Unique names: the same operation of the same module comes again in most networks.
  MeasuredSpec node_named(const std::string& name, const std::string& op) {
    const int count = ++names_[name];
    return {
        .place = place_, .name = count == 1 ? name : fmt::format("{}:{}", name, count), .op = op};
  }

  void add_op(const LoggedOp& op) {
    ++op_count_;
    step_.seconds += op.seconds;
    OpNodes nodes(*this, op);
    for (const std::int64_t id : op.writes) {
      if (held(id).kind == LoggedMemory::Kind::input) nodes.write(held(id));
    }
    for (const LoggedOutput& output : op.makes) {
      Held value{.kind = LoggedMemory::Kind::input, .bytes = output.bytes};
      nodes.add(value);
      take(output.id, std::move(value));
    }
    nodes.finish();
    held_bytes_ += op.workspace_bytes;
    grow(0);
    held_bytes_ -= op.workspace_bytes;
  }

  /// The nodes of one operation.
  class OpNodes {
   public:
    OpNodes(StepReader& reader, const LoggedOp& op) : reader_(reader), op_(op) {
      for (const std::int64_t id : op.reads) read(reader.held(id));
      for (const std::int64_t id : op.writes) {
        if (reader.held(id).kind == LoggedMemory::Kind::parameter) {
          writes_.push_back({.name = reader.held(id).name, .place = reader.place_});
        }
      }
    }

    void write(Held& memory) {
      MeasuredSpec node = draft(memory.bytes);
      const InputName before{.name = memory.name, .place = reader_.place_};
      add_input(node, before);
      node.in_place = before;
      memory.name = node.name;
      nodes_.push_back(std::move(node));
    }

    void add(Held& memory) {
      MeasuredSpec node = draft(memory.bytes);
      memory.name = node.name;
      nodes_.push_back(std::move(node));
    }

    /// An operation that leaves nothing in the arena, such as an update, is a node of no bytes.
    void finish() {
      if (nodes_.empty()) {
        nodes_.push_back(draft(0));
        nodes_.back().recompute = false;
      }
      MeasuredSpec& first = nodes_.front();
      first.costs.runtime_seconds = op_.seconds;
      first.costs.energy_joules = op_.energy_joules.value_or(op_.seconds * reader_.watts_);
      first.workspace_bytes = op_.workspace_bytes;
      first.writes_parameters = writes_;
      if (op_.random || !writes_.empty()) first.recompute = false;
      for (std::size_t i = 1; i < nodes_.size(); ++i) {
        MeasuredSpec& node = nodes_[i];
        node.recompute = false;
        add_input(node, {.name = first.name, .place = reader_.place_});
        if (!node.in_place) first.workspace_bytes += node.costs.bytes;
      }
      for (MeasuredSpec& node : nodes_) reader_.step_.model.nodes.push_back(std::move(node));
    }

   private:
    void read(const Held& memory) {
      const InputName name{.name = memory.name, .place = reader_.place_};
      if (memory.kind == LoggedMemory::Kind::input) inputs_.push_back(name);
      if (memory.kind == LoggedMemory::Kind::parameter) parameters_.push_back(name);
    }

    static void add_input(MeasuredSpec& node, const InputName& input) {
      const bool known =
          std::any_of(node.inputs.begin(), node.inputs.end(),
                      [&](const InputName& other) { return other.name == input.name; });
      if (!known) node.inputs.push_back(input);
    }

    MeasuredSpec draft(Bytes bytes) {
      MeasuredSpec node = reader_.node_named(
          op_.name.empty() ? op_.op : fmt::format("{}.{}", op_.name, op_.op), op_.op);
      node.backward = op_.backward;
      node.costs.bytes = bytes;
      for (const InputName& input : inputs_) add_input(node, input);
      node.reads_parameters = parameters_;
      return node;
    }

    StepReader& reader_;
    const LoggedOp& op_;
    std::vector<InputName> inputs_;
    std::vector<InputName> parameters_;
    std::vector<InputName> writes_;
    std::vector<MeasuredSpec> nodes_;
  };

  double watts_;
  LoggedStep step_;
  std::string place_;
  std::map<std::int64_t, Held> memory_;
  std::map<std::string, int> names_;
  std::set<std::string> parameters_;
  Bytes held_bytes_ = 0;
  int op_count_ = 0;
};

}  // namespace

LoggedStep step_of_log(const StepLog& log, double watts) {
  return StepReader(watts).read(log);
}

}  // namespace poet

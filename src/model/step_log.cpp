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
//
// Memory outside the arena that the step changes, parameters and state alike, has no values in the
// graph: its changes keep their order by the lists of parameters, and what reads it after a change
// reads the node of the change, whose output has no bytes in nearly all steps. Lists alone would
// do for reads before the first change only. A change that comes after such a read has the reader
// among its inputs, so that the reader's tensor stays until then; optimizers do not do that.

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
  std::string name;  ///< of the node whose value it is, or of the parameter or the state
  bool released = false;
  // Of memory outside the arena.
  std::string changed_by{};            ///< the node of its last change
  std::vector<std::string> readers{};  ///< nodes, since that change
};

/// The memory that any operation changes.
std::set<std::int64_t> changed_memory(const StepLog& log) {
  std::set<std::int64_t> changed;
  for (const LoggedEvent& event : log.events) {
    if (!event.op) continue;
    changed.insert(event.op->writes.begin(), event.op->writes.end());
    changed.insert(event.op->statistics.begin(), event.op->statistics.end());
  }
  return changed;
}

class StepReader {
 public:
  explicit StepReader(double watts) : watts_(watts) {}

  LoggedStep read(const StepLog& log) {
    ModelSpec& model = step_.model;
    model.name = log.name;
    model.version = 2;
    model.backward = Backward::explicit_nodes;
    changed_ = changed_memory(log);
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
      if (!kept_names_.insert(memory.name).second || memory.name.empty()) {
        fail(fmt::format("found the parameter '{}', expected a name that no other has",
                         memory.name));
      }
      step_.model.parameters.push_back({.name = memory.name, .bytes = memory.bytes});
    } else if (changed_.contains(memory.id)) {
      held.name = state_name(memory);
      step_.model.parameters.push_back(
          {.name = held.name, .is_state = true, .bytes = memory.bytes});
    } else {
      held.name.clear();  // a constant, which no node has to name
    }
    take(memory.id, std::move(held));
  }

  std::string state_name(const LoggedMemory& memory) {
    if (!memory.name.empty() && kept_names_.insert(memory.name).second) return memory.name;
    std::string name = fmt::format("state {}", memory.id);
    while (!kept_names_.insert(name).second) name += "'";
    return name;
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
      for (const std::int64_t id : op.writes) change(reader.held(id), changes_);
      for (const std::int64_t id : op.statistics) {
        Held& memory = reader.held(id);
        // Whoever computes the operation may change them there: nothing may come between.
        const bool is_first = memory.changed_by.empty() && memory.readers.empty();
        change(memory, is_first ? in_passing_ : changes_);
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
      if (nodes_.size() == 1 && !in_passing_.empty()) nodes_.push_back(draft(0));
      MeasuredSpec& first = nodes_.front();
      first.costs.runtime_seconds = op_.seconds;
      first.costs.energy_joules = op_.energy_joules.value_or(op_.seconds * reader_.watts_);
      first.workspace_bytes = op_.workspace_bytes;
      if (op_.random || reads_changed_ || !changes_.empty()) first.recompute = false;
      for (std::size_t i = 1; i < nodes_.size(); ++i) {
        MeasuredSpec& node = nodes_[i];
        node.recompute = false;
        add_input(node, {.name = first.name, .place = reader_.place_});
        if (!node.in_place) first.workspace_bytes += node.costs.bytes;
      }
      for (Held* const memory : reads_) memory->readers.push_back(first.name);
      state_changes(first, changes_);
      if (!in_passing_.empty()) state_changes(nodes_[1], in_passing_);
      for (MeasuredSpec& node : nodes_) reader_.step_.model.nodes.push_back(std::move(node));
    }

   private:
    InputName at_place(const std::string& name) const {
      return {.name = name, .place = reader_.place_};
    }

    void read(Held& memory) {
      if (memory.kind == LoggedMemory::Kind::input) {
        inputs_.push_back(at_place(memory.name));
      } else if (!memory.changed_by.empty()) {
        inputs_.push_back(at_place(memory.changed_by));
        reads_changed_ = true;
        reads_.push_back(&memory);
      } else if (!memory.name.empty()) {
        parameters_.push_back(at_place(memory.name));
        reads_.push_back(&memory);
      }
    }

    void change(Held& memory, std::vector<Held*>& changes) {
      if (memory.kind == LoggedMemory::Kind::input) return;
      changes.push_back(&memory);
      if (memory.changed_by.empty()) return;
      for (const std::string& reader : memory.readers) inputs_.push_back(at_place(reader));
    }

    /// Writes down that a node makes these changes.
    void state_changes(MeasuredSpec& node, const std::vector<Held*>& changes) {
      for (Held* const memory : changes) {
        node.writes_parameters.push_back(at_place(memory->name));
        memory->changed_by = node.name;
        memory->readers.clear();
      }
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
    bool reads_changed_ = false;     ///< some memory after its change
    std::vector<Held*> reads_;       ///< outside the arena, as is what is changed
    std::vector<Held*> changes_;     ///< by the operation's first node
    std::vector<Held*> in_passing_;  ///< by its second one
    std::vector<MeasuredSpec> nodes_;
  };

  double watts_;
  LoggedStep step_;
  std::string place_;
  std::map<std::int64_t, Held> memory_;
  std::map<std::string, int> names_;
  std::set<std::string> kept_names_;  ///< of parameters and state
  std::set<std::int64_t> changed_;
  Bytes held_bytes_ = 0;
  int op_count_ = 0;
};

}  // namespace

LoggedStep step_of_log(const StepLog& log, double watts) {
  return StepReader(watts).read(log);
}

}  // namespace poet

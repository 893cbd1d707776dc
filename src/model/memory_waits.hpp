#pragma once

#include <map>
#include <span>
#include <string_view>

#include "model/training_arrays.hpp"
#include "poet/graph.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"
#include "poet/units.hpp"

namespace poet {

/// What computations wait for beside their operations, and what it takes: RAM as a whole, flash
/// with parameters, and a bank that keeps what training keeps.
class MemoryWaits {
 public:
  /// Both have to outlive this. Throws InputError for sizes of parameters that leave 64 bits.
  MemoryWaits(const Model& model, const Platform& platform);

  /// Adds them to the costs of a node, in seconds and joules, whose inputs are among the earlier
  /// nodes. Measured costs have them already.
  void add_to(Node& node, const ModelNode& from, std::span<const Node> earlier) const;

 private:
  struct Size {
    Bytes bytes = 0;
    bool is_in_flash = false;
    bool is_apart = false;  ///< the memory where it is has its own rate
  };

  void wait_for_ram(Node& node, const ModelNode& from, std::span<const Node> earlier) const;
  void read_from_flash(Node& node, const ModelNode& from) const;
  void wait_for_bank(Node& node, const ModelNode& from) const;
  const Size* size_of(std::string_view name) const;

  const Model& model_;
  const Platform& platform_;
  KeptReader kept_;
  const MemoryBank* keeper_ = nullptr;      ///< the bank that keeps what training keeps
  std::map<std::string_view, Size> sizes_;  ///< of parameters, by name
};

}  // namespace poet

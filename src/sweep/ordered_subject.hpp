#pragma once

#include <optional>

#include "poet/question.hpp"

namespace poet {

/// A subject with its nodes in the order that a result is in: itself, if that is its own.
/// Permuting a graph copies it, and most results are in the subject's own order, where nothing is
/// copied.
class OrderedSubject {
 public:
  /// Keeps a reference. Throws InputError for an order that is not legal.
  OrderedSubject(const Subject& subject, const NodeOrder& order) : own_(subject) {
    if (!order.empty()) other_.emplace(reordered(subject, order));
  }

  const Subject& get() const { return other_ ? *other_ : own_; }

 private:
  const Subject& own_;
  std::optional<Subject> other_;
};

}  // namespace poet

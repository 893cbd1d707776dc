#pragma once

#include <optional>

#include "poet/question.hpp"

namespace poet {

/// A subject with its nodes in the order that a result is in, and with the copies that a search
/// chose for it: itself, if both are its own. Permuting a graph copies it, and most results are
/// about the subject's own, where nothing is copied.
class OrderedSubject {
 public:
  /// Keeps a reference. Throws InputError for an order that is not legal, and for copies that the
  /// model cannot have.
  OrderedSubject(const Subject& subject, const NodeOrder& order, const Copies& copies = {})
      : own_(subject) {
    if (!copies.tensors.empty()) other_.emplace(with_copies(subject, copies));
    if (!order.empty()) other_.emplace(reordered(get(), order));
  }

  const Subject& get() const { return other_ ? *other_ : own_; }

 private:
  const Subject& own_;
  std::optional<Subject> other_;
};

}  // namespace poet

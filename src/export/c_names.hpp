#pragma once

#include <set>
#include <string>
#include <string_view>

namespace poet {

/// Names of a model as parts of C identifiers: capitals, digits and underscores. Names that would
/// be the same get a number.
class Identifiers {
 public:
  /// `taken` are words that no name may become.
  explicit Identifiers(std::set<std::string> taken = {}) : taken_(std::move(taken)) {}

  std::string add(std::string_view name);

 private:
  std::set<std::string> taken_;
};

/// A text inside a C comment: it can neither end the comment nor begin another one, nor hold a
/// trigraph.
std::string comment_text(std::string_view text);

/// A C string literal with quotes; what is not plain ASCII is escaped byte by byte.
std::string string_literal(std::string_view text);

/// A float as a C constant that has the same bits.
std::string float_literal(float value);

/// The same in hexadecimal, which C has every compiler read exactly.
std::string exact_float_literal(float value);

}  // namespace poet

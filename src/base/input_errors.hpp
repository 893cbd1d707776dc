#pragma once

#include <cstddef>
#include <string>

#include "poet/error.hpp"

namespace poet {

/// Gathers what is wrong with one file, so that all of it can be mended at once.
class InputErrors {
 public:
  /// Calls `work` and keeps the InputError that it throws. Whether it threw none.
  template <typename Work>
  bool collect(Work&& work) {
    try {
      work();
      return true;
    } catch (const InputError& error) {
      add(error.what());
      return false;
    }
  }

  bool empty() const { return count_ == 0; }
  /// Whether further errors are only counted.
  bool full() const { return count_ >= kMaxShown; }

  /// Throws an InputError with a line for each, and a last one for those that are only counted.
  void throw_if_any() const;

 private:
  static constexpr std::size_t kMaxShown = 20;

  void add(const std::string& message);

  std::size_t count_ = 0;
  std::string lines_;
};

/// Throws InputError with the hint if an option that is needed is missing.
void require_option(const std::string& value, const char* option, const char* hint);

/// The error with a place in front of each of its lines.
InputError in_place(const std::string& place, const InputError& error);

/// Calls `work`. Its InputError, such as each error of a file, gets the place in front: an option
/// or a file.
template <typename Work>
auto with_place(const std::string& place, Work&& work) {
  try {
    return work();
  } catch (const InputError& error) {
    throw in_place(place, error);
  }
}

}  // namespace poet

#include "base/input_errors.hpp"

#include <fmt/format.h>

namespace poet {

void InputErrors::add(const std::string& message) {
  if (!full()) lines_ += (empty() ? "" : "\n") + message;
  ++count_;
}

void InputErrors::throw_if_any() const {
  if (empty()) return;
  throw InputError(count_ > kMaxShown ? fmt::format("{}\nand {} more", lines_, count_ - kMaxShown)
                                      : lines_);
}

void require_option(const std::string& value, const char* option, const char* hint) {
  if (value.empty()) throw InputError(option, fmt::format("missing; {}", hint));
}

InputError in_place(const std::string& place, const InputError& error) {
  std::string lines = place + ": ";
  for (const char* c = error.what(); *c != '\0'; ++c) {
    lines += *c;
    if (*c == '\n') lines += place + ": ";
  }
  return InputError(lines);
}

}  // namespace poet

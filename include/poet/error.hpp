#pragma once

#include <stdexcept>
#include <string>

namespace poet {

/// Base of everything this library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's input is at fault: a file, an option, a number. The message says the place
/// (`file:line:column` or a JSON path), what was found and what was expected.
class InputError : public Error {
 public:
  using Error::Error;
  InputError(const std::string& place, const std::string& message)
      : Error(place.empty() ? message : place + ": " + message) {}
};

/// The program is at fault: a check that must hold did not. Never the caller's doing.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace poet

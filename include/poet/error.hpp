#pragma once

#include <stdexcept>
#include <string>

namespace poet {

/// Base of everything that this library throws on purpose. Catch it to catch all.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's input is at fault: a file, an option, a number. The message has the place
/// (`file:line:column` or a JSON path), what was found and what was expected.
class InputError : public Error {
 public:
  using Error::Error;
  InputError(const std::string& place, const std::string& message)
      : Error(place.empty() ? message : place + ": " + message) {}
};

/// The library is at fault, or the system ran out of something: a check that must hold did not.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace poet

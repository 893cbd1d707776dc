#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "poet/error.hpp"

namespace poet {

/// The message of the InputError that `action` throws; the test fails if it throws none.
template <typename Action>
std::string input_error(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError was thrown";
  return {};
}

/// Likewise of the InternalError.
template <typename Action>
std::string internal_error(Action&& action) {
  try {
    action();
  } catch (const InternalError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InternalError was thrown";
  return {};
}

}  // namespace poet

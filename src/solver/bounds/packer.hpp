#pragma once

#include <cstring>
#include <vector>

#include "process/child.hpp"

namespace poet {

/// A flat record of integers and doubles, for the pipe.
class Packer {
 public:
  void put(double value) { values_.push_back(value); }
  Message message() const {
    Message bytes(values_.size() * sizeof(double));
    std::memcpy(bytes.data(), values_.data(), bytes.size());
    return bytes;
  }

 private:
  std::vector<double> values_;
};

class Unpacker {
 public:
  explicit Unpacker(const Message& message) : values_(message.size() / sizeof(double)) {
    std::memcpy(values_.data(), message.data(), values_.size() * sizeof(double));
  }
  double get() { return values_.at(at_++); }
  int get_int() { return static_cast<int>(get()); }

 private:
  std::vector<double> values_;
  std::size_t at_ = 0;
};

}  // namespace poet

#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "process/child.hpp"

namespace poet {

/// A flat record of numbers for the pipe, read back in the order of writing. Integers are exact up
/// to 2^53.
class Packer {
 public:
  void put(double value) { values_.push_back(value); }
  void put(bool value) { put(value ? 1.0 : 0.0); }
  void put(std::int64_t value) { put(static_cast<double>(value)); }
  void put(int value) { put(static_cast<double>(value)); }
  template <typename Item>
  void put_all(const std::vector<Item>& items) {
    put_size(items);
    for (const Item item : items) put(item);
  }
  template <typename Item>
  void put_size(const std::vector<Item>& items) {
    put(static_cast<double>(items.size()));
  }

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
  template <typename Item>
  Item get_as() {
    return static_cast<Item>(get());
  }
  template <typename Item>
  std::vector<Item> get_all() {
    std::vector<Item> items(get_as<std::size_t>());
    for (auto&& item : items) item = get_as<Item>();
    return items;
  }

 private:
  std::vector<double> values_;
  std::size_t at_ = 0;
};

}  // namespace poet

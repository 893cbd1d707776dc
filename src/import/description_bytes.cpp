#include <algorithm>
#include <cstdint>
#include <functional>

#include "import/onnx_file.hpp"

// https://protobuf.dev/programming-guides/encoding/
namespace poet {
namespace {

constexpr std::uint64_t kGraphOfModel = 7;
constexpr std::uint64_t kInitializerOfGraph = 5;
/// float_data, int32_data, int64_data, raw_data, double_data and uint64_data of a TensorProto.
constexpr std::uint64_t kNumbersOfTensor[] = {4, 5, 7, 9, 10, 11};

/// Takes a number of seven bits a byte; false at the end of the bytes.
bool take_number(std::string_view& bytes, std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

using Visit = std::function<void(std::uint64_t field, std::string_view content)>;

/// Calls `visit` for each field of a message that has a length.
void visit_fields(std::string_view bytes, const Visit& visit) {
  std::uint64_t key = 0;
  while (take_number(bytes, key)) {
    std::uint64_t length = 0;
    switch (key & 7U) {
      case 0:
        if (!take_number(bytes, length)) return;
        continue;
      case 1:
        length = 8;
        break;
      case 2:
        if (!take_number(bytes, length) || length > bytes.size()) return;
        visit(key >> 3U, bytes.substr(0, length));
        break;
      case 5:
        length = 4;
        break;
      default:
        return;
    }
    if (length > bytes.size()) return;
    bytes.remove_prefix(length);
  }
}

}  // namespace

std::size_t description_bytes(std::string_view bytes) {
  std::size_t numbers = 0;
  visit_fields(bytes, [&](std::uint64_t of_model, std::string_view graph) {
    if (of_model != kGraphOfModel) return;
    visit_fields(graph, [&](std::uint64_t of_graph, std::string_view tensor) {
      if (of_graph != kInitializerOfGraph) return;
      visit_fields(tensor, [&](std::uint64_t of_tensor, std::string_view content) {
        if (std::ranges::find(kNumbersOfTensor, of_tensor) != std::end(kNumbersOfTensor)) {
          numbers += content.size();
        }
      });
    });
  });
  return bytes.size() - numbers;
}

}  // namespace poet

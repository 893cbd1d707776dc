// From bytes to a model that libonnx accepts. Before the parser sees them, the bytes are walked by
// the wire format of protobuf, to find out how much of the file describes the graph. The checks of
// our own are about what libonnx does not look at and then divides by, allocates or reads.
//
// The order matters: the size of the description is bounded before parsing, as the parser needs up
// to a hundred times as much memory; references, extents and strides are looked at before libonnx's
// checker and its inference, which take them as they are. A weight may be as large as the file,
// since its numbers are copied and not described.

#include "import/onnx_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx/checker.h>

#include "base/text/printable.hpp"
#include "import/constants.hpp"
#include "import/import_request.hpp"
#include "import/newer_opsets.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {
namespace {

using onnx::TensorProto;

constexpr std::size_t kMaxDescriptionBytes = std::size_t{16} << 20;
/// A graph within a graph belongs to a branch or a loop, which is not read anyway.
constexpr int kMaxMessageDepth = 32;

void refuse_other_files(const TensorProto& tensor) {
  if (tensor.data_location() != TensorProto::EXTERNAL && tensor.external_data_size() == 0) return;
  throw InputError(
      fmt::format("the weight '{}' is in another file (external data), which is not read; expected "
                  "one file. Weights are not needed: export with export_params=False",
                  printable(tensor.name())));
}

// A file that names another one could make the program read any path of the user's, or find out
// whether it exists: libonnx looks for it. So all tensors are looked at, wherever a message has
// one: in branches, in functions, in sparse tensors. Parsing has bounded the depth.
void check_references(const google::protobuf::Message& message) {
  if (message.GetDescriptor() == TensorProto::descriptor()) {
    return refuse_other_files(static_cast<const TensorProto&>(message));
  }
  const google::protobuf::Reflection& fields = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> present;
  fields.ListFields(message, &present);
  for (const auto* field : present) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) check_references(fields.GetMessage(message, field));
    for (int i = 0; field->is_repeated() && i < fields.FieldSize(message, field); ++i) {
      check_references(fields.GetRepeatedMessage(message, field, i));
    }
  }
}

/// libonnx takes any number for an extent of a weight.
void check_extents(const onnx::GraphProto& graph) {
  for (const TensorProto& tensor : graph.initializer()) {
    for (const std::int64_t extent : tensor.dims()) {
      if (extent >= 0) continue;
      throw InputError(fmt::format("the weight '{}' has an extent of {}, expected whole numbers",
                                   printable(tensor.name()), extent));
    }
  }
}

/// libonnx divides by strides without a look at them.
void check_windows(const onnx::GraphProto& graph) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31U;
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      const std::string& name = attribute.name();
      if (name != "strides" && name != "dilations" && name != "kernel_shape") continue;
      for (const std::int64_t value : attribute.ints()) {
        if (value >= 1 && value <= kMost) continue;
        throw InputError(fmt::format("node '{}': found {} in '{}', expected whole numbers from 1",
                                     printable(node.name()), value, name));
      }
    }
  }
}

/// The first line of a message of libonnx, without what it prints of the file.
std::string first_line(const std::string& message) {
  return printable(message.substr(0, message.find('\n')), 300);
}

template <typename Number>
std::vector<double> raw_numbers(const std::string& raw, std::size_t count) {
  static_assert(std::endian::native == std::endian::little);
  std::vector<double> numbers;
  if (raw.size() != count * sizeof(Number)) return numbers;
  for (std::size_t i = 0; i < count; ++i) {
    Number number;
    std::memcpy(&number, raw.data() + i * sizeof(Number), sizeof(Number));
    numbers.push_back(static_cast<double>(number));
  }
  return numbers;
}

template <typename Field>
std::vector<double> listed_numbers(const Field& field) {
  return {field.begin(), field.end()};
}

template <typename Number, typename Field>
std::vector<double> numbers_of(const TensorProto& tensor, const Field& field, std::size_t count) {
  return tensor.has_raw_data() ? raw_numbers<Number>(tensor.raw_data(), count)
                               : listed_numbers(field);
}

/// A float of 16 bits as a number: a sign, so many bits of an exponent, and the rest of a fraction.
double half_number(std::uint16_t bits, int exponent_bits) {
  const int fraction_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits & 0x7FFF) >> fraction_bits;
  const double fraction = std::ldexp(bits & ((1 << fraction_bits) - 1), -fraction_bits);
  double size = std::ldexp(exponent == 0 ? fraction : 1 + fraction, std::max(exponent, 1) - bias);
  if (exponent == 2 * bias + 1) size = fraction == 0 ? HUGE_VAL : NAN;
  return (bits & 0x8000) != 0 ? -size : size;
}

std::vector<double> half_numbers(const TensorProto& tensor, std::size_t count, int exponent_bits) {
  std::vector<double> numbers = numbers_of<std::uint16_t>(tensor, tensor.int32_data(), count);
  for (double& number : numbers) {
    number = half_number(static_cast<std::uint16_t>(number), exponent_bits);
  }
  return numbers;
}

// Of other types nothing has to be known.
std::vector<double> all_numbers(const TensorProto& tensor, std::size_t count) {
  switch (tensor.data_type()) {
    case TensorProto::FLOAT:
      return numbers_of<float>(tensor, tensor.float_data(), count);
    case TensorProto::DOUBLE:
      return numbers_of<double>(tensor, tensor.double_data(), count);
    case TensorProto::INT64:
      return numbers_of<std::int64_t>(tensor, tensor.int64_data(), count);
    case TensorProto::INT32:
      return numbers_of<std::int32_t>(tensor, tensor.int32_data(), count);
    case TensorProto::BOOL:
      return numbers_of<std::uint8_t>(tensor, tensor.int32_data(), count);
    case TensorProto::FLOAT16:
      return half_numbers(tensor, count, 5);
    case TensorProto::BFLOAT16:
      return half_numbers(tensor, count, 8);
    default:
      return {};
  }
}

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

bool is_integer_type(int type) {
  return type != TensorProto::FLOAT && type != TensorProto::DOUBLE &&
         type != TensorProto::FLOAT16 && type != TensorProto::BFLOAT16;
}

std::optional<std::vector<double>> small_numbers(const TensorProto& tensor) {
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent < 0; })) {
    return std::nullopt;
  }
  const std::int64_t count = element_count(shape);
  if (count > kMaxKnownNumbers) return std::nullopt;
  std::vector<double> numbers = all_numbers(tensor, static_cast<std::size_t>(count));
  if (static_cast<std::int64_t>(numbers.size()) != count) return std::nullopt;
  return numbers;
}

std::shared_ptr<const std::vector<float>> float_numbers(const TensorProto& tensor) {
  if (is_integer_type(tensor.data_type())) return nullptr;
  std::uint64_t count = 1;
  for (const std::int64_t extent : tensor.dims()) {
    if (extent < 0 || static_cast<std::uint64_t>(extent) > kMaxOnnxBytes / count) return nullptr;
    if (extent == 0) return nullptr;
    count *= static_cast<std::uint64_t>(extent);
  }
  const std::vector<double> numbers = all_numbers(tensor, static_cast<std::size_t>(count));
  if (numbers.size() != count) return nullptr;
  return std::make_shared<const std::vector<float>>(numbers.begin(), numbers.end());
}

onnx::ModelProto parse_onnx(std::string_view bytes) {
  if (description_bytes(bytes) > kMaxDescriptionBytes) {
    throw InputError(fmt::format(
        "the graph's description, without weights, has more than {} MiB; expected less, as every "
        "network has",
        kMaxDescriptionBytes >> 20U));
  }
  const google::protobuf::LogSilencer silence;
  onnx::ModelProto model;
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(kMaxMessageDepth);
  if (!model.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage() || !model.has_graph()) {
    throw InputError("found something else, or a damaged file; expected an ONNX model");
  }
  check_references(model);
  check_extents(model.graph());
  check_windows(model.graph());
  mark_newer_ops(model);
  try {
    onnx::checker::check_model(model);
  } catch (const std::exception& error) {
    const std::string message = first_line(error.what());
    const bool is_unknown = message.starts_with("No Op registered");
    throw InputError(fmt::format("libonnx refuses the model: {}{}", message,
                                 is_unknown ? "; expected ops of ONNX up to opset 17, to which "
                                              "torch.onnx.export keeps by opset_version=17"
                                            : ""));
  }
  return model;
}

// https://protobuf.dev/programming-guides/encoding/

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

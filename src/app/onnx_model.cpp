#include "app/onnx_model.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <new>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/process/child_process.hpp"
#include "base/process/memory_limit.hpp"
#include "base/text/printable.hpp"
#include "formats/write_layers.hpp"
#include "import/import.hpp"
#include "poet/error.hpp"

namespace poet::cli {
namespace {

/// A crash, or a graph that takes this long, is a file that no exporter wrote.
constexpr Seconds kMostSeconds = 600;
/// The largest file, what becomes of it, and room for the graph.
constexpr Bytes kMostMemory = Bytes{4} << 30;

/// What a message of the child holds; the text follows.
enum class Word : char { document, note, input_error, internal_error };

Message message_of(Word word, std::string_view text) {
  Message message{static_cast<std::byte>(word)};
  for (const char c : text) message.push_back(static_cast<std::byte>(c));
  return message;
}

std::int64_t positive_number(const char* option, std::string_view text, const std::string& whole) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (error == std::errc{} && stop == text.data() + text.size() && value > 0 && value <= kMost) {
    return value;
  }
  throw InputError(option, fmt::format("found '{}'; expected whole numbers from 1 to 2^40 in '{}'",
                                       printable(text), printable(whole)));
}

std::map<std::string, std::int64_t> custom_ops(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> ops;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("--custom", fmt::format("found '{}'; expected OP=FLOPS", printable(text)));
    }
    ops[text.substr(0, equals)] =
        positive_number("--custom", std::string_view(text).substr(equals + 1), text);
  }
  return ops;
}

std::map<std::string, Shape> stated_shapes(const std::vector<std::string>& texts) {
  std::map<std::string, Shape> shapes;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const bool has_name = equals != std::string::npos;
    Shape shape;
    std::string_view rest = std::string_view(text).substr(has_name ? equals + 1 : 0);
    while (true) {
      const std::size_t comma = rest.find(',');
      shape.push_back(positive_number("--shape", rest.substr(0, comma), text));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    shapes[has_name ? text.substr(0, equals) : ""] = std::move(shape);
  }
  return shapes;
}

void import_in_child(const std::string& bytes, const std::string& path,
                     const ImportRequest& request,
                     const std::function<void(const Message&)>& send) {
  try {
    limit_child_memory(kMostMemory);
    const ImportedModel imported = import_onnx(bytes, path, request);
    for (const std::string& note : imported.notes) send(message_of(Word::note, note));
    send(message_of(Word::document, layers_json(imported.spec)));
  } catch (const InputError& error) {
    send(message_of(Word::input_error, error.what()));
  } catch (const std::bad_alloc&) {
    send(message_of(Word::input_error,
                    fmt::format("{}: reading it takes more than {} GiB of memory; expected an ONNX "
                                "model as an exporter writes it",
                                shown_source(path), kMostMemory >> 30)));
  } catch (const std::exception& error) {
    send(message_of(Word::internal_error, error.what()));
  }
}

/// Ends with the error that the child reports.
[[noreturn]] void fail_as(Word word, const std::string& text) {
  if (word == Word::input_error) throw InputError(text);
  throw InternalError(text);
}

}  // namespace

bool is_onnx(const std::string& path) {
  return path.ends_with(".onnx");
}

std::string imported_model(const NetworkArguments& arguments, const std::string& path) {
  const ImportRequest request{.loss = arguments.loss,
                              .trainable = arguments.trainable,
                              .custom = custom_ops(arguments.custom),
                              .shapes = stated_shapes(arguments.shapes)};
  if (!reads_onnx()) static_cast<void>(import_onnx({}, path, request));
  const std::string bytes = read_file(path, kMaxOnnxBytes);
  const std::string place = shown_source(path);
  std::string document;
  std::pair<Word, std::string> failed{Word::document, {}};
  const ChildExit exit =
      run_in_child([&](const auto& send) { import_in_child(bytes, path, request, send); },
                   [&](const Message& message) {
                     std::string text;
                     for (std::size_t i = 1; i < message.size(); ++i)
                       text += static_cast<char>(message[i]);
                     const auto word = static_cast<Word>(message.at(0));
                     if (word == Word::note) {
                       spdlog::warn("{}: {}", place, text);
                     } else if (word == Word::document) {
                       document = std::move(text);
                     } else {
                       failed = {word, std::move(text)};
                     }
                     return true;
                   },
                   [] { return true; }, kMostSeconds);
  if (failed.first != Word::document) fail_as(failed.first, failed.second);
  if (!exit.clean || document.empty()) {
    throw InputError(place, fmt::format("libonnx does not survive this file ({}); expected an ONNX "
                                        "model as an exporter writes it",
                                        exit.killed ? "no end in ten minutes" : exit.message));
  }
  return document;
}

void refuse_network_options(const Options& options) {
  const NetworkArguments& given = options.network;
  const char* const option = !given.loss.empty()        ? "--loss"
                             : !given.trainable.empty() ? "--trainable"
                             : !given.custom.empty()    ? "--custom"
                             : !given.shapes.empty()    ? "--shape"
                                                        : nullptr;
  if (option == nullptr || is_onnx(options.model)) return;
  throw InputError(option, fmt::format("found with the model '{}', whose file says so itself; "
                                       "expected an ONNX file (.onnx), or no such option",
                                       printable(options.model)));
}

}  // namespace poet::cli

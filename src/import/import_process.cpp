// libonnx 1.12 crashes on some damaged files, and takes all memory for others (docs/trust.md). So
// an import has a process of its own, with a limit on its memory and on its time. It answers with
// the text of the model file and not with layers: a text needs no table of fields, and the caller
// reads it as it reads any model. `write` makes the text, because this folder knows no JSON. A
// network that the user trusts is read in the same way, as nobody can tell one from the other.

#include "import/import_process.hpp"

#include <new>
#include <tuple>

#include <fmt/format.h>

#include "base/fields.hpp"
#include "base/files/files.hpp"
#include "base/files/memory_file.hpp"
#include "base/process/call_messages.hpp"
#include "base/text/printable.hpp"
#include "import/import.hpp"
#include "model/shape.hpp"
#include "poet/error.hpp"

namespace poet {

/// How an import ended: with a document, or with one of the errors.
struct ImportEnd {
  ImportedText text;
  std::string input_error;
  std::string internal_error;
  // Of the parameters; their numbers go through a file, as messages take eight times as much.
  std::vector<std::string> names;
  std::vector<std::int64_t> ranks;    ///< how many of `extents` each has
  std::vector<std::int64_t> extents;  ///< of all of them
};

/// Nothing is reported before the end.
struct NoReport {
  int unused = 0;
};

template <>
inline constexpr auto kFields<NoReport> = std::tuple(Field<&NoReport::unused>{});

template <>
inline constexpr auto kFields<ImportEnd> =
    std::tuple(Field<&ImportEnd::text, &ImportedText::document>{},
               Field<&ImportEnd::text, &ImportedText::notes>{}, Field<&ImportEnd::input_error>{},
               Field<&ImportEnd::internal_error>{}, Field<&ImportEnd::names>{},
               Field<&ImportEnd::ranks>{}, Field<&ImportEnd::extents>{});

namespace {

/// A crash, or a graph that takes this long, is a file that no exporter wrote.
constexpr Seconds kMostSeconds = 600;
/// The largest file, what becomes of it, and room for the graph.
constexpr Bytes kMostMemory = Bytes{4} << 30;

void send_parameters(const std::vector<KeptArray>& parameters, const MemoryFile& numbers,
                     ImportEnd& end) {
  for (const KeptArray& each : parameters) {
    end.names.push_back(each.name);
    end.ranks.push_back(static_cast<std::int64_t>(each.shape.size()));
    end.extents.insert(end.extents.end(), each.shape.begin(), each.shape.end());
    numbers.append(
        {reinterpret_cast<const char*>(each.values.data()), each.values.size() * sizeof(float)});
  }
}

/// In the parent; the child is not trusted to add up.
std::vector<KeptArray> received_parameters(const ImportEnd& end, MemoryFile& numbers) {
  std::vector<KeptArray> parameters;
  std::size_t next = 0;
  for (std::size_t i = 0; i < end.names.size(); ++i) {
    KeptArray array{.name = end.names[i]};
    for (std::int64_t r = 0; r < end.ranks.at(i); ++r)
      array.shape.push_back(end.extents.at(next++));
    const std::int64_t count = element_count(array.shape);
    if (count < 0 || static_cast<std::size_t>(count) > kMaxOnnxBytes) {
      throw InternalError("the import has more numbers than its file");
    }
    array.values.resize(static_cast<std::size_t>(count));
    if (!numbers.read_next(reinterpret_cast<char*>(array.values.data()),
                           array.values.size() * sizeof(float))) {
      throw InternalError("the import lost numbers of a weight");
    }
    parameters.push_back(std::move(array));
  }
  return parameters;
}

/// In the child.
ImportEnd import_here(const std::string& bytes, const std::string& path,
                      const ImportRequest& request, const MemoryFile& numbers,
                      const std::function<std::string(const ModelSpec&)>& write) {
  try {
    ImportedModel imported = import_onnx(bytes, path, request);
    ImportEnd end{.text = {.document = write(imported.spec), .notes = std::move(imported.notes)}};
    send_parameters(imported.parameters, numbers, end);
    return end;
  } catch (const InputError& error) {
    return {.input_error = error.what()};
  } catch (const std::bad_alloc&) {
    return {.input_error =
                fmt::format("{}: reading it takes more than {} GiB of memory; expected an ONNX "
                            "model as an exporter writes it",
                            shown_source(path), kMostMemory >> 30)};
  } catch (const std::exception& error) {
    return {.internal_error = error.what()};
  }
}

}  // namespace

ImportedText import_file(const std::string& path, const ImportRequest& request,
                         const std::function<std::string(const ModelSpec&)>& write) {
  require_onnx(path);
  const std::string bytes = read_file(path, kMaxOnnxBytes);
  MemoryFile numbers;
  ChildCall<NoReport, ImportEnd> call;
  call.work = [&](const auto&) { return import_here(bytes, path, request, numbers, write); };
  call.on_report = [](const NoReport&) { return true; };
  call.check = [](const ImportEnd&) {};
  call.on_tick = [] { return true; };
  call.seconds = kMostSeconds;
  call.memory_bytes = kMostMemory;
  ChildAnswer<ImportEnd> answer = call.run();
  if (!answer.result) {
    const std::string failure = answer.failure.empty() ? "no end in ten minutes" : answer.failure;
    throw InputError(shown_source(path),
                     fmt::format("libonnx does not survive this file ({}); expected an ONNX "
                                 "model as an exporter writes it",
                                 failure));
  }
  if (!answer.result->input_error.empty()) throw InputError(answer.result->input_error);
  if (!answer.result->internal_error.empty()) throw InternalError(answer.result->internal_error);
  answer.result->text.parameters = received_parameters(*answer.result, numbers);
  return std::move(answer.result->text);
}

}  // namespace poet

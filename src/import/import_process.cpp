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
#include "base/process/call_messages.hpp"
#include "base/text/printable.hpp"
#include "import/import.hpp"
#include "poet/error.hpp"

namespace poet {

/// How an import ended: with a document, or with one of the errors.
struct ImportEnd {
  ImportedText text;
  std::string input_error;
  std::string internal_error;
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
               Field<&ImportEnd::internal_error>{});

namespace {

/// A crash, or a graph that takes this long, is a file that no exporter wrote.
constexpr Seconds kMostSeconds = 600;
/// The largest file, what becomes of it, and room for the graph.
constexpr Bytes kMostMemory = Bytes{4} << 30;

/// In the child.
ImportEnd import_here(const std::string& bytes, const std::string& path,
                      const ImportRequest& request,
                      const std::function<std::string(const ModelSpec&)>& write) {
  try {
    ImportedModel imported = import_onnx(bytes, path, request);
    return {.text = {.document = write(imported.spec), .notes = std::move(imported.notes)}};
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
  ChildCall<NoReport, ImportEnd> call;
  call.work = [&](const auto&) { return import_here(bytes, path, request, write); };
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
  return std::move(answer.result->text);
}

}  // namespace poet

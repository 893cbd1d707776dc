// From what a user types to the text of a model or platform. What is built in is the text of the
// files in models/ and platforms/, parsed like any other, so that a built-in model and a copy of
// its file have the same digest. A file and a name are told apart by spelling and not by what
// exists: a command means the same in every folder, and a file called `bert` does not change what
// `--model bert` is.

#include "formats/named_text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <fmt/format.h>

#include "base/files/files.hpp"
#include "base/sha256.hpp"
#include "base/text/printable.hpp"
#include "base/text/suggest.hpp"
#include "formats/platform_names.hpp"
#include "formats/read_inputs.hpp"
#include "model/backward/poet_chain.hpp"
#include "model/model_spec.hpp"
#include "poet/error.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet {
namespace {

bool is_path(std::string_view value) {
  return value == "-" || value.find('/') != std::string_view::npos ||
         value.find(".json") != std::string_view::npos;
}

/// A name without `/` and `.json` is never a path. If there is a file of that name, it is what the
/// user may have meant.
std::string hint(const std::string& name, std::string_view kind,
                 std::span<const EmbeddedFile> built_in) {
  std::error_code ignored;
  if (!name.empty() && std::filesystem::is_regular_file(name, ignored)) {
    return fmt::format("; './{}' means the file", printable(name));
  }
  std::vector<std::string_view> names;
  for (const EmbeddedFile& file : built_in) names.push_back(file.name);
  const std::string meant = did_you_mean(name, names);
  return meant.empty() && kind == "platform" ? platforms_described(name, built_in) : meant;
}

/// What other tools write, with the way from there: parsing it as JSON would only report its first
/// byte.
void refuse_other_files(const std::string& path) {
  struct Other {
    std::string_view end;
    std::string_view what;
    std::string_view way;
  };
  constexpr std::string_view kTorch = "python3 -m poet.torch MODULE:NAME makes of a module";
  constexpr std::string_view kImport = "poet-solve import makes of its export to ONNX";
  constexpr std::array kOthers{Other{".onnx", "ONNX", "poet-solve import makes of it"},
                               Other{".py", "Python", kTorch},
                               Other{".pt", "PyTorch", kTorch},
                               Other{".pth", "PyTorch", kTorch},
                               Other{".tflite", "TensorFlow", kImport},
                               Other{".keras", "Keras", kImport},
                               Other{".h5", "Keras", kImport}};
  for (const Other& other : kOthers) {
    if (!path.ends_with(other.end)) continue;
    throw InputError(
        fmt::format("found the {} file '{}'; expected a model file, which {} "
                    "(docs/import.md)",
                    other.what, printable(path), other.way));
  }
}

}  // namespace

NamedText find_text(const std::string& name_or_path, std::string_view kind,
                    std::span<const EmbeddedFile> built_in) {
  if (kind == "model") refuse_other_files(name_or_path);
  if (is_path(name_or_path)) return {read_file(name_or_path), name_or_path, name_or_path};
  const bool is_platform = kind == "platform";
  const std::string plain = plain_name(is_platform && !platform_called(name_or_path).empty()
                                           ? platform_called(name_or_path)
                                           : name_or_path);
  const auto file = std::find_if(
      built_in.begin(), built_in.end(),
      [&](const EmbeddedFile& candidate) { return plain_name(candidate.name) == plain; });
  if (file != built_in.end()) {
    return {std::string(file->text), "built-in", fmt::format("built-in {}", file->name)};
  }
  throw InputError(fmt::format("unknown {} '{}'{} (--list-{}s shows all)", kind,
                               printable(name_or_path), hint(name_or_path, kind, built_in), kind));
}

std::vector<std::string> embedded_names(std::span<const EmbeddedFile> built_in) {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : built_in) names.emplace_back(file.name);
  std::sort(names.begin(), names.end());
  return names;
}

Model with_training(Model model) {
  const Parameters* largest = nullptr;
  for (const Parameters& each : model.parameters) {
    if (each.is_trained) return model;
    if (!each.is_state && (largest == nullptr || each.count > largest->count)) largest = &each;
  }
  if (model.backward != Backward::exact || largest == nullptr) return model;
  throw InputError(model.source,
                   fmt::format("nothing trains in this model: set \"trainable\" of a layer, such "
                               "as '{}', or use --backward none",
                               printable(largest->name)));
}

/// Mistakes of both steps are reported together: what is missing in the file, and what does not fit
/// in the graph. Errors that only a complete file can have are reported after all others.
Model parse_model(std::string_view text, const std::string& source, std::int64_t batch_size,
                  std::optional<Backward> backward) {
  InputErrors errors;
  ModelSpec spec = read_model(text, source, errors);
  if (errors.empty()) {
    if (backward) ask_for_backward(spec, *backward);
    expect_known_backward(spec);
  }
  Model model = build_model(spec, batch_size, errors);
  errors.throw_if_any();
  model.source = source;
  model.sha256 = sha256_hex(text);
  return model;
}

Model load_model(const std::string& name_or_path, std::int64_t batch_size,
                 std::optional<Backward> backward) {
  const NamedText found = find_text(name_or_path, "model", embedded_models());
  Model model = with_training(parse_model(found.text, found.place, batch_size, backward));
  model.source = found.source;
  return model;
}

std::vector<std::string> builtin_models() {
  return embedded_names(embedded_models());
}

// The digest is of the text: any change of the file makes another platform, a description included.
Platform parse_platform(std::string_view text, const std::string& source) {
  Platform platform = read_platform(text, source);
  platform.source = source;
  platform.sha256 = sha256_hex(text);
  return platform;
}

Platform load_platform(const std::string& name_or_path) {
  const auto [name, sizes] = part_platform(name_or_path);
  NamedText found = find_text(name, "platform", embedded_platforms());
  if (!sizes.empty()) found.text = with_sizes(found.text, found.place, sizes);
  Platform platform = parse_platform(found.text, found.place);
  const bool is_file = found.source != "built-in" && !sizes.empty();
  platform.source = is_file ? found.source + ":" + sizes : found.source;
  return platform;
}

std::vector<std::string> builtin_platforms() {
  return embedded_names(embedded_platforms());
}

}  // namespace poet

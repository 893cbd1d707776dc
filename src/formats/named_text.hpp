#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded_file.hpp"
#include "poet/model.hpp"

namespace poet {

/// models/*.json and platforms/*.json, sorted by name.
std::span<const EmbeddedFile> embedded_models();
std::span<const EmbeddedFile> embedded_platforms();

/// A text and where it came from.
struct NamedText {
  std::string text;
  std::string source;  ///< `built-in`, a path, or `-` for stdin
  std::string place;   ///< the same for errors, with the name of what is built in
};

/// What a user means by a model or platform: a path if it has a `/` or `.json` in it, stdin for
/// `-`, else the name of a built-in file, which therefore never shadows a file.
/// `kind` (`model` or `platform`) is for messages. Throws InputError for a name that is not
/// built in, with the nearest one that is.
NamedText find_text(const std::string& name_or_path, std::string_view kind,
                    std::span<const EmbeddedFile> built_in);

/// Throws InputError for a model with an exact backward pass that has parameters and trains none:
/// it would be a forward pass in the place of a training step.
Model with_training(Model model);

/// The names of built-in files, sorted.
std::vector<std::string> embedded_names(std::span<const EmbeddedFile> built_in);

}  // namespace poet

#include "base/sha256.hpp"
#include "formats/named_text.hpp"
#include "formats/read_inputs.hpp"
#include "model/backward/backward.hpp"
#include "model/model_spec.hpp"
#include "poet/model.hpp"
#include "poet/platform.hpp"

namespace poet {

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
  Model model = parse_model(found.text, found.place, batch_size, backward);
  model.source = found.source;
  return model;
}

std::vector<std::string> builtin_models() {
  return embedded_names(embedded_models());
}

Platform parse_platform(std::string_view text, const std::string& source) {
  Platform platform = read_platform(text, source);
  platform.source = source;
  platform.sha256 = sha256_hex(text);
  return platform;
}

Platform load_platform(const std::string& name_or_path) {
  const NamedText found = find_text(name_or_path, "platform", embedded_platforms());
  Platform platform = parse_platform(found.text, found.place);
  platform.source = found.source;
  return platform;
}

std::vector<std::string> builtin_platforms() {
  return embedded_names(embedded_platforms());
}

}  // namespace poet

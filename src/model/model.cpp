#include "poet/model.hpp"

#include "io/files/embedded.hpp"
#include "io/files/source_text.hpp"
#include "io/model_reader.hpp"
#include "io/text/sha256.hpp"
#include "model/build.hpp"

namespace poet {

Model parse_model(std::string_view text, const std::string& source, std::int64_t batch_size) {
  Model model = build_model(read_model(text, source), batch_size);
  model.source = source;
  model.sha256 = sha256_hex(text);
  return model;
}

Model load_model(const std::string& name_or_path, std::int64_t batch_size) {
  const SourceText found = find_text(name_or_path, "model", embedded_models());
  Model model = parse_model(found.text, found.place, batch_size);
  model.source = found.source;
  return model;
}

std::vector<std::string> builtin_models() {
  return embedded_names(embedded_models());
}

}  // namespace poet

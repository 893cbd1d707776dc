// The copies of a model, as a user states them and as a schedule file does. Which tensors may have
// one is for the model to say (src/model/model_copies.cpp).

#include "formats/read_copies.hpp"

#include "formats/json/json_fields.hpp"
#include "formats/json/json_text.hpp"
#include "poet/schedule_file.hpp"
#include "report/fields.hpp"

namespace poet {

// No copies have one form: no such key.
void check_copies(const JsonCursor& at, const Copies& copies) {
  if (copies.mode == CopyMode::off) at.required("mode").fail_expecting("exact or int8");
  if (copies.tensors.empty()) at.required("tensors").fail_expecting("at least one tensor");
}

Copies read_copies(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  if (root.optional("format")) return parse_schedule_file(text, source).model.copies;
  Copies copies = read_struct<Copies>(root);
  check_copies(root, copies);
  return copies;
}

}  // namespace poet

#include "io/solve_document.hpp"

#include <nlohmann/json.hpp>

#include "io/json/json_cursor.hpp"
#include "io/json/json_text.hpp"
#include "io/schedule_json.hpp"
#include "schedule/names.hpp"

namespace poet {

SolveDocument parse_solve_document(std::string_view text, const std::string& source) {
  const nlohmann::json document = parse_json(text, source);
  const JsonCursor root(document, source);
  expect_format(root, kScheduleFormat, kScheduleVersion);
  const auto error = root.optional("error");
  if (!error) {
    SolveDocument solved{.report = parse_report(text, source)};
    solved.code = solved.report->code;
    solved.status = solved.report->status;
    return solved;
  }
  root.allow_only({"format", "version", "code", "status", "error"});
  return {
      .code = static_cast<ExitCode>(root.required("code").integer(1, 130)),
      .status = value_of(kStatusNames, root.required("status").string()).value_or(Status::unknown),
      .error = error->string()};
}

}  // namespace poet

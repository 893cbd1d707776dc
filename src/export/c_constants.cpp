// poet_constants.c: the frozen parameters, which the linker puts into flash. They are numbers and
// not a call at start-up, because what is computed there would be in RAM. Hexadecimal floats lose
// no bit and take some 17 bytes of source each; only the compiler sees them.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "export/c_names.hpp"
#include "export/c_sources.hpp"
#include "poet/version.hpp"
#include "step/initial_values.hpp"

namespace poet {
namespace {

constexpr std::size_t kNumbersPerLine = 5;

// C99 asks compilers for lines of 4095 characters and no longer ones.
void append_lines(std::string& text, const std::vector<float>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool ends_line = i % kNumbersPerLine + 1 == kNumbersPerLine || i + 1 == values.size();
    text += i % kNumbersPerLine == 0 ? "  " : " ";
    text += exact_float_literal(values[i]);
    text += ends_line ? ",\n" : ",";
  }
}

}  // namespace

// C has no empty array, and a program may name the array of a model that has no constants.
std::string constants_source(const DevicePlan& plan, std::uint64_t seed) {
  std::string text = fmt::format(
      "/* Parameters of '{}' that are not trained, as 'run --seed {}' has them. Written by\n"
      " * poet-solve {}; do not edit. */\n"
      "#include \"poet_plan.h\"\n\nconst poet_real poet_constants[] = {{\n",
      comment_text(plan.name), seed, POET_VERSION);
  if (plan.constant_count == 0) text += "  0, /* there are none */\n";
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const StepParameters& from = *plan.groups[g].parameters;
    if (from.is_trained) continue;
    text += fmt::format("  /* {} */\n", comment_text(from.name));
    append_lines(text, initial_parameters(from, seed, g));
  }
  return text + "};\n";
}

}  // namespace poet

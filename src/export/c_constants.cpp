// poet_constants.c: the frozen parameters, which the linker puts into flash. poet_parameters.c:
// trained ones that a user gave, which are there as well, to be copied when training begins.
// Both are numbers and not a call at start-up, because what is computed there would be in RAM.
// Hexadecimal floats lose no bit and take some 17 bytes of source each; large arrays are words.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "export/c_names.hpp"
#include "export/c_sources.hpp"
#include "model/shape.hpp"
#include "poet/version.hpp"
#include "step/initial_values.hpp"
#include "step/int8_weights.hpp"

namespace poet {
namespace {

// C99 asks compilers for lines of 4095 characters and no longer ones.
void append_lines(std::string& text, const std::vector<float>& values, bool as_words) {
  const std::size_t per_line = as_words ? 8 : 5;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool ends_line = i % per_line + 1 == per_line || i + 1 == values.size();
    if (i % per_line == 0 || !as_words) text += i % per_line == 0 ? "  " : " ";
    const std::string number = exact_float_literal(values[i]);  // refuses what is not finite
    text += as_words ? fmt::format("0x{:x}", std::bit_cast<std::uint32_t>(values[i])) : number;
    text += ends_line ? ",\n" : ",";
  }
}

/// The text of an array. C has no empty one, and a program may name the array of a model that has
/// nothing to put into it.
std::string array_text(std::string_view type, std::string_view name, const std::string& values) {
  return fmt::format("const {} {}[] = {{\n{}}};\n", type, name,
                     values.empty() ? "  0, /* there are none */\n" : values);
}

/// Group `g` of the plan.
std::vector<float> first_values(const DevicePlan& plan, const FirstParameters& first,
                                std::size_t g) {
  const auto given = first.given.find(g);
  if (given != first.given.end()) return given->second;
  return initial_parameters(*plan.groups[g].parameters, first.seed, g);
}

std::vector<float> first_statistics(const DevicePlan& plan, const FirstParameters& first,
                                    std::size_t g) {
  const auto given = first.running.find(g);
  if (given != first.running.end()) return given->second;
  return initial_statistics(*plan.groups[g].parameters);
}

/// The running statistics of the groups that have some where `first_of` says.
std::string statistics_text(const DevicePlan& plan, const FirstParameters& first,
                            std::int32_t DeviceGroup::*first_of, bool as_words = false) {
  std::string values;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    if (plan.groups[g].*first_of < 0) continue;
    values += fmt::format("  /* running means and variances of {} */\n",
                          comment_text(plan.groups[g].parameters->name));
    append_lines(values, first_statistics(plan, first, g), as_words);
  }
  return values;
}

/// The weight of group `g`, which is the first tensor of its parameters, as bytes and scales.
Int8Weights bytes_of_group(const DevicePlan& plan, std::size_t g,
                           const std::vector<float>& parameters) {
  const Shape& weight = plan.groups[g].parameters->tensors.front().shape;
  const auto count = static_cast<std::size_t>(element_count(weight));
  return int8_weights(std::span(parameters).first(count), weight.front());
}

/// The floats that a group has on a device: its parameters, or scales and biases.
std::vector<float> real_values(const DevicePlan& plan, const FirstParameters& first,
                               std::size_t g) {
  std::vector<float> values = first_values(plan, first, g);
  if (!plan.groups[g].bytes) return values;
  const Int8Weights weight = bytes_of_group(plan, g, values);
  std::vector<float> real = weight.scales;
  real.insert(real.end(), values.begin() + std::ssize(weight.bytes), values.end());
  return real;
}

/// The weights of one byte.
std::string byte_array(const DevicePlan& plan, const FirstParameters& first) {
  constexpr std::size_t kBytesPerLine = 20;
  std::string values;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    if (!plan.groups[g].bytes) continue;
    values += fmt::format("  /* {} */\n", comment_text(plan.groups[g].parameters->name));
    const Int8Weights weight = bytes_of_group(plan, g, first_values(plan, first, g));
    const std::span<const std::int8_t> bytes = weight.bytes;
    for (std::size_t i = 0; i < bytes.size(); i += kBytesPerLine) {
      const auto line = bytes.subspan(i, std::min(kBytesPerLine, bytes.size() - i));
      values += fmt::format("  {},\n", fmt::join(line, ", "));
    }
  }
  return array_text("int8_t", "poet_constant_bytes", values);
}

/// An array of the groups that are trained, or of those that are not.
std::string parameter_array(const DevicePlan& plan, const FirstParameters& first,
                            const std::string& name, bool of_trained) {
  const bool as_words = are_words(of_trained ? plan.parameter_count : plan.constant_count);
  std::string values;
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const StepParameters& from = *plan.groups[g].parameters;
    if (from.is_trained != of_trained) continue;
    values += fmt::format("  /* {} */\n", comment_text(from.name));
    append_lines(values, real_values(plan, first, g), as_words);
  }
  if (!of_trained) {
    values += statistics_text(plan, first, &DeviceGroup::constant_running, as_words);
  }
  return "#include \"poet_plan.h\"\n\n" + (as_words
                                               ? array_text("uint32_t", name + "_words", values)
                                               : array_text("poet_real", name, values));
}

}  // namespace

std::string constants_source(const DevicePlan& plan, const FirstParameters& first) {
  const std::string origin =
      plan.has_reset ? "of --parameters" : fmt::format("as 'run --seed {}' has them", first.seed);
  return fmt::format(
             "/* Parameters of '{}' that are not trained, {}. Written by\n"
             " * poet-solve {}; do not edit. */\n",
             comment_text(plan.name), origin, POET_VERSION) +
         parameter_array(plan, first, "poet_constants", false) + "\n" + byte_array(plan, first);
}

std::string reset_source(const DevicePlan& plan, const FirstParameters& first) {
  return fmt::format(
             "/* Parameters of '{}' that are trained, as --parameters has them: poet_initialise()\n"
             " * copies these. Written by poet-solve {}; do not edit. */\n",
             comment_text(plan.name), POET_VERSION) +
         parameter_array(plan, first, "poet_reset_parameters", true) +
         (plan.has_running_reset
              ? fmt::format("\nconst poet_real poet_reset_running[] = {{\n{}}};\n",
                            statistics_text(plan, first, &DeviceGroup::running))
              : std::string());
}

}  // namespace poet

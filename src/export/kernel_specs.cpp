#include "export/kernel_specs.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "export/c_names.hpp"
#include "export/spec_fields.hpp"

namespace poet {
namespace {

std::string number_text(std::int32_t value) {
  return fmt::format("{}", value);
}

std::string number_text(std::uint32_t value) {
  return fmt::format("{}u", value);
}

std::string number_text(float value) {
  return float_literal(value);
}

template <typename Number, std::size_t count>
std::string number_text(const Number (&values)[count]) {
  std::string text;
  for (const Number value : values) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", number_text(value));
  }
  return "{" + text + "}";
}

/// The bytes of all members of a table. A struct without padding has no others.
template <typename Spec>
constexpr std::size_t member_bytes() {
  std::size_t bytes = 0;
  for_each_field(kFields<Spec>, [&](const auto& field) {
    bytes += sizeof(typename std::remove_cvref_t<decltype(field)>::Value);
  });
  return bytes;
}

template <typename Spec>
std::string members(const Spec& spec) {
  static_assert(member_bytes<Spec>() == sizeof(Spec), "a member is missing in its table");
  std::string text;
  for_each_field(kFields<Spec>, [&](const auto& field) {
    text +=
        fmt::format("{}.{} = {}", text.empty() ? "" : ", ", field.key, number_text(field.of(spec)));
  });
  return "{" + text + "}";
}

/// `poet_update` gets a number and no struct.
std::string members(const UpdateSpec& spec) {
  return number_text(spec.count);
}

}  // namespace

SpecText spec_text(const KernelSpec& spec) {
  return std::visit(
      [](const auto& held) {
        using Spec = std::remove_cvref_t<decltype(held)>;
        const bool is_number = std::is_same_v<Spec, UpdateSpec>;
        return SpecText{
            .type = is_number ? "int32_t" : fmt::format("struct {}", type_in_code<Spec>()),
            .initializer = members(held)};
      },
      spec);
}

bool is_random(const KernelSpec& spec) {
  return std::holds_alternative<poet_dropout_spec>(spec);
}

}  // namespace poet

// People read, compare and edit the model file, so a layer is called what PyTorch calls its module:
// by the name of its weight, or by the name of its node without what the export put around it.

#include "import/layer_names.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/printable.hpp"
#include "import/match.hpp"

namespace poet {
namespace {

/// Whether a part of a node's name repeats its op: `Conv`, `Conv_12`.
bool names_op(std::string_view part, std::string_view op) {
  if (!part.starts_with(op)) return false;
  part.remove_prefix(op.size());
  return part.empty() ||
         (part.front() == '_' && std::all_of(part.begin() + 1, part.end(), [](char c) {
            return std::isdigit(static_cast<unsigned char>(c)) != 0;
          }));
}

std::vector<std::string> split_name(const std::string& name) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : name + "/") {
    if (c != '/') {
      part += c;
    } else if (!part.empty()) {
      parts.push_back(std::exchange(part, {}));
    }
  }
  return parts;
}

}  // namespace

std::string clean_name(const std::string& name) {
  std::string text;
  for (const char c : name) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    text += is_control ? '_' : c;
  }
  constexpr std::size_t kMost = 200;
  if (first_invalid_utf8(text) < text.size() || text.size() > kMost) return printable(text, kMost);
  return text;
}

std::string name_of_node(const OnnxNode& node) {
  std::vector<std::string> parts = split_name(node.name);
  if (parts.empty()) return name_of_op(node.op);
  if (parts.size() > 1 && names_op(parts.back(), node.op)) parts.pop_back();
  std::string name;
  for (const std::string& part : parts) {
    // PyTorch repeats the name of a sequence in the names of its members.
    const bool repeats = !name.empty() && part.starts_with(name.substr(name.rfind('.') + 1) + ".");
    if (repeats) {
      const std::size_t dot = name.rfind('.');
      name.resize(dot == std::string::npos ? 0 : dot + 1);
      name += part;
    } else {
      if (!name.empty()) name += '.';
      name += part;
    }
  }
  return clean_name(name);
}

}  // namespace poet

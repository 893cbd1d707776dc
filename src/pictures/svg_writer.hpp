#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pictures/look.hpp"

namespace poet::plot {

/// A coordinate as SVG text: at most two decimals, no trailing zeros, a point as the decimal
/// separator in every locale. Throws InternalError for a value that is not finite.
std::string compact(double value);

/// `name="value"` of an element, escaped when it is written.
struct SvgAttribute {
  SvgAttribute(std::string_view n, double v) : name(n), value(compact(v)) {}
  SvgAttribute(std::string_view n, std::string_view v) : name(n), value(v) {}

  std::string_view name;
  std::string value;
};

/// Writes an SVG document, one element a line. Everything that goes in is escaped; what was opened
/// is closed by finish().
class SvgWriter {
 public:
  using Attributes = std::initializer_list<SvgAttribute>;

  /// A picture as wide as its page, and of this height in layout pixels. `title` and `description`
  /// are for readers who cannot see it; `style` is the style sheet, which has to be ours: it is
  /// written as it is.
  SvgWriter(const Look& look, double height, std::string_view title, std::string_view description,
            std::string_view style);

  void open(std::string_view tag, Attributes attributes = {});
  void close();
  /// An element without content.
  void element(std::string_view tag, Attributes attributes);
  /// An element that shows `tip`, unless it is empty, when the pointer rests on it.
  void element(std::string_view tag, Attributes attributes, std::string_view tip);
  void text(double x, double y, std::string_view css_class, std::string_view content);
  /// Text with a tip: what had to be shortened, in full.
  void text(double x, double y, std::string_view css_class, std::string_view content,
            std::string_view tip);
  /// Text that runs upwards, centred on (x, y).
  void upward_text(double x, double y, std::string_view css_class, std::string_view content);
  void line(double x1, double y1, double x2, double y2, std::string_view css_class);

  /// The document; the writer is empty afterwards.
  std::string finish();

 private:
  void indent();
  void start(std::string_view tag, Attributes attributes);

  std::string out_;
  std::vector<std::string> open_;
};

/// The `d` of a path, in absolute coordinates.
class PathData {
 public:
  PathData& move(double x, double y) { return add('M', x, y); }
  PathData& line(double x, double y) { return add('L', x, y); }
  /// A line to this point, or the first move.
  PathData& next(double x, double y) { return text_.empty() ? move(x, y) : line(x, y); }
  PathData& horizontal(double x) { return add('H', x); }
  PathData& vertical(double y) { return add('V', y); }
  PathData& close();

  const std::string& text() const { return text_; }

 private:
  PathData& add(char command, double x);
  PathData& add(char command, double x, double y);

  std::string text_;
};

/// The height of a picture on paper, in millimetres; nothing for one for screens.
std::optional<double> height_mm(std::string_view picture);

/// The outline of a triangle around (x, y) that points down or up; `size` is half its width.
std::string triangle(double x, double y, double size, bool down);

}  // namespace poet::plot

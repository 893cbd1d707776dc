// A picture is a pure function from data to text: the same schedule gives the same bytes on every
// machine, so tests compare text and a picture can be kept under version control. That needs
// numbers that do not depend on the locale, and few enough digits that no difference in rounding
// shows. Elements are closed by a stack of their names, and text is escaped on the way in, so that
// no name of a model can break a picture.

#include "pictures/svg_writer.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "base/text/escape.hpp"
#include "poet/error.hpp"

namespace poet::plot {
// Two decimals at most, no zeros at the end and no -0: the same number is the same text everywhere.
std::string compact(double value) {
  if (!std::isfinite(value)) throw InternalError("a coordinate of a picture is not finite");
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

// Coordinates are pixels in any case. A width in millimetres only scales the whole page, through
// its view box.
SvgWriter::SvgWriter(const Look& look, double height, std::string_view title,
                     std::string_view description, std::string_view style) {
  const double width = look.width;
  const auto length = [&](double pixels) {
    return look.width_mm ? compact(pixels * *look.width_mm / width) + "mm" : compact(pixels);
  };
  open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
               {"width", length(width)},
               {"height", length(height)},
               {"viewBox", fmt::format("0 0 {} {}", compact(width), compact(height))},
               {"role", "img"}});
  out_ += fmt::format("  <title>{}</title>\n  <desc>{}</desc>\n", xml_text(title),
                      xml_text(description));
  out_ += fmt::format("  <style>\n{}  </style>\n", style);
  element("rect", {{"class", "paper"}, {"width", width}, {"height", height}});
}

void SvgWriter::indent() {
  out_.append(2 * open_.size(), ' ');
}

void SvgWriter::start(std::string_view tag, Attributes attributes) {
  indent();
  out_ += '<';
  out_ += tag;
  for (const SvgAttribute& attribute : attributes) {
    out_ += fmt::format(" {}=\"{}\"", attribute.name, xml_text(attribute.value));
  }
}

void SvgWriter::open(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += ">\n";
  open_.emplace_back(tag);
}

void SvgWriter::close() {
  if (open_.empty()) throw InternalError("a picture closes an element that it has not opened");
  const std::string tag = open_.back();
  open_.pop_back();
  indent();
  out_ += fmt::format("</{}>\n", tag);
}

void SvgWriter::element(std::string_view tag, Attributes attributes) {
  start(tag, attributes);
  out_ += "/>\n";
}

// A tip is a <title> in the element, which viewers show under the pointer without any script.
void SvgWriter::element(std::string_view tag, Attributes attributes, std::string_view tip) {
  if (tip.empty()) return element(tag, attributes);
  start(tag, attributes);
  out_ += fmt::format("><title>{}</title></{}>\n", xml_text(tip), tag);
}

void SvgWriter::text(double x, double y, std::string_view css_class, std::string_view content) {
  start("text", {{"x", x}, {"y", y}, {"class", css_class}});
  out_ += fmt::format(">{}</text>\n", xml_text(content));
}

void SvgWriter::text(double x, double y, std::string_view css_class, std::string_view content,
                     std::string_view tip) {
  if (tip.empty()) return text(x, y, css_class, content);
  start("text", {{"x", x}, {"y", y}, {"class", css_class}});
  out_ += fmt::format("><title>{}</title>{}</text>\n", xml_text(tip), xml_text(content));
}

void SvgWriter::upward_text(double x, double y, std::string_view css_class,
                            std::string_view content) {
  start("text",
        {{"class", fmt::format("{} middle", css_class)},
         {"transform", fmt::format("translate({} {}) rotate(-90)", compact(x), compact(y))}});
  out_ += fmt::format(">{}</text>\n", xml_text(content));
}

void SvgWriter::line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  element("path", {{"class", css_class}, {"d", PathData().move(x1, y1).line(x2, y2).text()}});
}

std::string SvgWriter::finish() {
  while (!open_.empty()) close();
  return std::move(out_);
}

PathData& PathData::close() {
  text_ += 'Z';
  return *this;
}

PathData& PathData::add(char command, double x) {
  text_ += command;
  text_ += compact(x);
  return *this;
}

// A minus sign separates two numbers by itself, which keeps long paths shorter.
PathData& PathData::add(char command, double x, double y) {
  add(command, x);
  const std::string second = compact(y);
  if (!second.starts_with('-')) text_ += ' ';
  text_ += second;
  return *this;
}

// Read back from the text: what is said about a picture is then true of the picture that was
// written.
std::optional<double> height_mm(std::string_view picture) {
  constexpr std::string_view kName = " height=\"";
  const std::size_t start = picture.find(kName);
  if (start == std::string_view::npos) return std::nullopt;
  picture.remove_prefix(start + kName.size());
  const std::string_view length = picture.substr(0, picture.find('"'));
  double number = 0;
  const auto [stop, error] = std::from_chars(length.data(), length.data() + length.size(), number);
  const auto unit = length.substr(static_cast<std::size_t>(stop - length.data()));
  if (error != std::errc{} || unit != "mm") return std::nullopt;
  return number;
}

std::string triangle(double x, double y, double size, bool down) {
  const double reach = 0.8 * (down ? size : -size);
  return PathData()
      .move(x - size, y - reach)
      .line(x + size, y - reach)
      .line(x, y + reach)
      .close()
      .text();
}

}  // namespace poet::plot

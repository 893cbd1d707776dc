#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/escape.hpp"
#include "pictures/scale.hpp"
#include "pictures/style.hpp"
#include "pictures/svg_writer.hpp"
#include "poet/error.hpp"

namespace poet::plot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kReplacement = "\xEF\xBF\xBD";

TEST(Compact, HasTwoDecimalsAtMostAndNoTrailingZeros) {
  EXPECT_EQ(compact(12), "12");
  EXPECT_EQ(compact(100), "100");
  EXPECT_EQ(compact(12.5), "12.5");
  EXPECT_EQ(compact(1.0 / 3), "0.33");
  EXPECT_EQ(compact(-0.001), "0");
  EXPECT_EQ(compact(-2.999), "-3");
  EXPECT_EQ(compact(1e15), "1000000000000000");
}

TEST(Compact, RefusesWhatIsNoPlaceInAPicture) {
  EXPECT_THROW(compact(std::nan("")), InternalError);
  EXPECT_THROW(compact(std::numeric_limits<double>::infinity()), InternalError);
}

TEST(HeightMm, IsThatOfPaperOnly) {
  const Look page{.width_mm = 84, .width = 420};
  EXPECT_EQ(height_mm(SvgWriter(page, 1000, "t", "d", "").finish()), 200.0);
  EXPECT_EQ(height_mm(SvgWriter({.width = 420}, 1000, "t", "d", "").finish()), std::nullopt);
  EXPECT_EQ(height_mm(""), std::nullopt);
}

TEST(XmlText, EscapesWhatXmlGivesAMeaning) {
  EXPECT_EQ(xml_text("a<b & \"c\">d"), "a&lt;b &amp; &quot;c&quot;&gt;d");
  EXPECT_EQ(xml_text("]]> <!-- -->"), "]]&gt; &lt;!-- --&gt;");
}

TEST(XmlText, KeepsEveryOtherCharacter) {
  const std::string text =
      "gr\xC3\xB6\xC3\x9F"
      "er \xE5\xB1\xA4 \xF0\x9F\x98\x80 O'Neill";
  EXPECT_EQ(xml_text(text), text);
}

TEST(XmlText, ReplacesWhatXmlForbids) {
  EXPECT_EQ(xml_text(std::string("a\0b\x1b[0m\x7f", 8)),
            "a" + kReplacement + "b" + kReplacement + "[0m" + kReplacement);
  EXPECT_EQ(xml_text("two\nlines\tand\rmore"), "two lines and more");
  EXPECT_EQ(xml_text("\xC2\x80|\xC2\xA0|\xEF\xBF\xBE|\xEF\xBF\xBF"),
            kReplacement + "|\xC2\xA0|" + kReplacement + "|" + kReplacement);
}

TEST(XmlText, ReplacesEveryByteThatIsNotUtf8) {
  EXPECT_EQ(xml_text("a\xFF"
                     "b\xC3"),
            "a" + kReplacement + "b" + kReplacement);
  EXPECT_EQ(xml_text("\xED\xA0\x80"), kReplacement + kReplacement + kReplacement);
}

TEST(SvgWriter, ClosesWhatWasOpenedAndEscapesWhatGoesIn) {
  SvgWriter svg({.width = 20}, 10, "<title>", "a & b", "");
  svg.open("g", {{"class", "\"quoted\""}});
  svg.element("rect", {{"x", 1}, {"width", 2.5}}, "tip <1>");
  svg.text(3, 4, "note", "text & more");
  EXPECT_EQ(svg.finish(),
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" "
            "viewBox=\"0 0 20 10\" role=\"img\">\n"
            "  <title>&lt;title&gt;</title>\n"
            "  <desc>a &amp; b</desc>\n"
            "  <style>\n  </style>\n"
            "  <rect class=\"paper\" width=\"20\" height=\"10\"/>\n"
            "  <g class=\"&quot;quoted&quot;\">\n"
            "    <rect x=\"1\" width=\"2.5\"><title>tip &lt;1&gt;</title></rect>\n"
            "    <text x=\"3\" y=\"4\" class=\"note\">text &amp; more</text>\n"
            "  </g>\n"
            "</svg>\n");
}

TEST(SvgWriter, NoticesAnElementThatIsClosedTwice) {
  SvgWriter svg({.width = 1}, 1, "", "", "");
  svg.close();
  EXPECT_THROW(svg.close(), InternalError);
}

TEST(PathData, SeparatesNumbersWithAsLittleAsItTakes) {
  EXPECT_EQ(PathData().move(1, 2).line(-3, -4.5).horizontal(5).vertical(-6).close().text(),
            "M1 2L-3-4.5H5V-6Z");
}

TEST(Shortened, LeavesWhatFitsAndKeepsBothEndsOfTheRest) {
  EXPECT_EQ(shortened("conv1", 10, 100), "conv1");
  const std::string cut = shortened("encoder.block12.attention.scores", 10, 100);
  EXPECT_THAT(cut, testing::StartsWith("encoder"));
  EXPECT_THAT(cut, testing::EndsWith("scores"));
  EXPECT_LE(estimated_width(cut, 10), 100);
  EXPECT_GT(estimated_width(cut, 10), 85);
}

TEST(Shortened, NeverCutsACharacterInTwo) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "\xE5\xB1\xA4";
  for (int width = 0; width < 200; ++width) {
    const std::string cut = shortened(text, 10, width);
    EXPECT_EQ(xml_text(cut), cut) << width;
  }
  EXPECT_EQ(shortened(text, 10, 0), "\xE2\x80\xA6");
}

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks) result.push_back(tick.label);
  return result;
}

TEST(Ticks, AreRoundNumbersOfAUnit) {
  EXPECT_THAT(labels(byte_ticks(0, 720 * 1024, 4)),
              ElementsAre("0 KiB", "200 KiB", "400 KiB", "600 KiB"));
  EXPECT_THAT(labels(byte_ticks(0, 6.4, 6)), ElementsAre("0 B", "2 B", "4 B", "6 B"));
  EXPECT_THAT(labels(byte_ticks(3 << 20, 4 << 20, 2)), ElementsAre("3 MiB", "3.5 MiB", "4 MiB"));
  EXPECT_THAT(labels(percent_ticks(0, 0.011, 5)), ElementsAre("0 %", "0.5 %", "1 %"));
}

TEST(Ticks, AreFewForAnyRange) {
  for (const double low : {0.0, 1.0, 1e6, 9e15}) {
    for (const double span : {1.0, 1e3, 1e9, 9e15}) {
      const std::vector<Tick> ticks = byte_ticks(low, low + span, 6);
      EXPECT_LE(ticks.size(), 7U) << low << " " << span;
      for (const Tick& tick : ticks) {
        EXPECT_GE(tick.value, low - 1e-6 * span);
        EXPECT_LE(tick.value, low + span * (1 + 1e-6));
      }
    }
  }
}

}  // namespace
}  // namespace poet::plot

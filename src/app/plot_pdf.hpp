#pragma once

#include <string>

namespace poet::cli {

/// Turns a picture into a PDF with its text as text, by librsvg's `rsvg-convert`. Throws InputError
/// if that is missing or fails.
std::string to_pdf(const std::string& svg);

/// Throws InputError if a PDF would go to a terminal, which cannot show one.
void check_pdf_destination(const std::string& output);

}  // namespace poet::cli

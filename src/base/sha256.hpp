#pragma once

#include <string>
#include <string_view>

namespace poet {

// Digests show whether two things are the same without keeping both: a schedule file names the
// bytes of its model and platform, a line of a sweep the graph that it is about, and a journal the
// program that found each of its outcomes.

/// SHA-256 (FIPS 180-4) of some bytes as 64 lower-case hexadecimal digits.
/// Throws InternalError if libcrypto does not provide it.
std::string sha256_hex(std::string_view bytes);

/// SHA-256 of the file that this process runs, even if another file has taken its place since;
/// empty if it cannot be read. Two builds of one version may find different schedules, so a
/// version number would not do. Libraries that the program loads do not count.
std::string program_sha256();

}  // namespace poet

#pragma once

namespace poet::cli {

/// Makes sure of what the program needs from its caller, before anything else is done:
///
/// - Descriptors 0 to 2 are taken. A file that got the number of a closed stdout or stderr would
///   have messages written into it. Reading and writing still fail where the caller closed them.
/// - A limit on the size of files, or a reader of the log who goes, is an error like any other and
///   not the end of a solve.
void secure_surroundings();

/// From now on the program ends, as is usual, where nobody reads its stdout any more.
void end_with_reader();

}  // namespace poet::cli

#pragma once

namespace poet::cli {

/// Secures what the program needs from its caller, before anything else is done:
///
/// - Descriptors 0 to 2 are taken. A file that got the number of a closed stdout or stderr would
///   have messages written into it. Reading and writing still fail if the caller closed them.
/// - A limit on the size of files, or a reader of the log who goes away, is an error like any other
///   and not the end of a solve.
void set_up_process();

/// From now on the program ends, as is usual, when nobody reads its stdout any more.
void end_with_reader();

/// From now on the first SIGINT, SIGTERM or SIGHUP only sets a flag, so that the best schedule so
/// far can be written; a second one, unless it is SIGHUP, ends the program at once with the status
/// of an interrupt. A SIGHUP that is ignored, as under nohup, stays so.
void catch_interrupts();

/// Whether one has arrived.
bool interrupted();

}  // namespace poet::cli

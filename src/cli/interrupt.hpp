#pragma once

namespace poet::cli {

/// From now on the first SIGINT, SIGTERM or SIGHUP only sets a flag, so that the best schedule so
/// far can be written; a second one, unless it is SIGHUP, ends the program at once with status 130.
/// A SIGHUP that is ignored, as under nohup, stays so.
void catch_interrupts();

/// Whether one has arrived.
bool interrupted();

}  // namespace poet::cli

#pragma once

namespace poet::cli {

/// From now on the first SIGINT or SIGTERM only sets a flag, so that the best schedule so far can
/// be written; a second one ends the program at once with status 130.
void catch_interrupts();

/// Whether one has arrived.
bool interrupted();

}  // namespace poet::cli

#pragma once

#include <csignal>
#include <string>
#include <string_view>

namespace poet {

/// A name for what gets its own name once it is whole. Its length is the same for every target, and
/// it is drawn: in containers, every run of a program has the same process number.
std::string temporary_name();
bool is_temporary_name(std::string_view name);

/// Marks an open file or folder as being written, until it is closed or the process ends. Some
/// network file systems have no locks; there, what is written is not marked.
void mark_as_written(int fd);

/// Removes what killed processes have left in a folder: what has a temporary name and no mark.
void remove_leftovers(const std::string& folder);

/// Signals that end a program wait until this object is gone, so that none leaves a file with a
/// temporary name.
class SignalsWait {
 public:
  SignalsWait();
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait();

 private:
  sigset_t before_{};
};

}  // namespace poet

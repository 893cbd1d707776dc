#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace poet {

/// No file of this program comes near this size. A larger one is a mistake, such as a disk image in
/// place of a model, and an early error is better than minutes of reading.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

/// Reads a whole file, or stdin for `-`, and returns its bytes as they are.
///
/// A regular file above `max_bytes` is refused by its size alone; pipes are read up to that limit,
/// because their size is not known before. Directories are refused by name: reading one gives an
/// error that few readers understand.
///
/// Throws InputError with the path and the reason: missing, a directory, not readable, too large.
std::string read_file(const std::string& path, std::size_t max_bytes = kMaxFileBytes);

/// Reads the first bytes of a file of any size, at most `count`. Throws InputError as read_file()
/// does.
std::string read_beginning(const std::string& path, std::size_t count);

/// Writes the file whole or not at all: what has no name yet is flushed to the disk, and then takes
/// the place of an earlier file and its permissions. A full disk, a crash or a signal leaves an
/// earlier file as it was, and no reader ever sees half a result. Symbolic links are followed. A
/// device, a pipe or an open file such as /dev/stdout is written in place, because it cannot be
/// replaced.
///
/// Throws InputError with the path and the reason.
void write_file(const std::string& path, std::string_view text);

/// Writes all of a text to a descriptor, however often a signal interrupts. False, with errno, if
/// it cannot.
bool write_fully(int fd, std::string_view text);

/// Throws InputError unless write_file() to this path can be expected to succeed: its folder
/// exists and is writable, the path is not a folder, and its name is not too long.
///
/// Call it before long work: an hour of solving must not end with a misspelt folder. It creates
/// nothing, so a run that fails leaves no empty file, and removes what killed runs have left.
void check_writable(const std::string& path);

/// The same for a folder, which need not be there yet, nor the one that it is in.
void check_folder_writable(const std::string& path);

/// Whether two paths lead to one file, links followed; also if it does not exist yet, such as the
/// destination of --output.
bool is_same_file(const std::string& path, const std::string& other);

/// A name as the name of a file: it stays in its directory, whichever characters it has, and within
/// 200 bytes. A digest ends the name if others have to go.
std::string file_stem(std::string name);

}  // namespace poet

#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace slackline {

/// Opens an input for reading; "-" is standard input. Returns the descriptor, the caller's, of a
/// regular file. A pipe that is already open (standard input, a shell's `<(command)`) is read to
/// its end into a nameless file, and asking for it again gives that file again; it takes room in
/// the folder for temporary files. Throws Error for what is missing or is not a file: folders,
/// devices, terminals, sockets, and FIFOs by their names, which might never have a writer.
int open_input(const std::filesystem::path& path);

// No output of a command may replace one of its inputs, by whatever name it is given.

/// While such an object lives, the process runs a command: the files that open_input() gives are
/// inputs, except those that the process has made itself. Several commands may run at a time, and
/// no input is forgotten before the last one ends. Threads may call all of this.
class ReadFiles {
 public:
  ReadFiles();
  ~ReadFiles();
  ReadFiles(const ReadFiles&) = delete;
  ReadFiles& operator=(const ReadFiles&) = delete;
};

/// For open_input(), and for those that create outputs.
void note_input(const struct stat& file);
void note_own_file(const struct stat& file);

bool is_input(const struct stat& file);
/// Whether an input lies in the folder, or below.
bool holds_input(const std::filesystem::path& folder);

}  // namespace slackline

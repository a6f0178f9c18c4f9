#pragma once

#include <filesystem>

namespace slackline {

/// Opens an input for reading; "-" is standard input. Returns the descriptor, the caller's, of a
/// regular file. A pipe that is already open (standard input, a shell's `<(command)`) is read to
/// its end into a nameless file, and asking for it again gives that file again; it takes room in
/// the folder for temporary files. Throws Error for what is missing or is not a file: folders,
/// devices, terminals, sockets, and FIFOs by their names, which might never have a writer.
int open_input(const std::filesystem::path& path);

}  // namespace slackline

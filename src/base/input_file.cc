#include "base/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/output_target.h"
#include "base/printable.h"
#include "base/spill_file.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

Error cannot_read(const fs::path& path, std::string_view why,
                  std::string_view what_to_do = "Check the path and permissions.") {
  return Error(fmt::format("cannot read '{}'", path.string()), why, what_to_do);
}

int nameless_file_for(const fs::path& input) {
  const int fd = nameless_file();
  if (fd >= 0) return fd;
  throw cannot_read(input, fmt::format("no temporary file: {}", errno_text()), "Set TMPDIR.");
}

void copy_all(int from, int to, const fs::path& input) {
  std::vector<char> piece(std::size_t{1} << 20);
  for (;;) {
    const ssize_t n = ::read(from, piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw cannot_read(input, errno_text());
    if (n == 0) return;
    const int error = write_all(to, {piece.data(), static_cast<std::size_t>(n)});
    if (error == 0) continue;
    errno = error;
    throw cannot_read(input, fmt::format("its content could not be kept: {}", errno_text()),
                      "Set TMPDIR to a folder with more space.");
  }
}

/// What pipes have given. They stay open, so that none can be taken for another one.
class ReadPipes {
 public:
  int file_of(int pipe, const struct stat& status, const fs::path& input) {
    const std::scoped_lock lock(mutex_);
    const auto [found, is_new] = files_.try_emplace({status.st_dev, status.st_ino}, -1);
    if (is_new) {
      try {
        found->second = nameless_file_for(input);
        copy_all(pipe, found->second, input);
      } catch (...) {
        files_.erase(found);
        throw;
      }
      ::fcntl(pipe, F_DUPFD_CLOEXEC, 0);
    }
    return ::fcntl(found->second, F_DUPFD_CLOEXEC, 0);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<dev_t, ino_t>, int> files_;
};

int regular_file(int fd, bool was_open, const fs::path& path) {
  static ReadPipes pipes;
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw cannot_read(path, errno_text());
  const mode_t mode = status.st_mode;
  if (S_ISREG(mode)) {
    note_input(status);
    return fd;
  }
  if (S_ISDIR(mode)) {
    errno = EISDIR;
    throw cannot_read(path, errno_text());
  }
  if (was_open && (S_ISFIFO(mode) || S_ISSOCK(mode))) return pipes.file_of(fd, status, path);
  if (S_ISFIFO(mode)) {
    throw cannot_read(path, "it is a FIFO",
                      fmt::format("Give it as standard input: - < {}", shell_word(path.string())));
  }
  throw cannot_read(path, ::isatty(fd) == 1 ? "it is a terminal" : "it is a device",
                    "Name a file, or redirect standard input.");
}

}  // namespace

int open_input(const fs::path& path) {
  const std::optional<int> open_already =
      path == "-" ? std::optional(STDIN_FILENO) : named_descriptor(path);
  // Opening must not wait for the writer of a FIFO.
  const int fd = open_already ? ::fcntl(*open_already, F_DUPFD_CLOEXEC, 0)
                              : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    if (errno == ENXIO) throw cannot_read(path, "it is a socket", "Name a file.");
    throw cannot_read(path, errno_text());
  }
  try {
    const int file = regular_file(fd, open_already.has_value(), path);
    if (file != fd) ::close(fd);
    return file;
  } catch (...) {
    ::close(fd);
    throw;
  }
}

namespace {

/// Hard and symbolic links are names of one file.
using FileId = std::pair<dev_t, ino_t>;

FileId id_of(const struct stat& file) {
  return {file.st_dev, file.st_ino};
}

struct Files {
  std::mutex mutex;
  int commands = 0;
  std::set<FileId> inputs;
  std::set<FileId> own;
};

Files& files() {
  static Files all;
  return all;
}

}  // namespace

ReadFiles::ReadFiles() {
  const std::scoped_lock lock(files().mutex);
  ++files().commands;
}

ReadFiles::~ReadFiles() {
  const std::scoped_lock lock(files().mutex);
  if (--files().commands > 0) return;
  files().inputs.clear();
  files().own.clear();
}

void note_input(const struct stat& file) {
  const std::scoped_lock lock(files().mutex);
  if (files().commands > 0) files().inputs.insert(id_of(file));
}

void note_own_file(const struct stat& file) {
  const std::scoped_lock lock(files().mutex);
  if (files().commands > 0) files().own.insert(id_of(file));
}

bool is_input(const struct stat& file) {
  const std::scoped_lock lock(files().mutex);
  return files().inputs.contains(id_of(file)) && !files().own.contains(id_of(file));
}

bool holds_input(const fs::path& folder) {
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    struct stat status {};
    if (::lstat(at->path().c_str(), &status) == 0 && is_input(status)) return true;
  }
  return false;
}

}  // namespace slackline

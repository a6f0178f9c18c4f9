#include "base/output_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/write_all.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // as the kernel has it

/// The descriptor that an output's path names.
std::optional<int> output_descriptor(const fs::path& path) {
  return path == "-" ? std::optional(STDOUT_FILENO) : named_descriptor(path);
}

/// What the kernel calls a protected link: in /tmp and the like, where anybody may have put it.
bool is_foreign_link(const struct stat& link, const fs::path& path) {
  struct stat folder {};
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (::stat(parent.c_str(), &folder) != 0) return false;
  const bool for_all = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return for_all && link.st_uid != ::geteuid() && link.st_uid != folder.st_uid;
}

/// One link further; false when `path` is none.
bool follow_link(fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return false;
  if (is_foreign_link(status, path)) {
    throw cannot_write(path, "another user has put a symbolic link of that name there");
  }
  std::error_code error;
  const fs::path to = fs::read_symlink(path, error);
  if (error) throw cannot_write(path, error.message());
  path = to.is_absolute() ? to : path.parent_path() / to;
  return true;
}

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a folder";
  if (S_ISSOCK(mode)) return "it is a socket";
  return "it is a block device, whose content would be lost";
}

}  // namespace

Error cannot_write(const fs::path& path, std::string_view why, std::string_view what_to_do) {
  return Error(fmt::format("cannot write '{}'", path.string()), why, what_to_do);
}

// By name, for these may be missing from a container.
std::optional<int> named_descriptor(const fs::path& path) {
  if (path == "/dev/stdin") return STDIN_FILENO;
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  std::error_code ignored;
  const fs::path folder = path.parent_path();
  if (folder != "/dev/fd" && folder != "/proc/self/fd" &&
      fs::canonical(folder, ignored) != fmt::format("/proc/{}/fd", ::getpid())) {
    return std::nullopt;
  }
  const std::string name = path.filename().string();
  int number = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number < 0) return std::nullopt;
  return number;
}

fs::path without_links(fs::path path) {
  const fs::path given = path;
  for (int links = 0; !output_descriptor(path) && follow_link(path); ++links) {
    if (links == kMostLinks) throw cannot_write(given, "its symbolic links form a circle");
  }
  return path;
}

bool is_standard_output(const fs::path& path) {
  return output_descriptor(without_links(path)) == STDOUT_FILENO;
}

fs::path temporary_beside(const fs::path& path) {
  constexpr std::size_t kMostOfName = 200;  // of 255
  std::array<std::uint64_t, 2> number{};
  if (::getentropy(number.data(), sizeof number) != 0) throw cannot_write(path, errno_text());
  return path.parent_path() / fmt::format("{}.part-{:016x}{:016x}",
                                          path.filename().string().substr(0, kMostOfName),
                                          number[0], number[1]);
}

OutputTarget::OutputTarget(const fs::path& given) : path_(without_links(given)) {
  descriptor_ = output_descriptor(path_);
  stream_ = descriptor_.has_value();
  if (!stream_) look();
}

void OutputTarget::look() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) throw cannot_write(path_, errno_text());
    return;
  }
  if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode)) {
    stream_ = true;
    return;
  }
  if (!S_ISREG(status.st_mode)) {
    throw cannot_write(path_, kind_of(status.st_mode), "Name a file.");
  }
  // Root may write to any file; one that its owner has protected is left alone all the same.
  constexpr mode_t kWritable = S_IWUSR | S_IWGRP | S_IWOTH;
  const bool writable = (status.st_mode & kWritable) != 0 &&
                        ::faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) == 0;
  if (!writable) {
    throw cannot_write(path_, "the file is write-protected",
                       "Choose another name, or make it writable.");
  }
  existing_ = {status.st_mode & 07777, status.st_uid, status.st_gid, status.st_nlink};
}

int OutputTarget::open_stream() const {
  const int fd = descriptor_ ? ::fcntl(*descriptor_, F_DUPFD_CLOEXEC, 0)
                             : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) throw cannot_write(path_, errno_text());
  return fd;
}

int OutputTarget::create(const fs::path& temporary, mode_t mode) const {
  constexpr mode_t kPrivate = S_IRUSR | S_IWUSR;  // until it gets that of the file it replaces
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        existing_ ? kPrivate : mode);
  if (fd < 0) throw cannot_write(path_, errno_text());
  return fd;
}

bool OutputTarget::take_over_attributes(int fd) const {
  struct stat own {};
  if (::fstat(fd, &own) != 0) return false;
  const bool mine = own.st_uid == existing_->owner && own.st_gid == existing_->group;
  return (mine || ::fchown(fd, existing_->owner, existing_->group) == 0) &&
         ::fchmod(fd, existing_->mode) == 0;
}

void OutputTarget::replace_by(const fs::path& temporary) const {
  if (existing_) {
    const int fd = ::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    const bool same = fd >= 0 && existing_->links == 1 && take_over_attributes(fd);
    if (fd >= 0) ::close(fd);
    if (!same) return overwrite_by(temporary);
  }
  if (::rename(temporary.c_str(), path_.c_str()) == 0) return;
  // A file that is mounted into a container cannot be replaced by another one, nor one on another
  // file system, where a link may have led.
  if (existing_ && (errno == EBUSY || errno == EXDEV)) return overwrite_by(temporary);
  if (errno == EXDEV) {
    write_file(path_, MappedFile(temporary).text());
    ::unlink(temporary.c_str());
    return;
  }
  throw cannot_write(path_, errno_text());
}

void OutputTarget::overwrite_by(const fs::path& temporary) const {
  const MappedFile content(temporary);
  const std::size_t size = content.bytes().size();
  const int fd = ::open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) throw cannot_write(path_, errno_text());
  int error = 0;
  if (size > 0 && ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) != 0 &&
      errno != EOPNOTSUPP) {
    error = errno;
  }
  if (error == 0) error = write_all(fd, content.text());
  if (error == 0 && ::ftruncate(fd, static_cast<off_t>(size)) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error == 0) {
    ::unlink(temporary.c_str());
    return;
  }
  errno = error;
  throw cannot_write(path_, errno_text());
}

}  // namespace slackline

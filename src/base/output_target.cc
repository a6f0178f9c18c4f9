#include "base/output_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/input_file.h"
#include "base/output_place.h"
#include "base/text_parsing.h"

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

/// What the file has, into a descriptor. Returns 0 or the errno of a failure.
int copy_file(const fs::path& from, int to) {
  const int fd = ::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  std::vector<char> piece(std::size_t{1} << 20);
  int error = 0;
  while (error == 0) {
    const ssize_t n = ::read(fd, piece.data(), piece.size());
    if (n == 0) break;
    if (n > 0) {
      error = write_all(to, {piece.data(), static_cast<std::size_t>(n)});
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  ::close(fd);
  return error;
}

/// Gives the file `to` the content of the file `from`. Returns 0 or the errno of a failure; that of
/// a full disk comes before the content is touched.
int overwrite(const fs::path& to, const fs::path& from) {
  struct stat status {};
  if (::stat(from.c_str(), &status) != 0) return errno;
  const int fd = ::open(to.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno;
  int error = 0;
  if (status.st_size > 0 && ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, status.st_size) != 0 &&
      errno != EOPNOTSUPP) {
    error = errno;
  }
  if (error == 0) error = copy_file(from, fd);
  if (error == 0 && ::ftruncate(fd, status.st_size) != 0) error = errno;
  if (error == 0) error = sync_descriptor(fd);
  if (::close(fd) != 0 && error == 0) error = errno;
  return error;
}

/// `old` could not be given back its place `to` if there is an error: then it gets a name that
/// stays, which is returned.
std::optional<fs::path> kept_after(int error, const fs::path& old, const fs::path& to) {
  if (error == 0) return std::nullopt;
  const fs::path kept = temporary_beside(to);
  return ::rename(old.c_str(), kept.c_str()) == 0 ? kept : old;
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

Error failed_write(const fs::path& path) {
  return cannot_write(
      path, errno_text(),
      errno == ENOSPC ? "Free some space or choose another location." : "Choose another location.");
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
  const auto number = number_in<int>(path.filename().string());
  return number && *number >= 0 ? number : std::nullopt;
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
  if (::getentropy(number.data(), sizeof number) != 0) throw failed_write(path);
  return path.parent_path() / fmt::format("{}.part-{:016x}{:016x}",
                                          path.filename().string().substr(0, kMostOfName),
                                          number[0], number[1]);
}

OutputTarget::OutputTarget(const fs::path& given) : path_(without_links(given)) {
  descriptor_ = output_descriptor(path_);
  stream_ = descriptor_.has_value();
  if (!stream_) look();
  refuse_input();
}

void OutputTarget::refuse_input() const {
  struct stat status {};
  const bool there =
      descriptor_ ? ::fstat(*descriptor_, &status) == 0 : ::stat(path_.c_str(), &status) == 0;
  if (!there || !S_ISREG(status.st_mode) || !is_input(status)) return;
  throw cannot_write(path_, "the command reads this file", "Choose another name.");
}

void OutputTarget::look() {
  struct stat status {};
  if (::stat(path_.c_str(), &status) != 0) {
    if (errno != ENOENT) throw failed_write(path_);
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
  if (fd < 0) throw failed_write(path_);
  return fd;
}

int OutputTarget::create(const fs::path& temporary, mode_t mode) const {
  constexpr mode_t kPrivate = S_IRUSR | S_IWUSR;  // until it gets that of the file it replaces
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        existing_ ? kPrivate : mode);
  if (fd < 0) throw failed_write(path_);
  struct stat status {};
  if (::fstat(fd, &status) == 0) note_own_file(status);
  return fd;
}

bool OutputTarget::take_over_attributes(int fd) const {
  struct stat own {};
  if (::fstat(fd, &own) != 0) return false;
  const bool mine = own.st_uid == existing_->owner && own.st_gid == existing_->group;
  return (mine || ::fchown(fd, existing_->owner, existing_->group) == 0) &&
         ::fchmod(fd, existing_->mode) == 0;
}

bool OutputTarget::can_be_replaced_by(const fs::path& temporary) const {
  const int fd = ::open(temporary.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  const bool same = fd >= 0 && existing_->links == 1 && take_over_attributes(fd);
  if (fd >= 0) ::close(fd);
  return same;
}

void OutputTarget::replace_by(const fs::path& temporary) const {
  refuse_input();
  if (!existing_ || can_be_replaced_by(temporary)) {
    if (::rename(temporary.c_str(), path_.c_str()) == 0) return;
    // A file that is mounted into a container cannot be replaced by another one, nor one on another
    // file system, where a link may have led.
    if (errno != EXDEV && (!existing_ || errno != EBUSY)) throw failed_write(path_);
  }
  existing_ ? overwrite_by(temporary) : move_in(temporary);
  ::unlink(temporary.c_str());
}

Undo OutputTarget::exchange_with(const fs::path& temporary) const {
  refuse_input();
  if (!existing_) return move_in(temporary);
  if (!can_be_replaced_by(temporary)) return overwrite_by(temporary);
  const int error = swap_names(temporary, path_);
  if (error == 0) return undo_of_swap(temporary, path_);
  if (error == EBUSY || error == EXDEV) return overwrite_by(temporary);
  errno = error;
  throw failed_write(path_);
}

/// To where nothing stands.
Undo OutputTarget::move_in(const fs::path& temporary) const {
  if (::rename(temporary.c_str(), path_.c_str()) == 0) {
    return [from = temporary, to = path_] {
      ::rename(to.c_str(), from.c_str());
      return std::nullopt;
    };
  }
  if (errno != EXDEV) throw failed_write(path_);
  write_file(path_, MappedFile(temporary).text());
  return [to = path_] {
    ::unlink(to.c_str());
    return std::nullopt;
  };
}

Undo OutputTarget::overwrite_by(const fs::path& temporary) const {
  // Until the end a copy of what is overwritten; it stays only if it cannot be written back.
  const std::shared_ptr<const Temporary> old =
      std::make_shared<const Temporary>(temporary_beside(temporary));
  const int fd = create(old->path(), S_IRUSR | S_IWUSR);
  int error = copy_file(path_, fd);
  if (::close(fd) != 0 && error == 0) error = errno;
  const bool copied = error == 0;
  if (copied) error = overwrite(path_, temporary);
  Undo undo = [old, to = path_] { return kept_after(overwrite(to, old->path()), old->path(), to); };
  if (error == 0) return undo;
  const std::optional<fs::path> kept = copied ? undo() : std::nullopt;
  errno = error;
  if (!kept) throw failed_write(path_);
  throw cannot_write(path_, errno_text(),
                     fmt::format("Its old content is in '{}'.", kept->string()));
}

Undo undo_of_swap(const fs::path& one, const fs::path& other) {
  return [=] { return kept_after(swap_names(one, other), one, other); };
}

int swap_names(const fs::path& one, const fs::path& other) {
  if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP) return errno;
  // A file system that cannot exchange names, such as NFS.
  const fs::path third = temporary_beside(one);
  const auto move = [](const fs::path& from, const fs::path& to) {
    return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
  };
  if (const int error = move(other, third)) return error;
  if (const int error = move(one, other)) {
    move(third, other);
    return error;
  }
  if (const int error = move(third, one)) {
    move(other, one);
    move(third, other);
    return error;
  }
  return 0;
}

int sync_descriptor(int fd) {
  return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

}  // namespace slackline

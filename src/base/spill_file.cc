#include "base/spill_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/file.h"

namespace slackline {
namespace {

Error cannot_keep(int error) {
  return Error("cannot keep intermediate results in a temporary file", std::strerror(error),
               "Set TMPDIR to a folder with more space, or allow more memory with --memory.");
}

}  // namespace

int nameless_file() {
  std::error_code missing;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(missing);
  if (missing) {
    errno = missing.value();
    return -1;
  }
  std::string name = folder / "slackline-XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd < 0 || ::unlink(name.c_str()) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

SpillFile::SpillFile() : fd_(nameless_file()) {
  if (fd_ < 0) throw cannot_keep(errno);
}

SpillFile::~SpillFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, size_);
  ::close(fd_);
}

void SpillFile::append(std::span<const std::byte> bytes) {
  expects(mapped_ == nullptr, "a mapped file is complete");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const int error = write_all(fd_, text); error != 0) throw cannot_keep(error);
  size_ += bytes.size();
}

std::span<const std::byte> SpillFile::map() {
  if (mapped_ == nullptr && size_ > 0) {
    void* mapped = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd_, 0);
    if (mapped == MAP_FAILED) throw cannot_keep(errno);
    mapped_ = mapped;
    ::madvise(mapped_, size_, MADV_SEQUENTIAL);  // advisory: reads are right without it
  }
  return {static_cast<const std::byte*>(mapped_), size_};
}

}  // namespace slackline

#include "raw_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace slackline::record {

namespace {

constexpr std::size_t kStepBytes = 256 * 1024;
// The first step is small: most threads of most jobs make few calls.
constexpr std::size_t kFirstStepBytes = 64 * 1024;
constexpr std::uint64_t kPageBytes = 4096;

/// Reserves the file's blocks up to `bytes`. Growing past RLIMIT_FSIZE would raise SIGXFSZ, whose
/// default kills the job, so the limit is asked first.
bool reserve_blocks(int fd, std::uint64_t from, std::uint64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      bytes > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
  const int error = posix_fallocate(fd, static_cast<off_t>(from), static_cast<off_t>(bytes - from));
  errno = error;
  return error == 0;
}

}  // namespace

bool RawFile::create(const char* path, const slk_raw_header& header) {
  fd_ = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd_ < 0) return false;
  const bool reserved = reserve_blocks(fd_, 0, kFirstStepBytes);
  void* at = reserved
                 ? mmap(nullptr, SLK_RAW_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0)
                 : MAP_FAILED;
  if (at == MAP_FAILED) {
    const int error = errno;
    close(fd_);
    unlink(path);
    errno = error;
    return false;
  }
  header_ = static_cast<slk_raw_header*>(at);
  std::memcpy(header_, &header, sizeof header);
  file_bytes_ = kFirstStepBytes;
  return map(SLK_RAW_HEADER_BYTES, kFirstStepBytes - SLK_RAW_HEADER_BYTES);
}

bool RawFile::map(std::uint64_t offset, std::size_t bytes) {
  // One populated mapping costs a few microseconds; a page fault for every 85 records costs more.
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_,
                  static_cast<off_t>(offset));
  if (at == MAP_FAILED) return false;
  const std::uint64_t cursor_offset =
      mapping_ == nullptr
          ? SLK_RAW_HEADER_BYTES
          : mapped_offset_ +
                static_cast<std::uint64_t>(reinterpret_cast<char*>(cursor_) - mapping_);
  if (mapping_ != nullptr) munmap(mapping_, mapped_bytes_);
  mapping_ = static_cast<char*>(at);
  mapped_bytes_ = bytes;
  mapped_offset_ = offset;
  cursor_ = reinterpret_cast<slk_record*>(mapping_ + (cursor_offset - offset));
  limit_ = cursor_ + (offset + bytes - cursor_offset) / sizeof(slk_record);
  ++window_;
  return true;
}

bool RawFile::advance_window(std::size_t slots) {
  const int saved_errno = errno;
  const std::uint64_t at =
      mapped_offset_ + static_cast<std::uint64_t>(reinterpret_cast<char*>(cursor_) - mapping_);
  const std::uint64_t start = at & ~(kPageBytes - 1);
  std::uint64_t end = file_bytes_;
  while (end < at + slots * sizeof(slk_record)) end += kStepBytes;
  const bool reserved = end == file_bytes_ || reserve_blocks(fd_, file_bytes_, end);
  if (reserved) file_bytes_ = end;
  full_ = !reserved || !map(start, static_cast<std::size_t>(end - start));
  errno = saved_errno;
  return !full_;
}

void RawFile::finish() {
  const std::uint64_t end =
      mapped_offset_ + static_cast<std::uint64_t>(reinterpret_cast<char*>(cursor_) - mapping_);
  // A page that lies partly beyond the end stays mapped and valid; whole pages beyond it do not,
  // so nothing may be written from here on.
  if (ftruncate(fd_, static_cast<off_t>(end)) != 0) return;
  full_ = true;
  limit_ = cursor_;
}

}  // namespace slackline::record

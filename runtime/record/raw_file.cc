#include "raw_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "clock.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace slackline::record {

namespace {

// The stage stays in the processor's second-level cache.
constexpr std::size_t kStageBytes = 64 * 1024;
constexpr std::size_t kStageSlots = kStageBytes / sizeof(slk_record);
constexpr std::size_t kMappedBytes = SLK_RAW_HEADER_BYTES + kStageBytes;

/// Growing past RLIMIT_FSIZE would raise SIGXFSZ, whose default kills the job.
bool may_grow_to(std::uint64_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  if (bytes <= limit.rlim_cur) return true;
  errno = EFBIG;
  return false;
}

/// The file's first part, with its blocks reserved: a later store into it can find no full disk.
void* map_front(int fd) {
  if (!may_grow_to(kMappedBytes)) return MAP_FAILED;
  const int error = posix_fallocate(fd, 0, kMappedBytes);
  if (error != 0) {
    errno = error;
    return MAP_FAILED;
  }
  void* at = mmap(nullptr, kMappedBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  // All pages at once cost less than fault by fault. Kernels before 5.14 refuse: no harm.
  if (at != MAP_FAILED) madvise(at, kMappedBytes, MADV_POPULATE_WRITE);
  return at;
}

}  // namespace

bool RawFile::create(const char* path, const slk_raw_header& header) {
  if (!file_.hold(open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600))) return false;
  const int fd = file_.number();
  void* at = fd < 0 ? MAP_FAILED : map_front(fd);
  if (at == MAP_FAILED) {
    const int error = errno;
    file_.close();
    unlink(path);
    errno = error;
    return false;
  }
  std::snprintf(path_, sizeof path_, "%s", path);
  header_ = static_cast<slk_raw_header*>(at);
  std::memcpy(header_, &header, sizeof header);
  header_->stage_bytes = kStageBytes;
  header_->appended_bytes = 0;
  mapped_ = reinterpret_cast<slk_record*>(static_cast<char*>(at) + SLK_RAW_HEADER_BYTES);
  stage_ = cursor_ = mapped_;
  limit_ = stage_ + kStageSlots;
  const char* const size_limit = std::getenv("SLACKLINE_SIZE_LIMIT");
  if (size_limit != nullptr) size_limit_ = std::strtoull(size_limit, nullptr, 10);
  return true;
}

/// The file's, opened again if the program has closed it; -1, with errno, where that cannot be.
int RawFile::descriptor() {
  const int held = file_.number();
  if (held >= 0 || *path_ == '\0') return held;
  const auto again =
      static_cast<int>(syscall(SYS_openat, AT_FDCWD, path_, O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0));
  return file_.hold_again(again) ? file_.number() : -1;
}

/// What is written but not counted in the header, because it failed half-way, is not there for the
/// reader and is overwritten by the next attempt.
bool RawFile::append(const void* data, std::size_t bytes) {
  std::uint64_t at = kMappedBytes + header_->appended_bytes;
  if (size_limit_ != 0 && at + bytes > size_limit_) {
    errno = EFBIG;
    return false;
  }
  if (!may_grow_to(at + bytes)) return false;
  const int fd = descriptor();
  if (fd < 0) return false;
  const char* from = static_cast<const char*>(data);
  for (std::size_t left = bytes; left > 0;) {
    // Not by pwrite(), after which the recorder would ask itself where the program blocks.
    const ssize_t n = syscall(SYS_pwrite64, fd, from, left, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = ENOSPC;
    if (n <= 0) return false;
    from += n;
    at += static_cast<std::uint64_t>(n);
    left -= static_cast<std::size_t>(n);
  }
  __atomic_store_n(&header_->appended_bytes, header_->appended_bytes + bytes, __ATOMIC_RELEASE);
  return true;
}

/// Memory for one record that is larger than the stage. calloc: its slots' ops must be 0.
bool RawFile::borrow(std::size_t slots) {
  auto* memory = static_cast<slk_record*>(std::calloc(slots, sizeof(slk_record)));
  if (memory == nullptr) return false;
  stage_ = cursor_ = memory;
  limit_ = memory + slots;
  return true;
}

bool RawFile::empty_stage(std::size_t slots) {
  const int saved_errno = errno;
  const std::uint64_t begin = now_ns();
  const std::uint64_t cpu_before = thread_cpu_time_ns();
  // A record that is being written now stands at the cursor and moves along.
  const slk_record open_head = cursor_ < limit_ ? *cursor_ : slk_record{};
  const auto used = static_cast<std::size_t>(cursor_ - stage_);
  full_ = used > 0 && !append(stage_, used * sizeof(slk_record));
  if (full_) error_ = errno;
  if (stage_ != mapped_) {
    std::free(stage_);
    stage_ = mapped_;
  } else if (!full_) {
    // From the front: once the first op is 0, the reader takes the stage for empty.
    __atomic_store_n(&stage_->op, std::uint8_t{0}, __ATOMIC_RELEASE);
    std::memset(static_cast<void*>(stage_), 0,
                (used + 1) * sizeof(slk_record) <= kStageBytes ? (used + 1) * sizeof(slk_record)
                                                               : kStageBytes);
  }
  cursor_ = stage_;
  limit_ = stage_ + kStageSlots;
  ++window_;
  if (!full_ && slots > kStageSlots && !borrow(slots)) refuse_all(ENOMEM);
  if (full_) {
    limit_ = cursor_;
  } else {
    if (slots < kStageSlots) note_written(begin);
    std::memcpy(static_cast<void*>(cursor_), &open_head, sizeof open_head);
  }
  writing_ns_ += thread_cpu_time_ns() - cpu_before;
  errno = saved_errno;
  return !full_;
}

/// The emptied stage begins with when that was done. Before the record that is being written, as
/// readers find the gap by the time.
void RawFile::note_written(std::uint64_t begin_ns) {
  *cursor_ = slk_record{begin_ns, now_ns(), 0, SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, 0};
  __atomic_store_n(&cursor_->op, std::uint8_t{SLK_REC_STAGE_WRITTEN}, __ATOMIC_RELEASE);
  ++cursor_;
}

void RawFile::finish() {
  if (!full_) empty_stage(1);
  full_ = true;
  limit_ = cursor_;
}

void RawFile::flush_to_disk() {
  if (header_ == nullptr) return;
  msync(header_, kMappedBytes, MS_SYNC);
  if (const int fd = descriptor(); fd >= 0) fsync(fd);
}

}  // namespace slackline::record

#include "online/shared_memory.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <limits>

#include "base/error.h"
#include "base/units.h"

namespace slackline::online {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kHeapBytes = std::uint64_t{1} << 34;   // of address space
constexpr std::uint64_t kHeapsBytes = std::uint64_t{1} << 45;  // of all ranks

std::uint64_t rounded(std::uint64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

[[noreturn]] void fail(std::int32_t ranks) {
  throw Error(fmt::format("cannot share memory with {} processes", ranks), std::strerror(errno),
              "Simulate fewer ranks, or raise the limits on address space (ulimit -v).");
}

std::atomic_ref<std::uint32_t> turn_of(slk_online_rank& rank) {
  return std::atomic_ref<std::uint32_t>(rank.turn);
}

}  // namespace

SharedMemory::SharedMemory(std::int32_t ranks, double seconds_per_cpu_ns) {
  first_ = rounded(sizeof(slk_online_file));
  stride_ = rounded(sizeof(slk_online_rank)) +
            std::min(kHeapBytes, rounded(kHeapsBytes / static_cast<std::uint64_t>(ranks)));
  bytes_ = first_ + static_cast<std::uint64_t>(ranks) * stride_;
  descriptor_ = memfd_create("slackline-online", 0);
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) fail(ranks);
  void* const memory =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (memory == MAP_FAILED) fail(ranks);
  memory_ = static_cast<std::byte*>(memory);
  auto* const file = reinterpret_cast<slk_online_file*>(memory_);
  file->magic = SLK_ONLINE_MAGIC;
  file->ranks = static_cast<std::uint64_t>(ranks);
  file->stride = stride_;
  file->first = first_;
  file->seconds_per_cpu_ns = seconds_per_cpu_ns;
  for (std::int32_t r = 0; r < ranks; ++r) rank(r).turn = 1;
}

SharedMemory::~SharedMemory() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

slk_online_file& SharedMemory::file() {
  return *reinterpret_cast<slk_online_file*>(memory_);
}

slk_online_rank& SharedMemory::rank(std::int32_t rank) {
  return *reinterpret_cast<slk_online_rank*>(
      at(first_ + static_cast<std::uint64_t>(rank) * stride_));
}

slk_online_block& SharedMemory::block(std::uint64_t offset) {
  return *reinterpret_cast<slk_online_block*>(at(offset));
}

void SharedMemory::resume(std::int32_t rank) {
  slk_online_rank& area = this->rank(rank);
  turn_of(area).store(1, std::memory_order_release);
  syscall(SYS_futex, &area.turn, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

bool SharedMemory::wait_for_call(std::int32_t rank, int milliseconds) {
  slk_online_rank& area = this->rank(rank);
  if (turn_of(area).load(std::memory_order_acquire) == 0) return true;
  constexpr long kNanosPerMilli = 1'000'000;
  const timespec limit{.tv_sec = 0, .tv_nsec = milliseconds * kNanosPerMilli};
  syscall(SYS_futex, &area.turn, FUTEX_WAIT, 1, &limit, nullptr, 0);
  return turn_of(area).load(std::memory_order_acquire) == 0;
}

namespace {

constexpr FindingKind kFolded{
    "folded_memory", Severity::notice,
    "Large allocations of all ranks shared one copy in memory. What the program computed and "
    "printed from them is wrong on purpose, and they were read from the processor's caches."};
constexpr FindingKind kNotFolded{
    "memory_not_folded", Severity::notice,
    "Allocations that should have shared one copy in memory have memory of their own: no address "
    "space or mapping was left for them."};

[[noreturn]] void fail() {
  throw Error("cannot share memory with the program", std::strerror(errno),
              "Close other programs.");
}

}  // namespace

FoldedMemory::FoldedMemory(std::optional<std::uint64_t> threshold, std::uint64_t own_bytes) {
  descriptor_ = memfd_create("slackline-fold", 0);
  if (descriptor_ < 0 || ftruncate(descriptor_, SLK_FOLD_FIRST + SLK_FOLD_BYTES) != 0) fail();
  void* const memory =
      mmap(nullptr, SLK_FOLD_FIRST, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) fail();
  file_ = static_cast<slk_fold_file*>(memory);
  file_->threshold = threshold.value_or(std::numeric_limits<std::uint64_t>::max());
  file_->own_bytes = own_bytes;
  file_->magic = SLK_FOLD_MAGIC;
}

FoldedMemory::~FoldedMemory() {
  if (file_ != nullptr) munmap(file_, SLK_FOLD_FIRST);
  if (descriptor_ >= 0) close(descriptor_);
}

void FoldedMemory::note(Findings& findings) const {
  if (file_->failed > 0) findings.add(kNotFolded, {}, file_->failed);
  if (file_->allocations == 0) return;
  findings.add(kFolded,
               fmt::format("{} allocations, {} at a time", format_count(file_->allocations),
                           format_bytes(static_cast<double>(file_->most_bytes))),
               file_->allocations);
}

}  // namespace slackline::online

#include "online/folded_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/units.h"

namespace slackline::online {
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

FoldedMemory::FoldedMemory(std::optional<std::uint64_t> threshold) {
  descriptor_ = memfd_create("slackline-fold", 0);
  if (descriptor_ < 0 || ftruncate(descriptor_, SLK_FOLD_FIRST + SLK_FOLD_BYTES) != 0) fail();
  void* const memory =
      mmap(nullptr, SLK_FOLD_FIRST, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) fail();
  file_ = static_cast<slk_fold_file*>(memory);
  file_->threshold = threshold.value_or(std::numeric_limits<std::uint64_t>::max());
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

#pragma once

#include <cstdint>
#include <optional>

#include "base/findings.h"
#include "trace/online_wire.h"

namespace slackline::online {

/// The one copy in memory of all that the ranks' processes fold (runtime/online/fold.h). Without a
/// name: it is gone with the last process that has it open.
class FoldedMemory {
 public:
  /// Allocations of `threshold` bytes or more are folded; without one those that the program asks
  /// to be. Throws Error when the system has no descriptors or address space left.
  explicit FoldedMemory(std::optional<std::uint64_t> threshold);
  ~FoldedMemory();
  FoldedMemory(const FoldedMemory&) = delete;
  FoldedMemory& operator=(const FoldedMemory&) = delete;

  /// For the children, which inherit it.
  int descriptor() const { return descriptor_; }
  void note(Findings& findings) const;

 private:
  int descriptor_ = -1;
  slk_fold_file* file_ = nullptr;
};

}  // namespace slackline::online

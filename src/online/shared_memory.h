#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/findings.h"
#include "trace/online_wire.h"

namespace slackline::online {

/// The memory in which the simulator and the ranks' processes meet (trace/online_wire.h). Without a
/// name: it is gone with the last process that has it open.
class SharedMemory {
 public:
  /// Throws Error when the system has no address space or descriptors left. Pages cost memory when
  /// they are first written.
  SharedMemory(std::int32_t ranks, double seconds_per_cpu_ns);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// For the children, which inherit it.
  int descriptor() const { return descriptor_; }
  std::uint64_t bytes() const { return bytes_; }
  slk_online_file& file();
  slk_online_rank& rank(std::int32_t rank);
  slk_online_block& block(std::uint64_t offset);

  /// The process of that rank goes on.
  void resume(std::int32_t rank);
  /// Waits until the process of that rank has handed over a call, or `milliseconds` have passed;
  /// returns whether it has.
  bool wait_for_call(std::int32_t rank, int milliseconds);

 private:
  std::byte* at(std::uint64_t offset) { return memory_ + offset; }

  int descriptor_ = -1;
  std::byte* memory_ = nullptr;
  std::uint64_t bytes_ = 0, first_ = 0, stride_ = 0;
};

/// The one copy in memory of all that the ranks' processes fold (runtime/online/fold.h). Without a
/// name: it is gone with the last process that has it open.
class FoldedMemory {
 public:
  /// Allocations of `threshold` bytes or more are folded, once a rank has `own_bytes` in such of
  /// its own; without a threshold those that the program asks to be. Throws Error when the system
  /// has no descriptors or address space left.
  explicit FoldedMemory(std::optional<std::uint64_t> threshold, std::uint64_t own_bytes = 0);
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

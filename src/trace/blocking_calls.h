#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/call_tree.h"
#include "trace/sample_wire.h"

namespace slackline {

/// What a thread waits for in a function that may block, outside of MPI.
enum class BlockingKind : std::uint8_t {
  io = SLK_BLOCKING_IO,            ///< files, whether the call blocks or copies
  sleep = SLK_BLOCKING_SLEEP,      ///< time
  lock = SLK_BLOCKING_LOCK,        ///< another thread
  process = SLK_BLOCKING_PROCESS,  ///< another process: sockets, pipes, children, signals
  device = SLK_BLOCKING_DEVICE     ///< a GPU or the like, blocked or polling
};
inline constexpr std::array<std::string_view, 6> kBlockingKindNames{"",     "io",      "sleep",
                                                                    "lock", "process", "device"};
constexpr std::string_view to_string(BlockingKind kind) {
  return kBlockingKindNames[static_cast<std::size_t>(kind)];
}
constexpr bool is_blocking_kind(std::int64_t number) {
  return number > 0 && number < static_cast<std::int64_t>(kBlockingKindNames.size());
}

/// A rank's calls of one such function from one place, about one file, in the whole recording. What
/// is neither I/O nor a wait for a device counts only where it blocked.
struct BlockingCalls {
  BlockingKind kind = BlockingKind::io;
  std::string function{};  ///< "write"
  std::string file{};      ///< its path; empty: none, or not known
  FrameId frame = 0;       ///< that called it; 0 unknown
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;      ///< read or written
  std::int64_t time_ns = 0;     ///< in the calls
  std::int64_t blocked_ns = 0;  ///< of that, off the processor of its own accord
  bool operator==(const BlockingCalls&) const = default;
};

}  // namespace slackline

#ifndef SLACKLINE_RUNTIME_RECORD_MEMORY_READER_H
#define SLACKLINE_RUNTIME_RECORD_MEMORY_READER_H

#include <cstddef>
#include <cstdint>

namespace slackline::record {

/// Reads memory of this process at addresses that may be wrong. Async-signal-safe.
///
/// The system is asked whether a page can be read, once a page: 0.1 us or more. So a reader is for
/// one moment only, in which no other thread unmaps what the addresses may lead to.
class MemoryReader {
 public:
  /// False if it cannot all be read.
  bool read(std::uint64_t from, void* into, std::size_t bytes);
  /// Whether the system's answers can be trusted here.
  static bool usable();

 private:
  static constexpr std::size_t kPages = 16;
  bool is_readable(std::uint64_t page);

  std::uint64_t pages_[kPages] = {};  // that were found readable
};

}  // namespace slackline::record

#endif

#ifndef SLACKLINE_RUNTIME_RECORD_RAW_FILE_H
#define SLACKLINE_RUNTIME_RECORD_RAW_FILE_H

#include <cstddef>
#include <cstdint>

#include "trace/wire.h"

namespace slackline::record {

/// The mapped file that one thread records into.
///
/// The problem: what was recorded must survive `kill -9`, MPI_Abort and a missing MPI_Finalize,
/// cost a few tens of nanoseconds a call, and never harm the job, whatever the disk does. The
/// idea: records are written straight into a shared mapping, which belongs to the kernel's page
/// cache the moment a store is done. Only a window of the file is mapped; it moves forward in
/// steps of 256 KiB. Every step is reserved with posix_fallocate before it is mapped, because a
/// full disk would otherwise show as SIGBUS in the middle of the job; when the reservation fails,
/// recording stops and the calls that follow are only counted.
///
/// A record is published by storing its `op` last. Stores of one thread reach the page cache in
/// program order when the process dies, so that a reader never sees a half-written record.
class RawFile {
 public:
  /// Creates the file with its header. False on failure, with errno set; EEXIST if there is one.
  bool create(const char* path, const slk_raw_header& header);

  slk_raw_header& header() { return *header_; }
  /// Where the next record goes; at least kSlack slots are mapped there unless full().
  slk_record* head() const { return cursor_; }
  bool full() const { return full_; }

  /// Makes sure that `slots` slots from head() on are mapped. May move head(). False when full.
  bool reserve(std::size_t slots) {
    return cursor_ + slots <= limit_ || (!full_ && advance_window(slots));
  }
  void advance(std::size_t slots) { cursor_ += slots; }
  /// Counts the moves of the window: pointers taken before one are void.
  std::uint32_t window() const { return window_; }

  /// From here on nothing is kept; for a thread that could get no file.
  void refuse_all() { full_ = true; }
  /// Cuts the file to what was written. The mapping stays (a late thread must not crash).
  void finish();

 private:
  bool advance_window(std::size_t slots);
  bool map(std::uint64_t offset, std::size_t bytes);

  slk_record* cursor_ = nullptr;
  slk_record* limit_ = nullptr;
  slk_raw_header* header_ = nullptr;
  char* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::uint64_t mapped_offset_ = 0;  // in the file; page aligned
  std::uint64_t file_bytes_ = 0;     // reserved so far
  std::uint32_t window_ = 0;
  int fd_ = -1;
  bool full_ = false;
};

}  // namespace slackline::record

#endif

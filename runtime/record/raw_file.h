#ifndef SLACKLINE_RUNTIME_RECORD_RAW_FILE_H
#define SLACKLINE_RUNTIME_RECORD_RAW_FILE_H

#include <climits>
#include <cstddef>
#include <cstdint>

#include "descriptor.h"
#include "trace/wire.h"

namespace slackline::record {

/// The file that one thread records into.
///
/// The problem: what was recorded must survive `kill -9`, MPI_Abort and a missing MPI_Finalize,
/// cost a few tens of nanoseconds a call, and never harm the job, whatever the disk does. The
/// idea: the first 64 KiB after the header are mapped and shared, and records are written there; a
/// store into them belongs to the kernel's page cache the moment it is done. When this stage is
/// full, it is appended to the file by one pwrite and used again. Its pages stay mapped, dirty and
/// in the processor's cache: growing a mapping instead costs a page fault and a block allocation
/// for every 85 records, which is as much as all the rest. And a full disk shows as an error of
/// pwrite, not as SIGBUS in the middle of the job; recording then stops and calls are only counted.
/// Where the program has closed the file, it is opened again.
///
/// A record is published by storing its `op` last. Stores of one thread reach the page cache in
/// program order when the process dies, so that a reader never sees a half-written record. A death
/// between the pwrite and the clearing of the stage leaves the same records in both; the reader
/// notices, because they are equal to the last bit.
class RawFile {
 public:
  /// Creates the file with its header. False on failure, with errno set; EEXIST if there is one.
  /// Beyond SLACKLINE_SIZE_LIMIT bytes, if that is in the environment, it is like a full disk.
  bool create(const char* path, const slk_raw_header& header);

  slk_raw_header& header() { return *header_; }
  /// Where the next record goes; after reserve(n) there are n slots.
  slk_record* head() const { return cursor_; }
  bool full() const { return full_; }
  /// Why nothing more can be written: errno; EFBIG if it was the size limit. 0: it can.
  int error() const { return error_; }

  /// Makes room for `slots` slots from head() on, of which the first may be in use. May move
  /// head(). False when the disk is full. A record larger than the stage is built in
  /// borrowed memory, and is safe only once the next one is begun.
  bool reserve(std::size_t slots) {
    return cursor_ + slots <= limit_ || (!full_ && empty_stage(slots));
  }
  void advance(std::size_t slots) { cursor_ += slots; }
  /// Counts the times the stage was emptied: pointers taken before one are void.
  std::uint32_t window() const { return window_; }
  /// CPU time spent on emptying the stage so far.
  std::uint64_t writing_ns() const { return writing_ns_; }

  /// From here on nothing is kept; for a thread that could get no file.
  void refuse_all(int error) {
    full_ = true;
    error_ = error;
  }
  /// Writes what is in the stage; nothing may be recorded after that.
  void finish();
  /// Sends what the file holds to where other hosts read it from. May wait for the disk.
  void flush_to_disk();

 private:
  bool empty_stage(std::size_t slots);
  bool append(const void* data, std::size_t bytes);
  int descriptor();
  bool borrow(std::size_t slots);
  void note_written(std::uint64_t begin_ns);

  slk_record* cursor_ = nullptr;
  slk_record* limit_ = nullptr;
  slk_record* stage_ = nullptr;   // where records go now: the mapping, or borrowed memory
  slk_record* mapped_ = nullptr;  // the stage in the file
  slk_raw_header* header_ = nullptr;
  std::uint64_t size_limit_ = 0;  // in bytes; 0: none
  std::uint32_t window_ = 0;
  std::uint64_t writing_ns_ = 0;
  Descriptor file_;
  int error_ = 0;
  bool full_ = false;
  char path_[PATH_MAX] = "";  // not allocated: threads may record until the process ends
};

}  // namespace slackline::record

#endif

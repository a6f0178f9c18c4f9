#ifndef SLACKLINE_RUNTIME_RECORD_HARDWARE_COUNTERS_H
#define SLACKLINE_RUNTIME_RECORD_HARDWARE_COUNTERS_H

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>

#include "trace/wire.h"

namespace slackline::record {

/// The processor's counters of one thread, of its own code outside of the kernel, read without a
/// system call (rdpmc; perf_event_open(2) has the protocol).
class HardwareCounters {
 public:
  /// To be called by the thread itself, again when another one takes over. What the machine does
  /// not give, or not to be read from user space, is missing().
  void open();
  bool any() const { return known_ != 0; }
  /// A bit for each enum slk_counter that is read.
  std::uint32_t known() const { return known_; }
  std::uint32_t missing() const { return missing_; }
  /// The number of the error by which the first of missing() failed.
  int missing_reason() const { return missing_reason_; }

  /// Notes the counters now, without a system call where the kernel permits it.
  void start();
  /// What counter `i` (from SLK_SYSTEM_COUNTERS) has gained since start().
  std::uint64_t gained(std::size_t i) const;

 private:
  static constexpr std::size_t kCount = SLK_COUNTER_COUNT - SLK_SYSTEM_COUNTERS;
  bool open_event(std::size_t i, int leader, int& fd);
  std::uint64_t read(std::size_t i) const;

  const volatile perf_event_mmap_page* page_[kCount] = {};
  std::uint64_t from_[kCount] = {};
  std::uint32_t known_ = 0;
  std::uint32_t missing_ = 0;
  int missing_reason_ = 0;
};

}  // namespace slackline::record

#endif

#ifndef SLACKLINE_RUNTIME_RECORD_BLOCKING_CALLS_H
#define SLACKLINE_RUNTIME_RECORD_BLOCKING_CALLS_H

#include <cstddef>
#include <cstdint>

#include "blocking.h"
#include "stack_walk.h"

namespace slackline::record {

/// A call that has returned.
struct BlockingCall {
  const slk_blocking_function* function;
  const std::uint64_t* frame;
  const char* file;  ///< of file_of_call(); nullptr: not looked up, "": none
  std::int64_t bytes;
  std::int64_t time_ns;
  std::int64_t blocked_ns;
  std::uint32_t kind;  ///< enum slk_blocking
};

/// Whether calls of that kind count even if they do not block: I/O copies, waits for devices poll.
inline bool uses_processor(unsigned kind) {
  const unsigned of = kind & SLK_BLOCKING_KINDS;
  return of == SLK_BLOCKING_IO || of == SLK_BLOCKING_DEVICE;
}

/// The path of the file behind a descriptor, which lives as long as the process; of a socket or a
/// pipe only what it is. As found by the last call about that descriptor; by the system, which
/// takes some 1 us, for the first one and with `again`. "": unknown. nullptr: not known and not
/// asked for, because the descriptor is being closed. Takes no memory and may be called in signal
/// handlers.
const char* file_of_call(const slk_blocking_function& function, int descriptor, bool again);

/// Whether it needs not be asked for.
bool knows_file(int descriptor);

/// The calls of one thread, added up by place, function and file. Made of zeros, which are pages
/// that cost nothing before they are used.
class BlockingCalls {
 public:
  /// All those of one place, function and file.
  struct Sum {
    const slk_blocking_function* function;
    const char* file;
    std::uint32_t path;  ///< of the samples' file
    std::uint32_t kind;
    // Since it was last written.
    std::int64_t calls;
    std::int64_t bytes;
    std::int64_t time_ns;
    std::int64_t blocked_ns;
    std::int64_t written_ns;  ///< the time before

    void add(const BlockingCall& call) {
      ++calls;
      bytes += call.bytes > 0 ? call.bytes : 0;
      time_ns += call.time_ns;
      blocked_ns += call.blocked_ns;
    }
    /// Each writing has an eighth of all time, so that there are few, and a rank that dies loses
    /// little.
    bool is_due() const { return time_ns >= kShortestNs && time_ns >= written_ns / 8; }
  };
  /// Calls that take longer are looked at each for themselves.
  static constexpr std::int64_t kShortestNs = 1'000'000;

  /// Adds a short call to those that were made on the same call path before. False: there was none,
  /// the path is deep, or they are to be written.
  bool add_again(const BlockingCall& call) {
    Recent& recent = recent_of(call);
    const bool known = recent.sum != nullptr && recent.function == call.function &&
                       recent.file == call.file && recent.frame == call.frame &&
                       recent.return_address == call.frame[1] && recent.is_on_stack() &&
                       !recent.sum->is_due();
    if (known) recent.sum->add(call);
    return known;
  }
  /// Adds a call that was made from the path of that number, which `walk` found.
  Sum& add(const BlockingCall& call, const StackWalk& walk, std::uint32_t path);
  /// Paths have other numbers from here on.
  void forget_recent();
  Sum* begin() { return sums_; }
  Sum* end() { return sums_ + count_; }

 private:
  static constexpr std::size_t kMost = 4096;
  static constexpr std::size_t kBuckets = 2 * kMost;
  static constexpr std::size_t kRecent = 256;
  static constexpr std::size_t kMostWords = 27;

  struct Recent {
    /// In this order: each word may be read only because those before it are unchanged.
    bool is_on_stack() const {
      for (std::size_t i = 0; i < word_count; ++i) {
        if (*words[i].at != words[i].value) return false;
      }
      return true;
    }

    const slk_blocking_function* function;
    const char* file;
    const std::uint64_t* frame;
    std::uint64_t return_address;
    Sum* sum;
    std::size_t word_count;
    StackWord words[kMostWords];
  };
  Recent& recent_of(const BlockingCall& call) {
    const std::uint64_t key = reinterpret_cast<std::uint64_t>(call.frame) ^ call.frame[1] ^
                              reinterpret_cast<std::uint64_t>(call.file);
    return recent_[(key * 0x9e3779b97f4a7c15u) >> 56];
  }
  Sum& sum_of(const BlockingCall& call, std::uint32_t path);

  Recent recent_[kRecent];
  std::uint16_t buckets_[kBuckets];  ///< one more than the index of the sum
  Sum sums_[kMost];
  std::size_t count_;
};

}  // namespace slackline::record

#endif

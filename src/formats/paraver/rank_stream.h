#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "calls/call_matching.h"
#include "formats/paraver/record_block.h"
#include "trace/trace.h"

namespace slackline::paraver {

/// What all streams share.
struct WriterContext {
  const Trace& trace;
  const CallMatching& matching;
  std::int64_t zero_ns = 0;  ///< subtracted from every time
};

/// The thread of a rank whose records a stream has. The first one also tells of states, regions and
/// pauses.
struct StreamThread {
  std::int32_t rank;
  std::uint16_t thread;
};

/// Where a thread's records go on: before a step, of which there is one for the rank's start (0),
/// one for each call i (1 + i; those of other threads are empty), and one for its end.
struct StreamPosition {
  std::uint64_t step = 0;
  std::size_t next_region = 0;
  std::size_t next_pause = 0;
  std::int64_t last_end = 0;
};

/// For each of `places`, in order, a position such that no record before it is at the place or
/// behind. Formats nothing; linear in the rank's calls.
std::vector<StreamPosition> stream_positions(const RankCalls& calls, std::uint16_t thread,
                                             std::span<const RecordPlace> places);

/// Makes the records of one thread from a position on.
class RankStream {
 public:
  RankStream(const WriterContext& context, StreamThread which, const StreamPosition& from,
             RecordBlock& block);

  /// Until the block keeps no more. It has begun this thread.
  void make();

 private:
  bool present() const;
  void step();
  void begin();
  void gap(std::size_t i);
  void call(std::size_t i);
  void finish();
  void state(std::int64_t begin, std::int64_t end, std::int64_t state);
  char* open_event(std::int64_t time, std::size_t more_pairs = 0);
  char* collective(char* to, const Call& call) const;
  void messages(std::size_t i, const Call& call);
  void message(const MessageCalls& message, std::int32_t tag, const Call& call);
  char* counters(char* to, std::size_t gap) const;

  const WriterContext& context_;
  const RankCalls& calls_;
  std::int32_t rank_;
  std::uint16_t thread_;
  StreamPosition at_;
  RecordBlock& block_;
  std::span<const MessageCalls> messages_;  // that calls from here on send
};

}  // namespace slackline::paraver

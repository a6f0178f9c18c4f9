#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/message_pairs.h"
#include "trace/trace.h"
#include "trace/writers/paraver/record_block.h"

namespace slackline::paraver {

/// A message in the order of its source: where its receive is.
struct Outgoing {
  std::uint32_t send;  ///< call of the source
  std::int32_t destination;
  const MessagePair* pair;
};

/// What all streams share.
struct WriterContext {
  const Trace& trace;
  std::int64_t zero_ns = 0;                     ///< subtracted from every time
  std::vector<std::vector<Outgoing>> outgoing;  ///< by source, in order of `send`
};

/// The records of one thread of a rank, in order of time, made some calls at a time. The first
/// thread also tells of states, regions and pauses.
class RankStream {
 public:
  /// About `block_bytes` of text are made at a time.
  RankStream(const WriterContext& context, std::int32_t rank, std::uint16_t thread,
             std::size_t block_bytes);

  /// Is there a record? Then its time is good.
  bool has_record();
  std::int64_t time() const { return block_.time(); }
  /// The text of the record at time(), and of those behind it that are made and begin before
  /// `until`. Good until has_record() is called.
  std::string_view take(std::int64_t until) { return block_.take(until); }

 private:
  bool present() const;
  void refill();
  void begin();
  void gap(std::size_t i);
  void call(std::size_t i);
  void finish();
  void state(std::int64_t begin, std::int64_t end, int state);
  void open_event(std::int64_t time);
  void pair(std::int64_t type, std::int64_t value);
  void collective(const Call& call);
  void messages(std::size_t i, const Call& call);
  void counters(std::size_t gap);

  const WriterContext& context_;
  const RankCalls& calls_;
  std::int32_t rank_;
  std::uint16_t thread_;
  std::size_t block_bytes_;
  RecordBlock block_;
  std::size_t next_call_ = 0;
  std::size_t next_message_ = 0;
  std::size_t next_region_ = 0;
  std::size_t next_pause_ = 0;
  std::int64_t last_end_ = 0;
  bool begun_ = false;
  bool finished_ = false;
};

}  // namespace slackline::paraver

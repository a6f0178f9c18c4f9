#include "page/chunks.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/parallel.h"

// Every column is written by itself and all are joined at the end: like stands beside like, which
// is what makes them small when compressed. Numbers are differences to what they mostly resemble (a
// peer to the rank, a sending call to the receiving one), so that ranks and steps that do the same
// give the same bytes.

namespace slackline {
namespace {

constexpr std::size_t kCallsInChunk = 32 * 1024;
constexpr std::size_t kSamplesOfChunk = 256;

struct CallRange {
  std::size_t first;
  std::size_t last;
};

/// Calls that begin before `to_ns` and end at `from_ns` or later.
CallRange overlapping(const RowTimes& times, std::int64_t from_ns, std::int64_t to_ns) {
  std::size_t first = times.first_from(from_ns);
  while (first > 0 && times.end_ns(first - 1) >= from_ns) --first;
  return {first, std::max(first, times.first_from(to_ns))};
}

std::vector<std::int64_t> borders_of(const RunTimes& times) {
  std::size_t calls = 0;
  for (const RowTimes& rank : times.ranks) calls += rank.size();
  const std::size_t chunks = std::max<std::size_t>(1, calls / kCallsInChunk);
  std::vector<std::int64_t> borders{0};
  if (chunks > 1) {
    const std::size_t stride = std::max<std::size_t>(1, calls / (chunks * kSamplesOfChunk));
    std::vector<std::int64_t> samples;
    for (const RowTimes& rank : times.ranks) {
      for (std::size_t i = stride / 2; i < rank.size(); i += stride) {
        samples.push_back(rank.begin_ns(i));
      }
    }
    std::ranges::sort(samples);
    for (std::size_t c = 1; c < chunks && !samples.empty(); ++c) {
      const std::int64_t border = samples[samples.size() * c / chunks];
      if (border > borders.back()) borders.push_back(border);
    }
  }
  borders.push_back(std::max(borders.back(), times.span_ns) + 1);
  return borders;
}

std::uint64_t peer_code(std::int32_t peer, std::int32_t rank) {
  if (peer == kPeerNone) return 0;
  return peer < 0 ? 1 : 2 + ByteColumn::zigzagged(std::int64_t{peer} - rank);
}

/// The columns, in their order.
enum Which : std::size_t {
  count,
  first,
  gap,
  duration,
  operation,
  peer,
  bytes,
  wait,
  wait_length,
  wait_cause,
  received,
  source,
  send,
  collective,
  changes,
  change,
  path,
  columns
};

class Columns {
 public:
  Columns(const RunRows& rows, const CallMatching* matching, TickScale ticks, std::int64_t from_ns,
          std::int64_t to_ns)
      : rows_(rows), matching_(matching), ticks_(ticks), from_ns_(from_ns), to_ns_(to_ns) {}

  void add_rank(std::int32_t rank) {
    const auto index = static_cast<std::size_t>(rank);
    const RowTimes& times = rows_.times.ranks[index];
    const CallRange range = overlapping(times, from_ns_, to_ns_);
    calls_ += range.last - range.first;
    column_[count].varint(range.last - range.first);
    column_[first].varint(range.first);
    add_times(times, range);
    if (matching_ == nullptr) return;
    add_calls(rows_.trace.calls(rank), rank, range);
    add_waits(index, rank, range);
    add_partners(rank, range);
    if (rows_.with_regions) add_changes(rows_.paths[index]);
  }

  std::uint64_t calls() const { return calls_; }
  std::string joined() const {
    std::string all;
    for (const ByteColumn& column : column_) all += column.bytes();
    return all;
  }

 private:
  void add_times(const RowTimes& times, CallRange range) {
    std::uint64_t last = ticks_(from_ns_);
    for (std::size_t i = range.first; i < range.last; ++i) {
      const std::uint64_t begin = ticks_(times.begin_ns(i));
      const std::uint64_t end = std::max(begin, ticks_(times.end_ns(i)));
      column_[gap].zigzag(static_cast<std::int64_t>(begin - last));
      column_[duration].varint(end - begin);
      last = end;
    }
  }

  void add_calls(const RankCalls& calls, std::int32_t rank, CallRange range) {
    for (std::size_t i = range.first; i < range.last; ++i) {
      const Call call = calls[i];
      column_[operation].u8(rows_.codes.operation(call.operation));
      column_[peer].varint(peer_code(call.peer, rank));
      column_[bytes].varint(call.bytes);
    }
  }

  void add_waits(std::size_t index, std::int32_t rank, CallRange range) {
    static const std::vector<WaitState> kNone;
    const auto& waits = rows_.waits.empty() ? kNone : rows_.waits[index];
    auto next = std::ranges::lower_bound(waits, range.first, {}, &WaitState::call);
    for (std::size_t i = range.first; i < range.last; ++i) {
      if (next == waits.end() || next->call != i) {
        column_[wait].u8(0);
        continue;
      }
      column_[wait].u8(rows_.codes.pattern(next->pattern));
      column_[wait_length].varint(ticks_(next->wait_ns));
      column_[wait_cause].varint(
          next->cause_rank < 0 ? 0
                               : 1 + ByteColumn::zigzagged(std::int64_t{next->cause_rank} - rank));
      while (next != waits.end() && next->call == i) ++next;
    }
  }

  void add_partners(std::int32_t rank, CallRange range) {
    using Kind = CallMatching::Completion::Kind;
    std::int64_t last_collective = 0;
    for (std::size_t i = range.first; i < range.last; ++i) {
      const auto call = static_cast<CallIndex>(i);
      std::uint64_t messages = 0;
      std::uint64_t collective_code = 0;
      matching_->for_completions(rank, call, [&](const CallMatching::Completion& c) {
        if (c.kind == Kind::incoming) {
          const MessageCalls& m = matching_->message(c.id);
          ++messages;
          column_[source].zigzag(std::int64_t{m.source} - rank);
          column_[send].zigzag(std::int64_t{m.send} - static_cast<std::int64_t>(i));
        } else if (c.kind == Kind::collective) {
          collective_code = 1 + ByteColumn::zigzagged(std::int64_t{c.id} - last_collective);
          last_collective = c.id;
        }
      });
      column_[received].varint(messages);
      column_[collective].varint(collective_code);
    }
  }

  void add_changes(const std::vector<PathChange>& all) {
    auto next = std::ranges::upper_bound(all, from_ns_, {}, &PathChange::at_ns);
    const PathId before = next == all.begin() ? PathId{0} : std::prev(next)->path;
    const auto last = std::ranges::lower_bound(all, to_ns_, {}, &PathChange::at_ns);
    const auto inside = static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(0, last - next));
    column_[changes].varint(1 + inside);
    column_[change].varint(0);
    column_[path].varint(before);
    std::uint64_t at = ticks_(from_ns_);
    for (; next < last; ++next) {
      column_[change].varint(ticks_(next->at_ns) - at);
      column_[path].varint(next->path);
      at = ticks_(next->at_ns);
    }
  }

  const RunRows& rows_;
  const CallMatching* matching_;
  TickScale ticks_;
  std::int64_t from_ns_, to_ns_;
  std::uint64_t calls_ = 0;
  std::array<ByteColumn, columns> column_;
};

}  // namespace

ChunkWriter::ChunkWriter(const RunRows& rows, const CallMatching* matching)
    : rows_(rows), matching_(matching), borders_ns_(borders_of(rows.times)) {}

Timeline::Chunk ChunkWriter::chunk(std::size_t which, TickScale ticks) const {
  Columns columns(rows_, matching_, ticks, borders_ns_[which], borders_ns_[which + 1]);
  for (std::int32_t r = 0; r < rows_.trace.ranks(); ++r) columns.add_rank(r);
  return {ticks(borders_ns_[which]), ticks(borders_ns_[which + 1]), columns.calls(),
          compress(columns.joined())};
}

std::vector<Timeline::Chunk> ChunkWriter::all(TickScale ticks) const {
  std::vector<Timeline::Chunk> all(chunks());
  parallel_for(all.size(), [&](std::size_t i) { all[i] = chunk(i, ticks); });
  return all;
}

}  // namespace slackline

#include "page/levels.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"

// Every column is written by itself and all are joined at the end: like stands beside like, which
// is what makes them small when compressed. Numbers are differences to what they mostly resemble (a
// peer to the rank, a sending call to the receiving one), so that ranks and steps that do the same
// give the same bytes.
//
// Times are what is left. Those of one operation are of one size and stand together, their low
// bytes apart from the rest. When a call ends follows from others: the members of a collective end
// at about the same time, and a receive some time after its message was sent. So an end is the
// difference to what is expected from the ranks before this one.

namespace slackline {
namespace {

constexpr std::size_t kCallsInChunk = 32 * 1024;
constexpr std::size_t kSamplesOfChunk = 256;
constexpr std::size_t kOffsetBetweenRanks = 7919;  // a prime

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
    // Not the same calls of every rank: those begin at the same time.
    std::size_t offset = 0;
    for (const RowTimes& rank : times.ranks) {
      offset = (offset + kOffsetBetweenRanks) % stride;
      for (std::size_t i = offset; i < rank.size(); i += stride) {
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
  operation,
  received,
  source,
  send,
  collective,
  gap,
  gap_high,
  end,
  end_high,
  peer,
  bytes,
  wait,
  wait_rest,
  wait_cause,
  changes,
  change,
  path,
  call_path,
  gap_path,
  last_path,
  ipc,
  pauses,
  pause,
  pause_length,
  pause_kind,
  recording,
  other_thread,
  columns
};

class Columns {
 public:
  Columns(const RunRows& rows, const RunTimes* first_run, TickScale ticks, std::int64_t from_ns,
          std::int64_t to_ns)
      : rows_(rows), first_run_(first_run), ticks_(ticks), from_ns_(from_ns), to_ns_(to_ns) {
    timed_.resize(rows.calls.operations().size());
  }

  void add_rank(std::int32_t rank) {
    const auto index = static_cast<std::size_t>(rank);
    const RowTimes& times = rows_.times.ranks[index];
    const CallRange range = overlapping(times, from_ns_, to_ns_);
    ranges_.push_back(range);
    calls_ += range.last - range.first;
    column_[count].varint(range.last - range.first);
    column_[first].varint(range.first);
    add_times(rank, range);
    if (first_run_ != nullptr) return;
    add_calls(rank, range);
    add_waits(index, rank, range);
    if (rows_.calls.has_functions()) {
      add_functions(rank, range);
    } else if (rows_.with_regions) {
      add_changes(rows_.paths[index]);
    }
    if (rows_.calls.has_pauses()) add_pauses(rank, range);
    if (rows_.calls.has_threads()) add_threads(rank, range);
  }

  std::uint64_t calls() const { return calls_; }
  std::string joined() const {
    std::string all;
    all.reserve(size());
    for (std::size_t which = 0; which < columns; ++which) {
      all += column_[which].bytes();
      for (const auto& of_operation : timed_) all += of_operation[which].bytes();
    }
    return all;
  }

 private:
  std::size_t size() const {
    std::size_t size = 0;
    for (const ByteColumn& column : column_) size += column.bytes().size();
    for (const auto& of_operation : timed_) {
      for (const ByteColumn& column : of_operation) size += column.bytes().size();
    }
    return size;
  }

  /// Numbers that vary: their low bytes stand together, and so do the rest. That is smaller than a
  /// varint each, because what follows a low byte is nearly always the same.
  static void split(std::array<ByteColumn, columns>& to, Which low, std::uint64_t value) {
    to[low].u8(static_cast<std::uint8_t>(value));
    to[low + 1].varint(value >> 8);
  }

  /// Computation in ticks before call i, as a reader of the chunk gets it.
  std::int64_t gap_before(const RowTimes& times, std::size_t i) const {
    const std::uint64_t end = std::max(ticks_(times.begin_ns(i - 1)), ticks_(times.end_ns(i - 1)));
    return static_cast<std::int64_t>(ticks_(times.begin_ns(i)) - end);
  }

  /// By what the ranks before this one say of its collective or its messages; else its begin. Notes
  /// when a collective ends.
  std::uint64_t expected_end(std::int32_t rank, const std::vector<DrawnCalls::Partner>& partners,
                             std::uint64_t begin, std::uint64_t ended) {
    std::uint64_t expected = begin;
    for (const DrawnCalls::Partner& p : partners) {
      if (p.collective) {
        const auto [at, is_first] = collective_ends_.try_emplace(p.id, ended);
        if (!is_first) expected = std::exchange(at->second, ended);
      } else if (p.row < rank) {
        const auto sender = static_cast<std::size_t>(p.row);
        const CallRange& known = ranges_[sender];
        if (p.send < known.first || p.send >= known.last) continue;
        expected = std::max(expected, ticks_(rows_.times.ranks[sender].begin_ns(p.send)));
      }
    }
    return expected;
  }

  const std::vector<DrawnCalls::Partner>& partners_of(std::int32_t rank, std::size_t call) {
    partners_.clear();
    rows_.calls.partners(rank, call, partners_);
    return partners_;
  }

  std::array<ByteColumn, columns>& columns_of(std::int32_t rank, std::size_t call) {
    return timed_[rows_.calls.operation(rank, call)];
  }

  void add_times(std::int32_t rank, CallRange range) {
    const auto index = static_cast<std::size_t>(rank);
    const RowTimes& times = rows_.times.ranks[index];
    const RowTimes* first_run = first_run_ == nullptr ? nullptr : &first_run_->ranks[index];
    std::uint64_t last = ticks_(from_ns_);
    std::int64_t last_collective = 0;
    for (std::size_t i = range.first; i < range.last; ++i) {
      const auto& partners = partners_of(rank, i);
      const std::uint64_t begin = ticks_(times.begin_ns(i));
      const std::uint64_t ended = std::max(begin, ticks_(times.end_ns(i)));
      const bool known = first_run != nullptr && i > range.first;
      const std::int64_t expected = known ? gap_before(*first_run, i) : 0;
      auto& to = columns_of(rank, i);
      split(to, gap, ByteColumn::zigzagged(static_cast<std::int64_t>(begin - last) - expected));
      split(to, end,
            ByteColumn::zigzagged(
                static_cast<std::int64_t>(ended - expected_end(rank, partners, begin, ended))));
      last = ended;
      if (first_run_ == nullptr) add_partners(rank, i, partners, last_collective);
    }
  }

  void add_calls(std::int32_t rank, CallRange range) {
    for (std::size_t i = range.first; i < range.last; ++i) {
      const DrawnCalls::Data data = rows_.calls.data(rank, i);
      column_[operation].u8(rows_.calls.operation(rank, i));
      column_[peer].varint(peer_code(data.peer, rank));
      column_[bytes].varint(data.bytes);
      if (rows_.calls.has_ipc()) column_[ipc].u8(rows_.calls.ipc(rank, i));
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
      add_wait(*next, rows_.times.ranks[index], rank);
      while (next != waits.end() && next->call == i) ++next;
    }
  }

  /// What is left of a call when its wait is over takes about equally long everywhere, and all
  /// members of a collective wait for the same rank.
  void add_wait(const WaitState& state, const RowTimes& times, std::int32_t rank) {
    const std::int64_t begin_ns = times.begin_ns(state.call);
    const auto over = static_cast<std::int64_t>(ticks_(begin_ns + state.wait_ns));
    const std::uint64_t end = std::max(ticks_(begin_ns), ticks_(times.end_ns(state.call)));
    auto& to = columns_of(rank, state.call);
    to[wait_rest].zigzag(static_cast<std::int64_t>(end) - over);
    const bool together = rows_.calls.is_collective(rank, state.call);
    const std::int64_t cause = state.cause_rank;
    to[wait_cause].varint(cause < 0 ? 0
                                    : 1 + (together ? static_cast<std::uint64_t>(cause)
                                                    : ByteColumn::zigzagged(cause - rank)));
  }

  void add_partners(std::int32_t rank, std::size_t call,
                    const std::vector<DrawnCalls::Partner>& partners,
                    std::int64_t& last_collective) {
    std::uint64_t messages = 0;
    std::uint64_t collective_code = 0;
    for (const DrawnCalls::Partner& p : partners) {
      if (p.collective) {
        collective_code = 1 + ByteColumn::zigzagged(std::int64_t{p.id} - last_collective);
        last_collective = p.id;
      } else {
        ++messages;
        column_[source].zigzag(std::int64_t{p.row} - rank);
        column_[send].zigzag(std::int64_t{p.send} - static_cast<std::int64_t>(call));
      }
    }
    column_[received].varint(messages);
    column_[collective].varint(collective_code);
  }

  /// Functions change where calls begin and end: their times are known.
  void add_functions(std::int32_t rank, CallRange range) {
    for (std::size_t i = range.first; i < range.last; ++i) {
      column_[call_path].varint(rows_.calls.path_at(rank, i));
      column_[gap_path].varint(rows_.calls.path_before(rank, i));
    }
    const bool more = range.last < rows_.calls.count(rank);
    column_[last_path].varint(more ? rows_.calls.path_before(rank, range.last) : PathId{0});
  }

  /// Recording takes less than a tick before most calls: what rounding leaves is carried on.
  void add_pauses(std::int32_t rank, CallRange range) {
    std::uint64_t count = 0;
    std::uint64_t last = ticks_(from_ns_);
    for (const Pause& p : rows_.calls.pauses(rank, from_ns_, to_ns_)) {
      const std::uint64_t begin = ticks_(std::max(p.begin_ns, from_ns_));
      const std::uint64_t end = ticks_(std::min(p.end_ns, to_ns_));
      if (end <= begin || begin < last) continue;
      ++count;
      column_[pause].varint(begin - last);
      column_[pause_length].varint(end - begin);
      column_[pause_kind].u8(static_cast<std::uint8_t>(p.kind));
      last = end;
    }
    column_[pauses].varint(count);
    std::int64_t sum_ns = 0;
    for (std::size_t i = range.first; i < range.last; ++i) {
      const std::uint64_t before = ticks_(sum_ns);
      sum_ns += rows_.calls.recording_ns(rank, i);
      column_[recording].varint(ticks_(sum_ns) - before);
    }
  }

  void add_threads(std::int32_t rank, CallRange range) {
    for (std::size_t i = range.first; i < range.last; ++i) {
      column_[other_thread].u8(rows_.calls.is_of_other_thread(rank, i) ? 1 : 0);
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
  const RunTimes* first_run_;
  TickScale ticks_;
  std::int64_t from_ns_, to_ns_;
  std::uint64_t calls_ = 0;
  std::vector<CallRange> ranges_;  ///< by rank
  std::vector<DrawnCalls::Partner> partners_;
  std::unordered_map<std::uint32_t, std::uint64_t> collective_ends_;
  std::array<ByteColumn, columns> column_;
  std::vector<std::array<ByteColumn, columns>> timed_;  ///< by operation
};

}  // namespace

ChunkWriter::ChunkWriter(const RunRows& rows, const RunTimes* first_run)
    : rows_(rows), first_run_(first_run), borders_ns_(borders_of(rows.times)) {}

Timeline::Chunk ChunkWriter::chunk(std::size_t which, TickScale ticks) const {
  Columns columns(rows_, first_run_, ticks, borders_ns_[which], borders_ns_[which + 1]);
  for (std::int32_t r = 0; r < rows_.calls.rows(); ++r) columns.add_rank(r);
  return {ticks(borders_ns_[which]), ticks(borders_ns_[which + 1]), columns.calls(),
          compress(columns.joined())};
}

std::vector<Timeline::Chunk> ChunkWriter::all(TickScale ticks,
                                              std::map<std::size_t, Timeline::Chunk> made) const {
  std::vector<Timeline::Chunk> all(chunks());
  parallel_for(all.size(), [&](std::size_t i) {
    const auto known = made.find(i);
    all[i] = known == made.end() ? chunk(i, ticks) : std::move(known->second);
  });
  return all;
}

}  // namespace slackline

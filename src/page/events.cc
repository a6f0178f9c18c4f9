#include "page/events.h"

#include <algorithm>
#include <array>
#include <functional>

namespace slackline {
namespace {

constexpr std::uint8_t kMessage = 255;

template <std::size_t Count>
Blob joined(const std::array<ByteColumn, Count>& columns) {
  std::string all;
  for (const ByteColumn& column : columns) all += column.bytes();
  return compress(all);
}

/// The longest `most`, still in order of time.
void keep_longest(std::vector<PathPiece>& pieces, std::size_t most) {
  if (pieces.size() <= most) return;
  const auto length = [](const PathPiece& p) { return p.end_ns - p.begin_ns; };
  std::ranges::nth_element(pieces, pieces.begin() + static_cast<std::ptrdiff_t>(most),
                           std::greater{}, length);
  pieces.resize(most);
  std::ranges::sort(pieces, {}, &PathPiece::begin_ns);
}

/// A chain on one rank is drawn as well as one piece.
void join_chains(std::vector<PathPiece>& pieces) {
  std::vector<PathPiece> joined;
  for (const PathPiece& p : pieces) {
    const bool goes_on =
        !joined.empty() && joined.back().rank == p.rank && joined.back().end_ns == p.begin_ns &&
        joined.back().operation == p.operation && joined.back().message == p.message;
    if (goes_on) {
      joined.back().end_ns = p.end_ns;
      joined.back().call = p.call;
    } else {
      joined.push_back(p);
    }
  }
  pieces = std::move(joined);
}

}  // namespace

std::vector<PathPiece> path_pieces(const CriticalPath& path) {
  std::vector<PathPiece> pieces;
  pieces.reserve(path.segments.size());
  for (const ActivitySegment& s : path.segments) {
    if (s.late_start) continue;  // nothing is done there
    pieces.push_back({s.begin_ns, s.end_ns, s.rank, s.call, s.operation});
  }
  return pieces;
}

std::vector<PathPiece> path_pieces(const ModelPath& path, std::int64_t offset_ns) {
  std::vector<PathPiece> pieces;
  pieces.reserve(path.segments.size());
  for (const PathSegment& s : path.segments) {
    const bool message = s.part == PathPart::latency || s.part == PathPart::bandwidth;
    const Operation operation = s.part == PathPart::compute ? Operation::none : s.operation;
    pieces.push_back({offset_ns + s.begin_ps / kPicosPerNano, offset_ns + s.end_ps / kPicosPerNano,
                      s.rank, s.call, operation, message});
  }
  return pieces;
}

Timeline::Events path_events(std::vector<PathPiece> pieces, const TimelineCodes& codes,
                             TickScale ticks, std::size_t most) {
  if (pieces.size() > most) join_chains(pieces);
  keep_longest(pieces, most);
  std::array<ByteColumn, 5> columns;
  auto& [rank, gap, duration, operation, call] = columns;
  std::int64_t last_rank = 0;
  std::int64_t last_call = 0;
  std::uint64_t now = 0;
  for (const PathPiece& p : pieces) {
    const std::uint64_t begin = std::max(now, ticks(p.begin_ns));
    const std::uint64_t end = std::max(begin, ticks(p.end_ns));
    rank.zigzag(p.rank - last_rank);
    gap.varint(begin - now);
    duration.varint(end - begin);
    operation.u8(p.message ? kMessage : codes.operation(p.operation));
    call.zigzag(static_cast<std::int64_t>(p.call) - last_call);
    last_rank = p.rank;
    last_call = p.call;
    now = end;
  }
  return {pieces.size(), joined(columns)};
}

Timeline::Events wait_events(const DrawnCalls& calls, const RunTimes& times,
                             const WaitStates& waits, const TimelineCodes& codes, TickScale ticks,
                             std::size_t most) {
  std::vector<const WaitState*> longest;
  for (const WaitState& state : waits.states) {
    if (state.effective && state.wait_ns > 0) longest.push_back(&state);
  }
  const auto shown = static_cast<std::ptrdiff_t>(std::min(most, longest.size()));
  std::ranges::partial_sort(longest, longest.begin() + shown, [](const auto* a, const auto* b) {
    return a->wait_ns != b->wait_ns ? a->wait_ns > b->wait_ns
                                    : std::pair(a->rank, a->call) < std::pair(b->rank, b->call);
  });
  longest.resize(static_cast<std::size_t>(shown));
  std::array<ByteColumn, 8> columns;
  auto& [rank, begin, duration, pattern, operation, call, cause, cause_call] = columns;
  for (const WaitState* state : longest) {
    const RowTimes& mine = times.ranks[static_cast<std::size_t>(state->rank)];
    const bool known = state->cause_rank >= 0;
    rank.varint(static_cast<std::uint64_t>(state->rank));
    begin.varint(ticks(mine.begin_ns(state->call)));
    duration.varint(ticks(state->wait_ns));
    pattern.u8(codes.pattern(state->pattern));
    operation.u8(calls.operation(state->rank, state->call));
    call.varint(state->call);
    cause.varint(known ? 1 + static_cast<std::uint64_t>(state->cause_rank) : 0);
    cause_call.varint(known && state->cause_call != kNoCall ? std::uint64_t{1} + state->cause_call
                                                            : 0);
  }
  return {longest.size(), joined(columns)};
}

}  // namespace slackline

#include "formats/perfetto/slices.h"

#include <algorithm>
#include <iterator>

#include "base/parallel.h"

namespace slackline {
namespace {

constexpr std::size_t kPieceCalls = 2048;

std::vector<SlicePiece> pieces_of_rank(const RankCalls& calls, std::int32_t rank) {
  std::vector<SlicePiece> pieces;
  SlicePiece at{.rank = rank};
  while (true) {
    at.end_call = std::min(at.first_call + kPieceCalls, calls.size());
    at.is_first = pieces.empty();
    at.is_last = at.end_call == calls.size();
    pieces.push_back(at);
    if (at.is_last) return pieces;
    if (!calls.regions().empty())
      for_each_slice(
          calls, at, [](std::size_t) {}, [](std::int64_t, std::uint32_t, bool) {});
    at.first_call = at.end_call;
  }
}

}  // namespace

std::vector<SlicePiece> slice_pieces(const Trace& trace) {
  std::vector<std::vector<SlicePiece>> ranks(static_cast<std::size_t>(trace.ranks()));
  parallel_for(ranks.size(), [&](std::size_t rank) {
    const auto r = static_cast<std::int32_t>(rank);
    ranks[rank] = pieces_of_rank(trace.calls(r), r);
  });
  std::vector<SlicePiece> pieces;
  for (auto& rank : ranks)
    pieces.insert(pieces.end(), std::make_move_iterator(rank.begin()),
                  std::make_move_iterator(rank.end()));
  return pieces;
}

}  // namespace slackline

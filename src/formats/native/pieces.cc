#include "formats/native/pieces.h"

#include <algorithm>
#include <utility>

#include "formats/native/block.h"
#include "formats/native/description.h"

namespace slackline {

using native::Frame;

NativePieces::NativePieces(std::span<const std::byte> file, std::string_view name,
                           native::Release release)
    : file_(file),
      release_(std::move(release)),
      contents_(native::contents_of(file, name, release_)) {}

std::uint64_t NativePieces::details_bytes() const {
  constexpr std::uint64_t kMostGrowth = 8;  // a gain of a byte becomes a number of eight
  std::uint64_t bytes = 0;
  for (const native::RankFrames& rank : contents_.of_rank) {
    for (const Frame& frame : rank.details) bytes += kMostGrowth * frame.header.raw_bytes;
  }
  return bytes;
}

bool NativePieces::append_block(const Frame& block, RankCallsBuilder& out) const {
  const auto payload = native::payload_at(file_, block.offset, block.header);
  if (release_) {
    release_(file_.subspan(static_cast<std::size_t>(block.offset),
                           static_cast<std::size_t>(block.end() - block.offset)));
  }
  if (!payload) return false;
  const native::NameCounts names{job().regions().size(), job().call_tree().size()};
  const native::DecodedBlock decoded =
      native::decode_block(payload->bytes(), block.header.count, names, out);
  return decoded.complete && decoded.calls == block.header.count && decoded.unknown_operations == 0;
}

bool NativePieces::for_each_block(std::int32_t rank,
                                  const std::function<void(const RankCalls&)>& visit) const {
  std::uint64_t next = 0;
  for (const Frame& block : frames(rank).blocks) {
    RankCallsBuilder calls;
    if (block.header.first != next || !append_block(block, calls)) return false;
    next += block.header.count;
    visit(calls);
  }
  return next == calls()[static_cast<std::size_t>(rank)];
}

bool NativePieces::append_calls(std::int32_t rank, std::uint64_t from, std::uint64_t to,
                                RankCallsBuilder& out, std::vector<RegionEvent>& events) const {
  out.reserve(static_cast<std::size_t>(to - from));
  std::uint64_t next = from;
  for (const Frame& block : frames(rank).blocks) {
    const std::uint64_t begin = block.header.first;
    const std::uint64_t end = begin + block.header.count;
    if (end <= from || begin >= to) continue;
    if (begin > next) return false;
    if (begin == next && end <= to) {
      if (!append_block(block, out)) return false;
      const std::span<const RegionEvent> of_block = out.regions();
      events.insert(events.end(), of_block.begin(), of_block.end());
      out.set_regions({});
    } else {
      RankCallsBuilder all;
      if (!append_block(block, all)) return false;
      for (std::uint64_t i = next; i < std::min(end, to); ++i) {
        out.append(all[static_cast<std::size_t>(i - begin)]);
      }
      for (RegionEvent event : all.regions()) {
        const std::uint64_t call = begin + event.before_call;
        if (call < next || (call >= to && call < calls()[static_cast<std::size_t>(rank)])) continue;
        event.before_call = static_cast<std::uint32_t>(call - from);
        events.push_back(event);
      }
    }
    next = std::min(end, to);
  }
  return next == to;
}

bool NativePieces::read_details(std::int32_t rank, std::int64_t last_end_ns, RankCallsBuilder& out,
                                std::vector<Sample>& samples) const {
  const auto r = static_cast<std::size_t>(rank);
  const std::vector<Frame>& details = frames(rank).details;
  out.set_start_ns(job().calls(rank).start_ns());
  out.set_stop_ns(last_end_ns);
  if (!contents_.description.details[r]) return details.empty();
  if (details.size() != 1 || details.front().header.first != calls()[r]) return false;
  const auto payload = native::payload_at(file_, details.front().offset, details.front().header);
  const native::DetailBounds bounds{job().counters().size(), job().call_tree().size(),
                                    static_cast<std::size_t>(calls()[r]), last_end_ns};
  return payload && native::decode_details(payload->bytes(), bounds, out, samples);
}

}  // namespace slackline

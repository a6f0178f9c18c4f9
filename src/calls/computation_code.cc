#include "calls/computation_code.h"

#include <algorithm>
#include <iterator>

#include "base/int128.h"
#include "calls/code_places.h"

namespace slackline {
namespace {

/// So many samples say more of a stretch than those of others like it.
constexpr std::size_t kEnough = 20;

}  // namespace

ComputationCode::ComputationCode(const Trace& trace, const Samples* samples)
    : trace_(trace), functions_(CallPaths::of_functions(trace)) {
  if (samples == nullptr) return;
  computing_ = places_of(*samples, false, kEnough);
  blocked_ = places_of(*samples, true, 1);  // each time is recorded
}

ComputationCode::Places ComputationCode::places_of(const Samples& samples, bool blocked,
                                                   std::size_t enough) {
  Places places;
  places.own.resize(static_cast<std::size_t>(trace_.ranks()));
  std::map<Place, FrameTimes> by_place;
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    std::vector<Sample> wanted;
    std::ranges::copy_if(samples.of(r), std::back_inserter(wanted),
                         [&](const Sample& s) { return s.blocked == blocked; });
    add_rank(r, wanted, enough, places, by_place);
  }
  for (const auto& [place, times] : by_place) places.by_place[place] = keep(times);
  return places;
}

void ComputationCode::add_rank(std::int32_t rank, std::span<const Sample> samples,
                               std::size_t enough, Places& places,
                               std::map<Place, FrameTimes>& by_place) {
  for (std::size_t i = 0; i < samples.size();) {
    const std::uint32_t call = samples[i].before_call;
    FrameTimes here;
    std::size_t count = 0;
    for (; i < samples.size() && samples[i].before_call == call; ++i, ++count) {
      here[samples[i].frame] += samples[i].cpu_ns;
    }
    const auto [own, before, after] = place_of(rank, call);
    for (const auto& [frame, ns] : here) {
      by_place[{own, before, after}][frame] += ns;
      by_place[{-1, before, after}][frame] += ns;
    }
    if (count >= enough) places.own[static_cast<std::size_t>(rank)][call] = keep(here);
  }
}

ComputationCode::Place ComputationCode::place_of(std::int32_t rank, std::size_t call) const {
  const RankCalls& calls = trace_.calls(rank);
  if (call > calls.size()) return {rank, 0, 0};
  return {rank, call == 0 ? 0 : calls.frame(call - 1), call < calls.size() ? calls.frame(call) : 0};
}

ComputationCode::Range ComputationCode::keep(const FrameTimes& times) {
  std::int64_t sum = 0;
  for (const auto& [frame, ns] : times) sum += ns;
  if (sum <= 0) return {};
  const Range range{parts_.size(), times.size()};
  std::int64_t until = 0;
  for (const auto& [frame, ns] : times) {
    until += ns;
    parts_.push_back({frame, static_cast<double>(until) / static_cast<double>(sum)});
  }
  return range;
}

/// In proportion, where `ns` is a part of the gap only.
std::int64_t ComputationCode::blocked_part(std::int32_t rank, std::uint32_t call,
                                           std::int64_t ns) const {
  const RankCalls& calls = trace_.calls(rank);
  if (call >= calls.size() || calls.pauses().empty()) return 0;
  const std::int64_t gap = calls.gap_ns(call);
  const std::int64_t blocked = calls.paused_ns(call, PauseKind::blocked);
  return gap <= 0 ? 0 : static_cast<std::int64_t>(Int128{blocked} * ns / gap);
}

std::span<const ComputationCode::Part> ComputationCode::parts_of(const Places& places,
                                                                 std::int32_t rank,
                                                                 std::uint32_t call) const {
  if (places.own.empty()) return {};
  const auto of = [&](const Range& range) {
    return std::span(parts_).subspan(range.first, range.count);
  };
  const auto& own = places.own[static_cast<std::size_t>(rank)];
  if (const auto found = own.find(call); found != own.end()) return of(found->second);
  const auto [rank_here, before, after] = place_of(rank, call);
  for (const std::int32_t r : {rank_here, -1}) {
    if (const auto found = places.by_place.find({r, before, after});
        found != places.by_place.end()) {
      return of(found->second);
    }
  }
  return {};
}

FrameId ComputationCode::frame_without_samples(std::int32_t rank, std::uint32_t call) const {
  if (trace_.call_tree().empty() || call >= trace_.calls(rank).size()) return 0;
  return frame_of_gap(trace_, functions_, rank, call);
}

}  // namespace slackline

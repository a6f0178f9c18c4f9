#include "calls/computation_code.h"

#include <algorithm>

#include "calls/code_places.h"

namespace slackline {
namespace {

/// So many samples say more of a stretch than those of others like it.
constexpr std::size_t kEnough = 20;

}  // namespace

ComputationCode::ComputationCode(const Trace& trace, const Samples* samples)
    : trace_(trace),
      functions_(CallPaths::of_functions(trace)),
      own_(static_cast<std::size_t>(trace.ranks())) {
  std::map<Place, FrameTimes> by_place;
  for (std::int32_t r = 0; samples != nullptr && r < trace.ranks(); ++r) {
    add_rank(r, samples->of(r), by_place);
  }
  for (const auto& [place, times] : by_place) by_place_[place] = keep(times);
}

void ComputationCode::add_rank(std::int32_t rank, std::span<const Sample> samples,
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
    if (count >= kEnough) own_[static_cast<std::size_t>(rank)][call] = keep(here);
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

std::span<const ComputationCode::Part> ComputationCode::parts_of(std::int32_t rank,
                                                                 std::uint32_t call) const {
  if (parts_.empty()) return {};
  const auto of = [&](const Range& range) {
    return std::span(parts_).subspan(range.first, range.count);
  };
  const auto& own = own_[static_cast<std::size_t>(rank)];
  if (const auto found = own.find(call); found != own.end()) return of(found->second);
  const auto [rank_here, before, after] = place_of(rank, call);
  for (const std::int32_t r : {rank_here, -1}) {
    if (const auto found = by_place_.find({r, before, after}); found != by_place_.end()) {
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

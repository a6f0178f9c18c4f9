#include "calls/computation_code.h"

#include "base/int128.h"
#include "calls/code_places.h"

namespace slackline {
namespace {

/// So many samples say more of a stretch than those of others like it.
constexpr std::size_t kEnough = 20;

/// The frames of a call and of the one before it.
std::pair<FrameId, FrameId> frames_around(const RankCalls& calls, std::size_t call) {
  if (call > calls.size()) return {0, 0};
  return {call == 0 ? 0 : calls.frame(call - 1), call < calls.size() ? calls.frame(call) : 0};
}

}  // namespace

std::vector<SampledTime> sampled_times(const Trace& trace, const Samples& samples) {
  std::vector<SampledTime> times;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    std::vector<SampledTime> own;
    for (const Sample& s : samples.of(r)) {
      const auto [before, after] = frames_around(trace.calls(r), s.before_call);
      own.push_back({{s.blocked, r, before, after, s.frame}, s.cpu_ns});
    }
    add_up_rows(own);
    times.insert(times.end(), own.begin(), own.end());
  }
  add_up_rows(times);
  return times;
}

ComputationCode::ComputationCode(const Trace& trace, const Samples* samples)
    : trace_(trace), functions_(CallPaths::of_functions(trace)) {
  if (samples == nullptr) return;
  const std::vector<SampledTime> times = sampled_times(trace, *samples);
  computing_ = places_of(*samples, times, false, kEnough);
  blocked_ = places_of(*samples, times, true, 1);  // each time is recorded
}

ComputationCode::ComputationCode(const Trace& part, const Samples& samples,
                                 std::span<const SampledTime> of_run)
    : trace_(part), functions_(CallPaths::of_functions(part)) {
  computing_ = places_of(samples, of_run, false, kEnough);
  blocked_ = places_of(samples, of_run, true, 1);
}

ComputationCode::Places ComputationCode::places_of(const Samples& samples,
                                                   std::span<const SampledTime> of_run,
                                                   bool blocked, std::size_t enough) {
  Places places;
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    keep_own(samples.of(r), blocked, enough, places.own.emplace_back());
  }
  std::map<Place, FrameTimes> by_place;
  for (const SampledTime& time : of_run) {
    const SampledPlace& at = time.of;
    if (at.blocked != blocked) continue;
    for (const std::int32_t rank : {at.rank, -1}) {
      by_place[{rank, at.before, at.after}][at.frame] += time.sum;
    }
  }
  for (const auto& [place, times] : by_place) places.by_place[place] = keep(times);
  return places;
}

/// The stretches with enough samples of one rank.
void ComputationCode::keep_own(std::span<const Sample> samples, bool blocked, std::size_t enough,
                               std::map<std::uint32_t, Range>& own) {
  for (std::size_t i = 0; i < samples.size();) {
    const std::uint32_t call = samples[i].before_call;
    FrameTimes here;
    std::size_t count = 0;
    for (; i < samples.size() && samples[i].before_call == call; ++i) {
      if (samples[i].blocked != blocked) continue;
      here[samples[i].frame] += samples[i].cpu_ns;
      ++count;
    }
    if (count >= enough) own[call] = keep(here);
  }
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
  const auto [before, after] = frames_around(trace_.calls(rank), call);
  for (const std::int32_t r : {rank, -1}) {
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

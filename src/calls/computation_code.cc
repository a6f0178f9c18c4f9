#include "calls/computation_code.h"

#include <utility>

#include "base/arithmetic.h"
#include "calls/code_places.h"

namespace slackline {
namespace {

/// This many samples say more of a stretch than those of others like it.
constexpr std::size_t kEnough = 20;
constexpr std::size_t kEnoughBlocked = 1;  // each time is recorded

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

SampledShares::SampledShares(std::span<const SampledTime> of_run) {
  std::map<Place, FrameTimes> times;
  for (const SampledTime& time : of_run) {
    const SampledPlace& at = time.of;
    for (const std::int32_t rank : {at.rank, -1}) {
      times[{rank, at.blocked, at.before, at.after}][at.frame] += time.sum;
    }
  }
  for (const auto& [place, of_place] : times) {
    by_place_[place] = parts_of(of_place);
    if (!by_place_[place].empty()) empty_ = false;
  }
}

SampledShares::Parts SampledShares::parts_of(const FrameTimes& times) {
  std::int64_t sum = 0;
  for (const auto& [frame, ns] : times) sum += ns;
  Parts parts;
  if (sum <= 0) return parts;
  std::int64_t until = 0;
  for (const auto& [frame, ns] : times) {
    until += ns;
    parts.push_back({frame, static_cast<double>(until) / static_cast<double>(sum)});
  }
  return parts;
}

std::span<const SampledShares::Part> SampledShares::find(std::int32_t rank, bool blocked,
                                                         FrameId before, FrameId after) const {
  for (const std::int32_t r : {rank, -1}) {
    const auto found = by_place_.find({r, blocked, before, after});
    if (found != by_place_.end()) return found->second;
  }
  return {};
}

ComputationCode::ComputationCode(const Trace& trace, const Samples* samples)
    : trace_(trace), functions_(CallPaths::of_functions(trace)) {
  if (samples == nullptr) return;
  of_run_ = std::make_shared<const SampledShares>(sampled_times(trace, *samples));
  computing_ = own_parts(*samples, false, kEnough);
  blocked_ = own_parts(*samples, true, kEnoughBlocked);
}

ComputationCode::ComputationCode(const Trace& part, const Samples& samples,
                                 std::shared_ptr<const SampledShares> of_run)
    : trace_(part),
      functions_(CallPaths::of_functions(part)),
      of_run_(std::move(of_run)),
      computing_(own_parts(samples, false, kEnough)),
      blocked_(own_parts(samples, true, kEnoughBlocked)) {}

ComputationCode::OwnParts ComputationCode::own_parts(const Samples& samples, bool blocked,
                                                     std::size_t enough) const {
  OwnParts own(static_cast<std::size_t>(trace_.ranks()));
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    const std::span<const Sample> of_rank = samples.of(r);
    for (std::size_t i = 0; i < of_rank.size();) {
      const std::uint32_t call = of_rank[i].before_call;
      SampledShares::FrameTimes here;
      std::size_t count = 0;
      for (; i < of_rank.size() && of_rank[i].before_call == call; ++i) {
        if (of_rank[i].blocked != blocked) continue;
        here[of_rank[i].frame] += of_rank[i].cpu_ns;
        ++count;
      }
      if (count >= enough) own[static_cast<std::size_t>(r)][call] = SampledShares::parts_of(here);
    }
  }
  return own;
}

/// In proportion, where `ns` is a part of the gap only.
std::int64_t ComputationCode::blocked_part(std::int32_t rank, std::uint32_t call,
                                           std::int64_t ns) const {
  const RankCalls& calls = trace_.calls(rank);
  if (calls.pauses().empty()) return 0;
  const std::int64_t gap = calls.gap_ns(call);
  const std::int64_t blocked = calls.paused_ns(call, PauseKind::blocked);
  return gap <= 0 ? 0 : static_cast<std::int64_t>(Int128{blocked} * ns / gap);
}

std::span<const ComputationCode::Part> ComputationCode::parts_of(const OwnParts& own, bool blocked,
                                                                 std::int32_t rank,
                                                                 std::uint32_t call) const {
  if (of_run_ == nullptr) return {};
  const auto& of_rank = own[static_cast<std::size_t>(rank)];
  if (const auto found = of_rank.find(call); found != of_rank.end()) return found->second;
  const auto [before, after] = frames_around(trace_.calls(rank), call);
  return of_run_->find(rank, blocked, before, after);
}

FrameId ComputationCode::frame_without_samples(std::int32_t rank, std::uint32_t call) const {
  if (trace_.call_tree().empty() || call >= trace_.calls(rank).size()) return 0;
  return frame_of_gap(trace_, functions_, rank, call);
}

}  // namespace slackline

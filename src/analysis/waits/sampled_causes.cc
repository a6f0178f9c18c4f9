#include "analysis/waits/sampled_causes.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "calls/computation_code.h"

namespace slackline {
namespace {

constexpr double kLeastExcess = 0.05;  // of what the late rank does
constexpr std::int32_t kAllRanks = -1;

/// The function of each frame, numbered in the order of names and files.
std::vector<std::uint32_t> functions_of(const CallTree& tree) {
  const auto of = [&tree](FrameId frame) {
    using Name = std::pair<std::string_view, std::string_view>;
    return frame == 0 ? Name{} : Name{tree.location(frame).function, tree.location(frame).file};
  };
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> numbers;
  for (FrameId frame = 0; frame <= tree.size(); ++frame) numbers.try_emplace(of(frame), 0);
  std::uint32_t next = 0;
  for (auto& [name, number] : numbers) number = next++;
  std::vector<std::uint32_t> functions;
  for (FrameId frame = 0; frame <= tree.size(); ++frame) functions.push_back(numbers[of(frame)]);
  return functions;
}

struct FunctionTime {
  std::int64_t ns = 0;
  FrameId frame = 0;  // with the most of it
  std::int64_t frame_ns = INT64_MIN;
};

}  // namespace

SampledCauses::SampledCauses(const CallTree& tree, std::int32_t ranks,
                             std::span<const LateComputation> causes)
    : ranks_(ranks),
      causes_(causes.begin(), causes.end()),
      own_(own_frames(tree)),
      functions_(functions_of(tree)) {
  std::ranges::sort(causes_);
}

std::vector<SampledCauseTime> SampledCauses::times_of(const Trace& trace,
                                                      const CallActivities& names,
                                                      const ComputationCode& code,
                                                      const RunPart& part) const {
  std::set<PathId> wanted;
  for (const LateComputation& cause : causes_) wanted.insert(cause.second);
  std::map<CausePlace, std::int64_t> sums;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const auto size = static_cast<CallIndex>(trace.calls(r).size());
    for (auto call = static_cast<CallIndex>(part.lead()); call < size; ++call) {
      names.for_gap(r, call, [&](PathId path, std::int64_t ns) {
        if (!wanted.contains(path)) return;
        const bool late = std::ranges::binary_search(causes_, LateComputation{r, path});
        code.split_gap(r, call, ns, [&](FrameId leaf, std::int64_t share) {
          const FrameId frame = own_[leaf];
          sums[{path, kAllRanks, functions_[frame]}] += share;
          if (late) sums[{path, r, frame}] += share;
        });
      });
    }
  }
  std::vector<SampledCauseTime> times;
  for (const auto& [place, ns] : sums) times.push_back({place, ns});
  return times;
}

std::map<LateComputation, SampledCause> SampledCauses::find(
    std::span<const SampledCauseTime> times) const {
  std::map<LateComputation, SampledCause> found;
  for (const LateComputation& cause : causes_) {
    const SampledCause one = find(times, cause);
    if (one.frame != 0) found[cause] = one;
  }
  return found;
}

SampledCause SampledCauses::find(std::span<const SampledCauseTime> times,
                                 const LateComputation& cause) const {
  const auto first = [&times](const CausePlace& place) {
    return std::ranges::lower_bound(times, place, {}, &SampledCauseTime::key);
  };
  std::map<Function, FunctionTime> functions;
  for (auto at = first({cause.second, cause.first, 0});
       at != times.end() && at->of.path == cause.second && at->of.rank == cause.first; ++at) {
    FunctionTime& time = functions[functions_[at->of.frame]];
    time.ns += at->sum;
    if (at->sum <= time.frame_ns) continue;
    time.frame = at->of.frame;
    time.frame_ns = at->sum;
  }
  const FunctionTime* longest = nullptr;
  const FunctionTime* latest = nullptr;
  double most = 0;
  double excess = 0;
  double all = 0;
  for (const auto& [function, time] : functions) {
    const double mean = static_cast<double>(first({cause.second, kAllRanks, function})->sum) /
                        static_cast<double>(ranks_);
    const double over = static_cast<double>(time.ns) - mean;
    all += static_cast<double>(time.ns);
    if (longest == nullptr || time.ns > longest->ns) longest = &time;
    if (over <= 0) continue;
    excess += over;
    if (over <= most) continue;
    most = over;
    latest = &time;
  }
  if (longest == nullptr) return {};
  // Less is by chance: the rank does no more than the others, but at another time.
  if (excess < kLeastExcess * all) latest = nullptr;
  return {(latest != nullptr ? latest : longest)->frame, latest != nullptr ? most / excess : 1};
}

}  // namespace slackline

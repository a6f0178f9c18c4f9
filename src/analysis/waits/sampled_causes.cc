#include "analysis/waits/sampled_causes.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "calls/code_places.h"

namespace slackline {
namespace {

constexpr double kLeastExcess = 0.05;  // of what the late rank does

using CauseKey = std::pair<std::int32_t, ActivityId>;
using Function = std::uint32_t;  // number of a name and file

struct FunctionTime {
  std::int64_t own_ns = 0;  // of the late rank
  std::map<FrameId, std::int64_t> by_frame{};
};

/// The function of each frame, numbered in the order of names and files.
std::vector<Function> functions_of(const CallTree& tree) {
  const auto of = [&tree](FrameId frame) {
    using Name = std::pair<std::string_view, std::string_view>;
    return frame == 0 ? Name{} : Name{tree.location(frame).function, tree.location(frame).file};
  };
  std::map<std::pair<std::string_view, std::string_view>, Function> numbers;
  for (FrameId frame = 0; frame <= tree.size(); ++frame) numbers.try_emplace(of(frame), 0);
  Function next = 0;
  for (auto& [name, number] : numbers) number = next++;
  std::vector<Function> functions;
  for (FrameId frame = 0; frame <= tree.size(); ++frame) functions.push_back(numbers[of(frame)]);
  return functions;
}

class Sums {
 public:
  Sums(const Trace& trace, std::span<const CauseKey> causes)
      : trace_(trace),
        own_(own_frames(trace.call_tree())),
        functions_(functions_of(trace.call_tree())) {
    for (const CauseKey& cause : causes) {
      late_[cause];
      wanted_.insert(cause.second);
    }
  }

  bool wants(ActivityId activity) const { return wanted_.contains(activity); }

  void add(std::int32_t rank, ActivityId activity, FrameId leaf, std::int64_t ns) {
    const FrameId frame = own_[leaf];
    const Function function = functions_[frame];
    of_all_[{activity, function}] += ns;
    const auto late = late_.find({rank, activity});
    if (late == late_.end()) return;
    FunctionTime& time = late->second[function];
    time.own_ns += ns;
    time.by_frame[frame] += ns;
  }

  SampledCause cause(const CauseKey& key, CauseFunction which) const {
    const auto& functions = late_.at(key);
    const FunctionTime* longest = nullptr;
    const FunctionTime* latest = nullptr;
    double most = 0;
    double excess = 0;
    double all = 0;
    for (const auto& [function, time] : functions) {
      const double mean = static_cast<double>(of_all_.at({key.second, function})) /
                          static_cast<double>(trace_.ranks());
      const double over = static_cast<double>(time.own_ns) - mean;
      all += static_cast<double>(time.own_ns);
      if (longest == nullptr || time.own_ns > longest->own_ns) longest = &time;
      if (over <= 0) continue;
      excess += over;
      if (over <= most) continue;
      most = over;
      latest = &time;
    }
    if (longest == nullptr) return {};
    // Less is by chance: the rank does no more than the others, but at another time.
    if (excess < kLeastExcess * all || which == CauseFunction::longest) latest = nullptr;
    const FunctionTime& chosen = latest != nullptr ? *latest : *longest;
    const auto line = std::ranges::max_element(chosen.by_frame, {},
                                               [](const auto& entry) { return entry.second; });
    return {line->first, latest != nullptr ? most / excess : 1};
  }

 private:
  const Trace& trace_;
  std::vector<FrameId> own_;         // of every frame
  std::vector<Function> functions_;  // of every frame
  std::set<ActivityId> wanted_;
  std::map<CauseKey, std::map<Function, FunctionTime>> late_;
  std::map<std::pair<ActivityId, Function>, std::int64_t> of_all_;
};

}  // namespace

std::map<CauseKey, SampledCause> sampled_causes(const Trace& trace, const CallActivities& names,
                                                const ComputationCode& code,
                                                std::span<const CauseKey> causes,
                                                CauseFunction which) {
  Sums sums(trace, causes);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const std::size_t size = trace.calls(r).size();
    for (CallIndex call = 0; call < size; ++call) {
      names.for_gap(r, call, [&](ActivityId activity, std::int64_t ns) {
        if (!sums.wants(activity)) return;
        code.split_gap(r, call, ns, [&](FrameId frame, std::int64_t part) {
          sums.add(r, activity, frame, part);
        });
      });
    }
  }
  std::map<CauseKey, SampledCause> found;
  for (const CauseKey& cause : causes) {
    const SampledCause one = sums.cause(cause, which);
    if (one.frame != 0) found[cause] = one;
  }
  return found;
}

}  // namespace slackline

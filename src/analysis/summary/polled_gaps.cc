#include "analysis/summary/polled_gaps.h"

#include <map>
#include <string>
#include <utility>

#include "trace/operation_kinds.h"

namespace slackline {
namespace {

/// This share of a function's time is between polls; else it computes what the program needs.
constexpr double kNowhereElse = 0.9;

/// By rank, the calls whose gap follows a poll that found nothing.
std::vector<std::vector<CallIndex>> between_polls(const Trace& trace, const WaitStates& waits) {
  std::vector<std::vector<CallIndex>> found(static_cast<std::size_t>(trace.ranks()));
  for (const WaitState& w : waits.states) {
    const RankCalls& calls = trace.calls(w.rank);
    const CallIndex next = w.call + 1;
    if (!w.asked_again || !w.effective || next >= calls.size()) continue;
    if (is_poll(calls.operation(w.call)) && is_poll(calls.operation(next))) {
      found[static_cast<std::size_t>(w.rank)].push_back(next);
    }
  }
  for (auto& of_rank : found) std::ranges::sort(of_rank);
  return found;
}

}  // namespace

PolledGaps::PolledGaps(const Trace& trace, const WaitStates& waits, const ComputationCode& code,
                       const std::vector<FrameId>& own_frames) {
  const bool polls = std::ranges::any_of(waits.states, &WaitState::asked_again);
  if (trace.call_tree().empty() || !polls) return;
  std::vector<std::vector<CallIndex>> asked = between_polls(trace, waits);
  struct Time {
    double all = 0;
    double between_polls = 0;
  };
  std::map<std::pair<std::string, std::string>, Time> functions;
  const CallTree& tree = trace.call_tree();
  std::vector<Time*> of_frame;
  for (const FrameId own : own_frames) {
    const CodeLocation& at = tree.location(own);
    of_frame.push_back(own == 0 ? nullptr : &functions[{at.function, at.file}]);
  }
  const auto for_code = [&](std::int32_t r, CallIndex call, auto visit) {
    code.split(r, call, trace.calls(r).useful_ns(call), [&](FrameId frame, std::int64_t ns) {
      if (of_frame[frame] != nullptr) visit(*of_frame[frame], static_cast<double>(ns));
    });
  };
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const auto& of_rank = asked[static_cast<std::size_t>(r)];
    for (std::size_t i = 0; i < trace.calls(r).size(); ++i) {
      const auto call = static_cast<CallIndex>(i);
      const bool polled = std::ranges::binary_search(of_rank, call);
      for_code(r, call, [&](Time& time, double ns) {
        time.all += ns;
        if (polled) time.between_polls += ns;
      });
    }
  }
  by_rank_.resize(asked.size());
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    for (const CallIndex call : asked[static_cast<std::size_t>(r)]) {
      double only_here = 0;
      double all = 0;
      for_code(r, call, [&](const Time& time, double ns) {
        all += ns;
        if (time.between_polls >= kNowhereElse * time.all) only_here += ns;
      });
      if (only_here <= all / 2) continue;
      by_rank_[static_cast<std::size_t>(r)].push_back(call);
      sum_ns_ += all;
    }
  }
}

}  // namespace slackline

// What came too late to be appended: arguments of calls that had gone on (the ranks' clocks
// disagree), and calls that have no events.

#include <algorithm>

#include "formats/paraver/builder_rules.h"
#include "formats/paraver/rank_builder.h"

namespace slackline::paraver {

// Puts late arguments and calls without events where they belong.
void RankBuilder::rebuild() {
  if (late_.empty() && extra_.empty()) return;
  std::ranges::stable_sort(late_, {}, &LateArguments::call);
  std::ranges::stable_sort(extra_, {}, &Call::begin_ns);
  RankCallsBuilder whole;
  whole.reserve(calls_.size() + extra_.size());
  std::vector<std::size_t> new_index;  // of every old call, and of the end
  auto late = late_.begin();
  auto extra = extra_.begin();
  std::int64_t last_end = INT64_MIN;
  const auto add_extra = [&](std::int64_t until) {
    Call call = *extra++;
    call.begin_ns = std::max(call.begin_ns, last_end);
    call.end_ns = std::max(call.begin_ns, std::min(call.end_ns, until));
    last_end = call.end_ns;
    whole.append(call);
  };
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    Call call = calls_[i];
    while (extra != extra_.end() && extra->begin_ns < call.begin_ns) {
      const auto next = std::next(extra);
      add_extra(std::min(call.begin_ns, next == extra_.end() ? call.begin_ns : next->begin_ns));
    }
    std::vector<std::int64_t> args(call.args.begin(), call.args.end());
    for (; late != late_.end() && late->call == i; ++late) {
      if (completes_one(call.operation)) {
        call.request = static_cast<std::uint32_t>(late->args.front());
      } else {
        if (call.has(SLK_FLAG_FAILED)) args.clear();
        args.insert(args.end(), late->args.begin(), late->args.end());
      }
      if (call.has(SLK_FLAG_FAILED)) {
        call.flags = static_cast<std::uint8_t>(call.flags & ~SLK_FLAG_FAILED);
        if (completes_one(call.operation)) args.clear();
      }
    }
    call.args = args;
    new_index.push_back(whole.size());
    whole.append(call);
    last_end = std::max(last_end, call.end_ns);
  }
  while (extra != extra_.end()) {
    const auto next = std::next(extra);
    add_extra(next == extra_.end() ? INT64_MAX : next->begin_ns);
  }
  new_index.push_back(whole.size());
  for (RegionEvent event : calls_.regions()) {
    event.before_call = static_cast<std::uint32_t>(new_index[event.before_call]);
    whole.append_region(event);
  }
  for (std::size_t c = 0; c < counter_values_.size(); ++c) {
    std::vector<std::uint64_t> moved(counter_values_[c].empty() ? 0 : whole.size() + 1);
    for (std::size_t i = 0; i < counter_values_[c].size(); ++i) {
      moved[new_index[i]] = counter_values_[c][i];
    }
    counter_values_[c] = std::move(moved);
  }
  for (const Pause& pause : states_.pauses()) {
    whole.append_pause({pause.begin_ns, pause.end_ns,
                        static_cast<std::uint32_t>(new_index[pause.before_call]), pause.kind});
  }
  calls_ = std::move(whole);
}

}  // namespace slackline::paraver

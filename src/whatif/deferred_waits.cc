#include "whatif/deferred_waits.h"

#include <algorithm>
#include <iterator>

#include "base/sentences.h"
#include "whatif/request_numbers.h"

namespace slackline {

DeferredWaits::DeferredWaits(const Edit& edit, const Trace& trace) : trace_(trace) {
  const std::string* before = edit.find(kBefore);
  const std::string* in = edit.find(kIn);
  before_any_ = before == nullptr ? in == nullptr : *before == "call";
  if (before != nullptr && !before_any_) {
    before_ = operation_from_identifier(*before);
    if (!before_) refuse(edit, kBefore, "no such operation", "Examples: call or allreduce.");
  }
  if (in != nullptr) {
    const auto found = std::ranges::find(trace.regions(), *in);
    if (found == trace.regions().end()) {
      refuse(edit, kIn, "the trace has no region of that name",
             trace.regions().empty()
                 ? "The trace has no regions."
                 : "The nearest regions: " + nearest_names(*in, trace.regions()) + ".");
    }
    region_ = static_cast<std::uint32_t>(std::distance(trace.regions().begin(), found));
  }
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    ranks_.push_back({first_free_request(trace.calls(rank))});
  }
}

void DeferredWaits::start(std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
  Rank& own = state(rank);
  call.request = own.next_serial++;
  to.call(call);
  own.open.push_back(call.request);
  own.last = call;
  if (is_last(rank, i)) wait(own, to);
}

void DeferredWaits::before_call(std::int32_t rank, std::size_t i, RankWriter& to) {
  const bool due =
      before_any_ || is_last(rank, i) || (before_ && trace_.calls(rank).operation(i) == *before_);
  if (due) wait(state(rank), to);
}

void DeferredWaits::before_region(std::int32_t rank, const RegionEvent& event, RankWriter& to) {
  if (event.enter && region_ == event.region) wait(state(rank), to);
}

void DeferredWaits::wait(Rank& rank, RankWriter& to) {
  if (rank.open.empty()) return;
  Call call{.thread = rank.last.thread, .frame = rank.last.frame};
  if (rank.open.size() == 1) {
    call.operation = Operation::wait;
    call.request = static_cast<std::uint32_t>(rank.open.front());
  } else {
    call.operation = Operation::waitall;
    call.args = rank.open;
  }
  to.call(call);
  rank.open.clear();
}

}  // namespace slackline

#include "replay/step_list.h"

#include <algorithm>
#include <numeric>

#include "trace/replay_wire.h"

namespace slackline {
namespace {

std::string encoded(const CallShape& shape) {
  std::string bytes;
  put_unsigned(bytes, static_cast<std::uint64_t>(shape.operation));
  put_unsigned(bytes, shape.flags);
  put_signed(bytes, shape.peer);
  put_signed(bytes, shape.tag);
  put_unsigned(bytes, shape.comm);
  put_unsigned(bytes, shape.bytes);
  put_unsigned(bytes, shape.request);
  put_unsigned(bytes, shape.args.size());
  for (const std::int64_t arg : shape.args) put_signed(bytes, arg);
  return bytes;
}

}  // namespace

void StepList::add(CallIndex call, std::int64_t gap_ns, const CallShape& shape, std::uint64_t polls,
                   std::int64_t period_ns) {
  const auto [entry, added] =
      ids_.emplace(encoded(shape), static_cast<std::uint32_t>(shapes_.size()));
  if (added) {
    shapes_.push_back(&entry->first);
    uses_.push_back(0);
  }
  ++uses_[entry->second];
  const std::int64_t whole = std::max<std::int64_t>(0, gap_ns) + rest_ns_;
  const std::int64_t units = whole / SLK_REPLAY_UNIT_NS;
  rest_ns_ = whole - units * SLK_REPLAY_UNIT_NS;
  Step step{call, entry->second, static_cast<std::uint64_t>(units), 0};
  if ((shape.flags & SLK_REPLAY_POLLED) != 0) {
    const std::int64_t period = std::max<std::int64_t>(0, period_ns) / SLK_REPLAY_UNIT_NS;
    polls_.push_back({polls, static_cast<std::uint64_t>(period)});
    step.polled = static_cast<std::uint32_t>(polls_.size());
  }
  steps_.push_back(step);
}

std::vector<CallIndex> StepList::calls() const {
  std::vector<CallIndex> calls;
  calls.reserve(steps_.size());
  for (const Step& step : steps_) calls.push_back(step.call);
  return calls;
}

void StepList::write(std::string& to) const {
  std::vector<std::uint32_t> order(shapes_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [this](std::uint32_t shape) { return uses_[shape]; });
  std::vector<std::uint32_t> number(shapes_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    number[order[i]] = i;
    to += *shapes_[order[i]];
  }
  for (const Step& step : steps_) {
    put_unsigned(to, step.gap);
    put_unsigned(to, number[step.shape]);
    if (step.polled == 0) continue;
    put_unsigned(to, polls_[step.polled - 1].count);
    put_unsigned(to, polls_[step.polled - 1].period);
  }
}

}  // namespace slackline

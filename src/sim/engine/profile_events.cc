#include "sim/engine/profile_events.h"

#include "sim/network/event_heap.h"

namespace slackline::sim {
namespace {

double scale_of(const ResourceProfile& resource, const Platform& platform, const LinkView& links) {
  if (resource.what == Profiled::bandwidth) {
    return links.bandwidth(resource.id) / platform.link(resource.id).bandwidth;
  }
  const bool latency = resource.what == Profiled::latency;
  const double nominal = latency ? platform.link(resource.id).latency : 0;
  return nominal > 0 ? links.latency(resource.id) / nominal : 1;
}

}  // namespace

ProfileEvents::ProfileEvents(const Platform& platform, const LinkView& links)
    : profiles_(platform.profiles()) {
  for (std::size_t i = 0; i < profiles_.size(); ++i) {
    scales_.push_back(scale_of(profiles_[i], platform, links));
    const auto& steps = profiles_[i].profile.steps;
    if (!steps.empty()) next_.push({steps.front().delay, i, 0});
  }
}

double ProfileEvents::next_time() const {
  return next_.empty() ? EventHeap::kNever : next_.top().time;
}

ProfileEvents::Event ProfileEvents::pop() {
  const auto [time, i, step] = next_.top();
  next_.pop();
  const Profile& profile = profiles_[i].profile;
  if (step + 1 < profile.steps.size()) {
    next_.push({time + profile.steps[step + 1].delay, i, step + 1});
  } else if (profile.repeats) {
    next_.push({time + (profile.steps.front().delay + profile.repeat_delay), i, 0});
  }
  return {&profiles_[i], time, profile.steps[step].value * scales_[i]};
}

}  // namespace slackline::sim

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/sharing/sharing_state.h"

namespace slackline::simgrid {

/// Which flows are pending at which links: they have started, but their start has not been
/// propagated to the link yet. A link with flows pending from earlier simulated times is stale. See
/// lazy_sharing.cc.
class StaleMembership {
 public:
  explicit StaleMembership(std::size_t links) : links_(links) {}

  /// Flow ids up to this one may be used from now on.
  void add_flow(FlowId flow) {
    if (flow >= pending_links_.size()) pending_links_.resize(flow + 1);
  }

  void add_pending(FlowId flow, std::uint32_t share, const FlowShare& own) {
    ++pending_links_[flow];
    links_[own.link].pending.push_back({flow, share, own.weight});
  }
  /// Does nothing for a flow that is pending nowhere. Cost: O(flows pending at the link).
  void remove_pending(FlowId flow, std::uint32_t share, const FlowShare& own) {
    if (pending_links_[flow] == 0) return;
    auto& list = links_[own.link].pending;
    list.erase(std::ranges::find(list, LinkMember{flow, share, own.weight}));
    --pending_links_[flow];
  }
  const std::vector<LinkMember>& pending(LinkId link) const { return links_[link].pending; }
  bool is_pending(FlowId flow) const { return pending_links_[flow] > 0; }

  bool is_stale(LinkId link) const { return links_[link].stale_slot != kNotStale; }
  /// All stale links, in no particular order.
  const std::vector<LinkId>& stale() const { return stale_; }
  void make_stale(LinkId link) {
    if (is_stale(link)) return;
    links_[link].stale_slot = static_cast<std::uint32_t>(stale_.size());
    stale_.push_back(link);
  }
  /// The link is stale no more if no flow is pending there.
  void refresh(LinkId link) {
    if (!is_stale(link) || !links_[link].pending.empty()) return;
    const std::uint32_t slot = links_[link].stale_slot;
    links_[stale_.back()].stale_slot = slot;
    stale_[slot] = stale_.back();
    stale_.pop_back();
    links_[link].stale_slot = kNotStale;
  }

 private:
  static constexpr std::uint32_t kNotStale = std::numeric_limits<std::uint32_t>::max();
  struct Link {
    std::vector<LinkMember> pending{};
    std::uint32_t stale_slot = kNotStale;  ///< in stale_
  };

  std::vector<Link> links_;
  std::vector<std::uint32_t> pending_links_;  ///< by flow: at how many links it is pending
  std::vector<LinkId> stale_;
};

}  // namespace slackline::simgrid

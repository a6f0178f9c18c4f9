#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/link_view.h"

namespace slackline {

using FlowId = std::uint32_t;
inline constexpr LinkId kNoLink = std::numeric_limits<LinkId>::max();

/// What a flow takes of a link: `weight` times its rate.
struct LinkShare {
  LinkId link;
  double weight;
};

/// The weighted max-min fair rates of a changing set of flows over links. A flow's level is its
/// rate times its penalty; a flow is as fast as its bound, or it has a bottleneck: a full link on
/// which nobody has a higher level. spec: SMPI model, 3.4; bandwidth_sharing.cc.
class BandwidthSharing {
 public:
  /// `lazy`: as SimGrid's lazy update, which notices some new flows late; lazy_update.cc.
  explicit BandwidthSharing(const LinkView& links, bool lazy = false);

  /// `penalty` > 0, `bound` >= 0; shares name each link once. The rate is there after solve().
  FlowId add(std::span<const LinkShare> shares, double penalty, double bound);
  void remove(FlowId flow);
  /// A message begins whose flow will use these links. Only lazy updates look.
  void announce(std::span<const LinkShare> shares);

  /// Brings all rates up to date; returns the flows whose rates changed, new ones included. Cost:
  /// follows the flows that change and their links' other flows.
  std::span<const FlowId> solve();

  double rate(FlowId flow) const { return flows_[flow].rate; }
  double bound(FlowId flow) const { return flows_[flow].bound; }
  std::span<const LinkShare> shares(FlowId flow) const { return flows_[flow].shares; }
  /// The link that keeps the flow below its bound, or kNoLink.
  LinkId bottleneck(FlowId flow) const { return flows_[flow].bottleneck; }

  /// How often solve() had work, and how many rates it computed: what the work follows.
  struct Work {
    std::uint64_t solves = 0, rounds = 0, flows = 0;
  };
  const Work& work() const { return work_; }

 private:
  struct Member {
    FlowId flow;
    std::uint32_t share;  ///< index into the flow's shares
    double weight;

    bool operator==(const Member&) const = default;
  };
  // What every round looks at comes first, so that it shares a cache line.
  struct Flow {
    double rate = 0, penalty = 1, bound = 0, before = 0;
    double counted = 0;        ///< the rate that its links' `use` has
    std::uint64_t narrow = 0;  ///< which shares are of touched links; by bit, in a round
    LinkId bottleneck = kNoLink;
    std::uint32_t overlooked = 0;  ///< lazy: how many of its links do not know of it yet
    std::uint32_t visit = 0;       ///< lazy: the last date at which marking came by
    bool active = false;           ///< among those that are solved for now
    bool settled = false;          ///< has its new rate
    std::vector<LinkShare> shares{};
    std::vector<std::uint32_t> places{};  ///< in its links' lists of members
  };
  struct LinkState {
    double demand = 0;   ///< if all members had their bounds; see demand_of
    double full_at = 0;  ///< of use or demand: the capacity but for rounding
    double capacity = 0;
    double use = 0;  ///< of all members; not kept for fatpipes
    double usage = 0, remaining = 0;
    double level = 0;           ///< of those who were last stopped here
    std::uint32_t open = 0;     ///< active members without a new rate
    std::uint32_t stopped = 0;  ///< members whose bottleneck it is
    bool touched = false;
    bool disturbed = false;  ///< those who are stopped here may not be any more
    bool pipe = false;
    std::vector<Member> members{};
    std::uint32_t mark = 0, wanted = 0;  ///< lazy: dates
    std::vector<Member> overlooked{};    ///< lazy: flows that it does not know of yet
  };
  struct Candidate {
    double level;
    LinkId link;
  };

  double capacity(LinkId link) const { return links_[link].capacity; }
  bool is_pipe(LinkId link) const { return links_[link].pipe; }
  double demand_of(const LinkShare& share, double bound) const;
  bool can_fill(LinkId link) const { return links_[link].demand > links_[link].full_at; }
  void activate(FlowId flow);
  void disturb(LinkId link);
  void activate_disturbed();
  void activate_neighbours();
  void touch(LinkId link);
  double expected_rate(const Flow& flow) const;
  void touch_narrow_links(const Flow& flow);
  void count();
  bool check();
  void check_link(LinkId link);
  void join(FlowId flow, std::uint32_t share);

  // progressive_filling.cc
  void open_links();
  void open(LinkId link);
  void fill();
  double level(LinkId link) const;
  void settle(FlowId flow, double rate, LinkId bottleneck);
  void settle_share(const Flow& flow, std::size_t share);
  void stop(Flow& flow, LinkId bottleneck);
  void settle_members(LinkId link, double level);

  // lazy_update.cc
  static constexpr std::uint32_t kOutside = std::numeric_limits<std::uint32_t>::max();
  void overlook(FlowId flow, std::uint32_t share);
  void forget(FlowId flow, std::uint32_t share);
  void admit();
  void look_for(FlowId flow, std::size_t first_share);
  void mark_from(LinkId link);
  void mark(LinkId link);
  void notice(FlowId flow);
  void finish_marking();

  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<LinkState> links_;
  std::vector<FlowId> active_;
  std::size_t considered_ = 0;  ///< of the active ones, for touching their links
  std::vector<LinkId> touched_, disturbed_;
  std::size_t opened_ = 0;  ///< of the touched ones, which take part in the round
  std::vector<FlowId> by_bound_;
  std::vector<Candidate> heap_;
  std::vector<FlowId> changed_;
  Work work_;

  bool lazy_;
  bool admitted_ = false;  ///< the new flows of this date
  bool marking_ = false;   ///< it matters which links are marked
  std::uint32_t date_ = 1;
  std::uint64_t marked_ = 0;          ///< links and members looked at so far
  std::size_t looked_for_ = 0;        ///< links that matter and are not marked
  std::vector<FlowId> new_flows_;     ///< in their order
  std::vector<FlowId> partly_known_;  ///< flows of earlier dates that some links do not know of
  std::vector<LinkId> to_visit_;
};

}  // namespace slackline

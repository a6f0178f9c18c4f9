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

    bool operator==(const Member&) const = default;
  };
  struct Flow {
    std::vector<LinkShare> shares{};
    std::vector<std::uint32_t> places{};  ///< in its links' lists of members
    double penalty = 1, bound = 0, rate = 0, before = 0;
    LinkId bottleneck = kNoLink;
    std::uint32_t visit = 0;       ///< lazy: the last date at which marking came by
    std::uint32_t overlooked = 0;  ///< lazy: how many of its links do not know of it yet
    bool active = false;           ///< among those that are solved for now
    bool settled = false;          ///< has its new rate
  };
  struct LinkState {
    std::vector<Member> members{};
    double demand = 0;  ///< if all members had their bounds; see demand_of
    double usage = 0, remaining = 0;
    double capacity = 0;
    std::uint32_t open = 0;              ///< active members without a new rate
    std::uint32_t mark = 0, wanted = 0;  ///< lazy: dates
    std::vector<Member> overlooked{};    ///< lazy: flows that it does not know of yet
    bool touched = false;
    bool pipe = false;
  };
  struct Candidate {
    double level;
    LinkId link;
  };

  double capacity(LinkId link) const { return links_[link].capacity; }
  bool is_pipe(LinkId link) const { return links_[link].pipe; }
  double demand_of(const LinkShare& share, double bound) const;
  bool can_fill(LinkId link) const;
  void activate(FlowId flow);
  void touch(LinkId link);
  void open_links();
  void fill();
  double level(LinkId link) const;
  void settle(FlowId flow, double rate, LinkId bottleneck);
  void settle_members(LinkId link, double level);
  bool check();
  void check_link(LinkId link);
  void join(FlowId flow, std::uint32_t share);

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
  std::vector<LinkId> touched_;
  std::vector<FlowId> by_bound_;
  std::vector<Candidate> heap_;
  std::vector<FlowId> changed_;
  Work work_;

  bool lazy_;
  bool admitted_ = false;  ///< the new flows of this date
  bool marking_ = false;   ///< it matters which links are marked
  std::uint32_t date_ = 1;
  std::size_t looked_for_ = 0;        ///< links that matter and are not marked
  std::vector<FlowId> new_flows_;     ///< in their order
  std::vector<FlowId> partly_known_;  ///< flows of earlier dates that some links do not know of
  std::vector<LinkId> to_visit_;
};

}  // namespace slackline

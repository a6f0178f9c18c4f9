#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/span_pool.h"
#include "sim/level_queue.h"
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
  struct Ways {
    bool lazy = false;  ///< as SimGrid's lazy update, which notices some flows late; lazy_update.cc
    bool pools = false;  ///< who asks follows the levels of pools; sharing_pools.cc
  };
  BandwidthSharing(const LinkView& links, Ways ways);

  /// A flow that does not take part yet. `penalty` > 0, `bound` >= 0; shares name each link once.
  FlowId create(std::span<const LinkShare> shares, double penalty, double bound);
  /// Its message begins. Only lazy updates look.
  void announce(FlowId flow);
  /// It takes part from now on. The rate is there after solve().
  void start(FlowId flow);
  /// A flow that takes part at once.
  FlowId add(std::span<const LinkShare> shares, double penalty, double bound);
  void remove(FlowId flow);

  /// Brings all rates up to date; returns the flows whose rates changed, new ones included. Those
  /// in pools have changed when they join or leave one. A flow may be there twice. Cost: follows
  /// the flows that change and their links' other flows.
  std::span<const FlowId> solve();
  /// Pools, by the links that stop their flows, whose levels the last solve() changed.
  std::span<const LinkId> moved_pools() const { return moved_pools_; }
  /// The flow's pool, whose level over the flow's penalty is its rate; kNoLink: in none.
  LinkId pool(FlowId flow) const { return flows_[flow].pooled ? flows_[flow].bottleneck : kNoLink; }
  /// Of those who are stopped at the link.
  double level(LinkId link) const { return links_[link].level; }

  double rate(FlowId id) const {
    const Flow& flow = flows_[id];
    return flow.pooled ? links_[flow.bottleneck].level / flow.penalty : flow.rate;
  }
  double penalty(FlowId flow) const { return flows_[flow].penalty; }
  double bound(FlowId flow) const { return flows_[flow].bound; }
  /// The link that keeps the flow below its bound, or kNoLink.
  LinkId bottleneck(FlowId flow) const { return flows_[flow].bottleneck; }

  /// How often solve() had work, and how many rates it computed: what the work follows.
  struct Work {
    std::uint64_t solves = 0, links = 0, flows = 0;
  };
  const Work& work() const { return work_; }

 private:
  static constexpr std::uint32_t kOutside = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kBehind = kOutside;
  struct Member {
    FlowId flow;
    std::uint32_t share;  ///< index into the flow's shares
    double weight;

    bool operator==(const Member&) const = default;
  };
  /// Of a flow that keeps its rate; whose rate is to be found; is being found; has been found.
  enum class State : std::uint8_t { idle, waiting, open, settled };
  /// Of a flow in a link.
  struct Share {
    LinkId link;
    std::uint32_t place;  ///< in the link's list of members; kOutside: not in it
    double weight;
  };
  // What a sweep looks at comes first, so that it shares a cache line; likewise below.
  struct Flow {
    double rate = 0, penalty = 1, bound = 0, before = 0;
    LinkId bottleneck = kNoLink;
    State state = State::idle;
    bool pooled = false;           ///< its bottleneck's level is its own; `rate` is of no account
    std::uint32_t overlooked = 0;  ///< lazy: how many of its links do not know of it yet
    std::uint32_t visit = 0;       ///< lazy: the last round of marking that came by
    std::uint64_t since = 0;       ///< lazy: date and place in it when it began, later places being
                                   ///< less; 0: no link overlooks it beyond its own date
    std::span<Share> shares{};
  };
  struct alignas(64) LinkState {
    double use = 0;      ///< of all members that are not open, those of pools as at their ceilings;
                         ///< not kept for fatpipes, and pools' own links
    double usage = 0;    ///< of the open members, or its pool's: what they take a unit of level
    double wish = 0;     ///< of the open members, if they had their bounds
    double full_at = 0;  ///< of use or demand: the capacity but for rounding
    double capacity = 0;
    double level = 0;                ///< of those who are stopped here
    std::uint32_t open = 0;          ///< members
    std::uint32_t stopped = 0;       ///< members whose bottleneck it is, open ones not counted
    std::uint32_t place = kOutside;  ///< in levels_; kOutside: the sweep has not come by
    bool opened = false;             ///< flows were, and its next level is to be found
    bool filled = false;             ///< by this sweep: those who are stopped here are settled
    bool pipe = false;
    bool pooled = false;   ///< those who are stopped here are a pool
    bool awaited = false;  ///< it has a level at which it has to come up in any case
    // The second cache line.
    std::vector<Member> members{};
    std::vector<Member> overlooked{};  ///< lazy: flows that it does not know of yet
    double demand = 0;                 ///< if all members had their bounds; see demand_of
    std::uint32_t wanted = 0;          ///< lazy: the last date; kBehind: every date
    // The third.
    std::uint32_t behind = 0;       ///< lazy: its place in behind_, if it is there
    std::uint32_t patience = 0;     ///< fillings until those who are stopped here may be a pool
    double base = 0;                ///< pool: use of the others
    double ceiling = 0, floor = 0;  ///< pool: levels between which nothing else changes
    bool disturbed = false;         ///< those who are stopped here may not be any more
  };

  static constexpr double kNever = LevelQueue::kNever;

  bool is_pipe(LinkId link) const { return links_[link].pipe; }
  double demand_of(LinkId link, double weight, double bound) const;
  bool can_fill(const LinkState& link) const { return link.demand > link.full_at; }
  bool can_fill(LinkId link) const { return can_fill(links_[link]); }
  void join(FlowId flow, std::uint32_t share);
  void activate(FlowId flow);
  void disturb(LinkId link);
  void activate_disturbed();

  // progressive_filling.cc
  void sweep();
  void open(FlowId flow);
  void open_share(const Flow& flow, const Share& share);
  void open_link(LinkId link);
  void enqueue_opened();
  void enqueue(LinkId link);
  double next_in_queue(LinkId link);
  void await(LinkState& link, bool awaited);
  bool has_stopped(const LinkState& link) const { return link.stopped > 0 && !link.filled; }
  bool comes_up(const LinkState& link) const;
  double next_level(const LinkState& link) const;
  void reach(LinkId link, double level);
  void open_stopped(LinkId link);
  bool settle_bounded(LinkId link, double level);
  bool open_higher(LinkId link, double level);
  void count(LinkState& link);
  void settle(FlowId flow, double rate, LinkId bottleneck);
  void stop(Flow& flow, LinkId bottleneck);
  void close_links();

  // sharing_pools.cc
  void settle_pools();
  void form_pools();
  void try_pool(LinkId link);
  bool raise_pool(LinkId link, double ceiling);
  bool join_pool(FlowId flow);
  void leave_pool(Flow& flow);
  bool move_pool(LinkId link);
  [[gnu::noinline]] void dissolve(LinkId link);
  void use_others(const Flow& flow, LinkId pool, double rate);
  bool suits(const Flow& flow, LinkId pool, double ceiling) const;
  bool leaves_room(const Flow& flow, LinkId pool) const;

  // lazy_update.cc
  void overlook(FlowId flow, std::uint32_t share);
  void forget(FlowId flow, std::uint32_t share);
  void admit();
  void look_for(FlowId flow);
  bool is_behind(const LinkState& link) const { return link.wanted == kBehind; }
  void fall_behind(LinkId link);
  void catch_up(LinkId link);
  bool is_marked(LinkId link) const { return marks_[link] >= first_round_; }
  void mark_from(LinkId link);
  std::size_t count_awaited() const;
  void follow(bool to_the_end);
  void visit(const std::vector<Member>& members);
  void meet();
  bool hangs_on_marked(const LinkState& link) const;
  void mark(LinkId link);
  void notice(FlowId flow);
  void find_to_tell(bool all);
  void tell(FlowId flow, bool all);
  void stay_overlooked(FlowId flow, std::size_t place);
  void finish_marking();

  SpanPool<Share> pool_;
  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<LinkState> links_;
  std::vector<FlowId> active_;  ///< all but the idle ones
  std::vector<LinkId> opened_, disturbed_;
  LevelQueue levels_;  ///< at which links come up in this sweep
  std::size_t open_flows_ = 0, awaited_links_ = 0;
  std::size_t pools_ = 0;
  std::vector<LinkId> filled_;       ///< by the last sweep, and may become pools
  std::vector<LinkId> moved_pools_;  ///< by the last solve()
  std::vector<FlowId> released_;     ///< likewise, from pools
  std::vector<FlowId> changed_;
  Work work_;

  Ways ways_;
  bool admitted_ = false;  ///< the new flows of this date
  bool marking_ = false;   ///< it matters which links are marked
  std::uint32_t date_ = 1;
  std::uint64_t marked_ = 0;       ///< links and members looked at so far
  std::size_t looked_for_ = 0;     ///< links that matter and are not marked
  std::vector<FlowId> new_flows_;  ///< in their order
  std::vector<LinkId> behind_;     ///< links that do not know of some flows of earlier dates
  std::vector<LinkId> to_tell_;    ///< of these, who may get to know them now; some twice
  std::vector<FlowId> told_;       ///< scratch
  std::vector<LinkId> wanted_;     ///< links that are looked for, or were; the other ones
                                   ///< of these only if they are few
  bool few_wanted_ = false;
  std::vector<std::uint32_t> marks_;  ///< by link: the last round that came by; dense, as marking
                                      ///< asks for little else
  std::uint32_t round_ = 1;           ///< of marking: from one link
  std::uint32_t first_round_ = 1;     ///< of this date
  std::vector<LinkId> to_visit_;      ///< what this round has marked
  std::size_t visited_ = 0;           ///< of these
  std::size_t awaited_ = 0;           ///< links that are looked for, and may come up in this round
};

}  // namespace slackline

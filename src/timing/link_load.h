#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/findings.h"
#include "graph/execution_graph.h"
#include "timing/model_schedule.h"

namespace slackline {

inline constexpr FindingKind kLinkExceeded{
    "link_exceeded", Severity::notice,
    "Messages that leave or reach a rank at the same time and together need more than the "
    "bandwidth of its link, beyond what link occupancy covers: the model does not make them wait "
    "for one another, so that the predicted time is too short."};

/// What a rank's link would add to a schedule, if it took one message after the other.
struct LinkDelay {
  std::int64_t longest_ps = 0;  ///< by which a receive would complete later, at most
  std::int32_t rank = -1;       ///< whose link it is; -1: none
  bool sending = false;         ///< or receiving
};

/// The messages of all ranks as they take the links, one part of a run after the other.
class LinkLoad {
 public:
  explicit LinkLoad(std::int32_t ranks);

  /// The messages of a part. O(edges); 24 bytes a message that counts, in both directions.
  void add(const ExecutionGraph& graph, const Schedule& schedule, const PicosecondCost& cost);
  /// No message that is still to be added begins before that time: those that do are settled, and
  /// take no memory any more. Where a rank's messages are not in order of time, O(their sorting).
  void settle(std::int64_t before_ps);
  /// The largest delay of what was settled.
  LinkDelay longest() const;

  /// The state after the parts so far (base/packed.h).
  auto carried() { return std::tie(sent_, received_); }

 private:
  struct Transfer {
    std::int64_t begin_ps;
    std::int64_t slack_ps;  ///< by which it may come later without its receiver's noticing
    std::int64_t length_ps;

    auto operator<=>(const Transfer&) const = default;
  };
  /// One direction of a rank's link.
  struct Link {
    std::vector<Transfer> transfers{};  ///< to be settled
    std::int64_t free_at_ps = 0;
    std::int64_t longest_ps = 0;

    void settle(std::int64_t before_ps);
    auto carried() { return std::tie(transfers, free_at_ps, longest_ps); }
  };

  std::vector<Link> sent_;  // by rank
  std::vector<Link> received_;
};

/// The largest such delay of all ranks and of both directions: each message holds the link of its
/// sender and that of its receiver for its bytes times G, in the order in which the schedule has
/// them; of those that begin at one time, the one that can wait least comes first. 0 where no two
/// messages of a rank overlap, or none that a receive is waited for. O(edges), where a rank's
/// messages are not in order of time also their sorting; 24 bytes a message.
LinkDelay longest_link_delay(const ExecutionGraph& graph, const Schedule& schedule,
                             const PicosecondCost& cost);

/// Whether a prediction of that length may be told without the delay.
bool is_negligible(const LinkDelay& delay, std::int64_t makespan_ps);

/// The same; none (rank -1) where it is negligible.
LinkDelay material_link_delay(const ExecutionGraph& graph, const Schedule& schedule,
                              const PicosecondCost& cost);

/// "rank 0 sends: up to 134.7 us later"
std::string describe(const LinkDelay& delay);
/// The same in a sentence of a report.
std::string sentence(const LinkDelay& delay);

}  // namespace slackline

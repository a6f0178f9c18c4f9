#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "analysis/paths/call_activities.h"
#include "analysis/waits/wait_states.h"
#include "base/arithmetic.h"
#include "trace/trace.h"

namespace slackline {

/// The kinds of waiting by which delay costs are distinguished.
enum class DelayKind : std::uint8_t {
  late_sender,
  late_receiver,
  all_to_all,
  one_to_all,
  all_to_one
};
inline constexpr std::size_t kDelayKinds = 5;
/// The name of a kind in results.
std::string_view identifier(DelayKind kind);
/// The kind under which delays that cause waiting of a pattern are reported: at windows, a late
/// target or lock holder is as a late receiver, and a late origin as a late sender.
DelayKind delay_kind(WaitPattern pattern);

/// An activity of one rank: computation (operation none) in a call path, communication, or that it
/// started late.
struct RankActivity {
  std::int32_t rank = 0;
  PathId path = 0;
  Operation operation = Operation::none;
  bool late_start = false;

  auto operator<=>(const RankActivity&) const = default;
};

/// What one activity of one rank made others wait.
struct DelayCost {
  RankActivity of;
  /// Waiting that it caused itself, and what that waiting caused in turn; ns, by kind.
  std::array<FixedPointSum, kDelayKinds> short_term{};
  std::array<FixedPointSum, kDelayKinds> long_term{};

  double total() const;
  const RankActivity& key() const { return of; }
  void add(const DelayCost& other);
};

/// How each waiting came about.
struct WaitOrigin {
  double direct_ns = 0;       ///< explained by a delay of the one waited for
  double indirect_ns = 0;     ///< explained by its own waiting
  double propagating_ns = 0;  ///< made somebody else wait later; the rest is terminal
  double charged_ns = 0;      ///< the costs of delays of the one waited for before this wait
};

struct DelayCosts {
  std::vector<DelayCost> costs;     ///< largest total first, then by activity
  std::vector<WaitOrigin> origins;  ///< one for each of WaitStates::states
  FixedPointSum unexplained_ns;     ///< waiting that no difference of the two ranks explains
  std::int64_t waiting_ns = 0;      ///< effective, with a cause; short + long + unexplained
};
/// Largest total first, then by activity.
void sort_by_total(std::vector<DelayCost>& costs);

/// Is told how each wait came about, piece by piece. Waits are named by their places in
/// WaitStates::states.
class DelayVisitor {
 public:
  virtual ~DelayVisitor() = default;
  /// `ns` of `wait` come from what `activity` took `rank` longer.
  virtual void delayed(std::size_t wait, std::int32_t rank, ActivityId activity, double ns) = 0;
  /// `ns` of it come from the waiting of `earlier`.
  virtual void propagated(std::size_t wait, std::size_t earlier, double ns) = 0;
};

/// Which activities caused the waiting, directly or through others' waiting (Boehme's delay costs,
/// as in Scalasca). O(calls + synchronisation points between a wait and the last one of its two
/// ranks, over all waits); where polls fail, as much again and a sort of the waits.
DelayCosts delay_costs(const Trace& trace, const CallMatching& matching, const WaitStates& waits,
                       const CallActivities& names, DelayVisitor* visitor = nullptr);

}  // namespace slackline

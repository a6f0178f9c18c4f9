#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline {

/// The waiting of one member in a collective.
class CollectiveWaits {
 public:
  /// Keeps references. Linear in the members of collectives, in threads; 40 bytes a collective.
  CollectiveWaits(const Trace& trace, const CallMatching& matching);

  /// Appends what `rank` waited in `call` for collective `id`, which the call completes.
  void add(std::int32_t rank, CallIndex call, std::uint32_t id, std::vector<WaitState>& out) const;

  /// The call by which a member enters a collective.
  struct Late {
    std::int64_t begin_ns;
    std::int32_t rank;
    CallIndex call;
  };
  /// The last one, of those whose data `rank` needs in collective `id`.
  std::optional<Late> last_needed(std::int32_t rank, std::uint32_t id) const;

 private:
  struct Entries {
    std::int64_t first_exit = std::numeric_limits<std::int64_t>::max();
    std::int64_t last_enter = std::numeric_limits<std::int64_t>::min();
    std::int64_t last_sender = std::numeric_limits<std::int64_t>::min();
    std::int32_t last_rank = -1;
    CallIndex last_call = kNoCall;
  };
  struct Place {
    std::int32_t rank;
    CallIndex call;
  };

  std::int64_t begin(std::int32_t rank, CallIndex call) const {
    return trace_.calls(rank).begin_ns(call);
  }
  std::int64_t end(std::int32_t rank, CallIndex call) const {
    return trace_.calls(rank).end_ns(call);
  }
  Entries entries_of(const CollectiveInstance& c) const;
  static Late last_of(const Entries& e) { return {e.last_enter, e.last_rank, e.last_call}; }
  void wait_for(WaitPattern pattern, Place at, Late whom, std::vector<WaitState>& out) const;
  void completion(WaitPattern pattern, Place at, const Entries& e,
                  std::vector<WaitState>& out) const;
  void all_wait(WaitPattern wait, WaitPattern completion_of, Place at, const Entries& e,
                std::vector<WaitState>& out) const;
  void selective(const CollectiveInstance& c, const CollectiveMember& me, Place at,
                 std::vector<WaitState>& out) const;
  void late_broadcast(const CollectiveInstance& c, const CollectiveMember& me,
                      std::vector<WaitState>& out) const;
  void nonblocking(std::uint32_t id, Place at, std::vector<WaitState>& out) const;
  void latest_needed(const CollectiveInstance& c, const CollectiveMember& me, WaitPattern pattern,
                     Place at, std::vector<WaitState>& out) const;
  std::optional<Late> latest_needed(const CollectiveInstance& c, const CollectiveMember& me) const;

  const Trace& trace_;
  const CallMatching& matching_;
  std::vector<Entries> entries_;  // of each collective
};

}  // namespace slackline

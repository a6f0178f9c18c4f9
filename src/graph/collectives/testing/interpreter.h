#pragma once

// Test support: runs the steps of all ranks of a collective and watches what happens.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/collectives/schedule.h"

namespace slackline::test {

/// Ranks as a bit set; the tests use at most 64.
using RankSet = std::uint64_t;
inline RankSet only(std::int32_t rank) {
  return RankSet{1} << rank;
}
inline RankSet first_ranks(std::int32_t count) {
  return count >= 64 ? ~RankSet{0} : only(count) - 1;
}

enum class Sends : std::uint8_t {
  eager,       ///< a send completes when it starts
  synchronous  ///< a send completes when its receive has been posted
};

/// A collective as all its ranks perform it.
struct Performance {
  /// Why it is no valid performance: a deadlock, a size that differs, a message left over.
  std::string defect{};
  std::vector<RankSet> knows{};  ///< whose contribution each rank has heard of in the end
  std::vector<std::uint64_t> bytes_sent{}, bytes_received{};
  std::vector<std::int64_t> messages_sent{};
  /// Time until the last rank is done if a message takes one unit and a rank sends one at a time.
  std::int64_t rounds = 0;

  std::uint64_t total_bytes() const;
  std::int64_t total_messages() const;
};

using Programs = std::vector<std::vector<CollectiveStep>>;

/// The steps of every rank; `own` is empty or has one entry per rank.
Programs programs(const CollectiveAlgorithm& algorithm, const CollectiveCall& call,
                  const std::vector<std::vector<std::int64_t>>& own = {});

/// Every message carries all that its sender knows when the send starts; a receiver knows it once
/// the receive (or the wait for it) is over.
Performance perform(const Programs& programs, Sends sends);

}  // namespace slackline::test

#pragma once

#include <cstdint>
#include <vector>

#include "formats/dumpi/functions.h"
#include "trace/trace_builder.h"

namespace slackline::dumpi {

/// One rank's call that makes a communicator or a group, in the order of the rank.
struct MembershipEvent {
  const Function* function = nullptr;
  std::int64_t comm = 0;  ///< handles are worth something on their rank only
  std::int64_t new_comm = 0;
  std::int64_t group = 0;
  std::int64_t group1 = 0;
  std::int64_t group2 = 0;
  std::int64_t new_group = 0;
  std::int64_t color = 0;
  std::int64_t key = 0;
  std::vector<std::int64_t> ranks;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> remain_dims;
  std::vector<std::vector<std::int64_t>> ranges;
};

/// Does the call make a communicator or a group?
bool is_membership_event(const Record& record);
MembershipEvent membership_event(const Record& record);

/// What each event of a rank made.
struct MadeMembers {
  std::uint32_t comm = kCommNull;   ///< of the Trace; kCommNull if none, or not known
  std::vector<std::int32_t> group;  ///< world ranks; of events that make a group
};

/// Finds the members of all communicators, which DUMPI does not record, from the calls that made
/// them: all members of a communicator make others from it in the same order. Adds them to `trace`.
/// Ranks without a recording, and those whose recording ends early, take part in nothing more.
/// `events` by rank; so is the result, one for each event. Linear in the events, and in the members
/// of what they make.
std::vector<std::vector<MadeMembers>> make_communicators(
    const std::vector<std::vector<MembershipEvent>>& events, TraceBuilder& trace);

// Handles of what MPI provides.
inline constexpr std::int64_t kHandleCommNull = 1;
inline constexpr std::int64_t kHandleWorld = 2;
inline constexpr std::int64_t kHandleSelf = 3;
inline constexpr std::int64_t kHandleGroupEmpty = 2;

}  // namespace slackline::dumpi

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calls/call_matching.h"
#include "calls/collective_scope.h"
#include "replay/rank_windows.h"
#include "trace/trace.h"

namespace slackline {

/// Words for a collective call at windows, or at files, that some members never enter, or in which
/// different ones meet, so that a process would wait forever; empty if there is none. Linear.
std::string incomplete_collective(const Trace& trace, const CallMatching& matching,
                                  CollectiveScope scope);

/// The windows of a program, each with room for the largest transfer to each rank: a recording
/// does not tell their sizes, nor where in them a transfer goes.
class WindowPlan {
 public:
  /// Linear in calls.
  WindowPlan(const Trace& trace, const CallMatching& matching);

  bool empty() const { return !any_; }
  /// Why the calls at windows cannot be made again, or could make a process wait forever; empty if
  /// they can.
  const std::string& refusal() const { return refusal_; }
  /// Size of the rank's part of the window.
  std::uint64_t bytes(const WindowId& window, std::int32_t rank) const;

 private:
  bool any_ = false;
  std::string refusal_;
  std::map<std::pair<WindowId, std::int32_t>, std::uint64_t> bytes_;
};

/// MPI-IO without files: members of a communicator wait for each other where they did in the run,
/// and then for as long as the call took the rank that came last. What one rank does alone takes as
/// long as in the run.
class FilePlan {
 public:
  /// Linear in calls. Keeps references.
  FilePlan(const Trace& trace, const CallMatching& matching);

  bool empty() const { return calls_ == 0; }
  std::uint64_t calls() const { return calls_; }
  /// Why a process would wait forever; empty if none would.
  const std::string& refusal() const { return refusal_; }

  struct Access {
    std::uint32_t comm =
        kCommNull;  ///< whose members wait for each other; kCommNull: the call waits for no other
    std::int64_t ns = 0;  ///< after the waiting
  };
  /// For a call of OperationClass::io. Constant.
  Access access(std::int32_t rank, CallIndex call) const;

 private:
  std::int64_t length_ns(std::int32_t rank, CallIndex call) const;

  const Trace& trace_;
  const CallMatching& matching_;
  std::uint64_t calls_ = 0;
  std::string refusal_;
  std::vector<bool> not_synchronising_;  // by collective
  std::vector<std::int64_t> shortest_ns_;
};

}  // namespace slackline

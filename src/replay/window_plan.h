#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "calls/call_matching.h"
#include "replay/rank_windows.h"
#include "trace/trace.h"

namespace slackline {

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

}  // namespace slackline

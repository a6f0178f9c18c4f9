#pragma once

#include <string_view>

#include "trace/goal/order.h"
#include "trace/trace_builder.h"

namespace slackline {

/// One order of a GOAL program as an untimed Trace, for what works on lists of MPI calls: calcs
/// become computation, sends nonblocking sends that a Waitall at the end completes, receives
/// blocking receives. It cannot deadlock. What was free to run side by side is in sequence
/// (a Finding says so), and cpu and nic are left out.
Trace linearise(const GoalProgram& program, std::string_view name);

/// The same Trace, call after call, for whoever walks a GoalOrder anyway.
class GoalLinearisation {
 public:
  explicit GoalLinearisation(const GoalProgram& program);

  /// In the order of GoalOrder::walk(). Steps other than `done` are ignored.
  void add(const GoalOrder& order, const GoalMoment& moment);
  /// Number of the call that the next send or receive of `rank` becomes.
  std::uint32_t next_call(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(trace_.calls(static_cast<std::int32_t>(rank)).size());
  }
  Trace finish(const Findings& matching) &&;

 private:
  struct RankState {
    std::int64_t now_ns = 0;
    std::uint32_t requests = 0;
  };

  TraceBuilder trace_;
  std::vector<RankState> ranks_;
};

}  // namespace slackline

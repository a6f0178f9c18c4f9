#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace slackline::oracle {

/// One call of a program, with the computation before it and (in timed traces) its duration.
struct ProgramCall {
  Call call{};  ///< its `args` are those below; times are given when a Trace is made
  std::vector<std::int64_t> args{};
  std::int64_t gap_ns = 0;
  std::int64_t duration_ns = 0;
};

/// An MPI program as lists of calls that can still be changed, unlike a Trace.
struct Program {
  std::vector<std::vector<ProgramCall>> ranks;
  std::vector<Communicator> communicators;  ///< from number 2 on
  std::vector<std::int64_t> tails_ns;       ///< computation after the last call; one a rank
  bool timed = false;
  /// Timed: how long each rank stays in MPI_Init; it is the trace's first call then.
  std::vector<std::int64_t> init_ns;
  /// Every this many calls the user region changes; 0: no regions.
  std::size_t region_every = 0;

  std::int32_t size() const { return static_cast<std::int32_t>(ranks.size()); }
};

Trace to_trace(const Program& program);

/// The same program with rank r called `names[r]`.
Program renamed(const Program& program, const std::vector<std::int32_t>& names);
/// All computation (and all durations) times `factor`.
Program scaled(const Program& program, std::int64_t factor);
/// One rank more, which does nothing.
Program with_idle_rank(const Program& program);

}  // namespace slackline::oracle

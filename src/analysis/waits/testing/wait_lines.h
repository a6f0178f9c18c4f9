#pragma once

#include <string>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_matching.h"
#include "trace/trace.h"

namespace slackline::testing {

/// "rank.call pattern ns<-rank waited for": the wait states of a trace, for tests.
inline std::vector<std::string> wait_lines(const Trace& trace, const WaitOptions& options = {}) {
  std::vector<std::string> lines;
  for (const WaitState& s : wait_states(trace, CallMatching(trace), options).states) {
    lines.push_back(std::to_string(s.rank) + "." + std::to_string(s.call) + " " +
                    std::string(identifier(s.pattern)) + " " + std::to_string(s.wait_ns) + "<-" +
                    std::to_string(s.cause_rank));
  }
  return lines;
}

}  // namespace slackline::testing

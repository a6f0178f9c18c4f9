#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "analysis/waits/wait_states.h"
#include "calls/call_matching.h"
#include "calls/call_paths.h"
#include "page/timeline.h"
#include "report/report.h"
#include "sim/simulation.h"
#include "trace/trace.h"

namespace slackline {

/// A run simulated on a machine. Refers to what it is made of.
struct SimulatedRun {
  const Simulation& simulation;  ///< for pictures with `record`
  const Platform& platform;
  std::string machine;          ///< its name for people: the file's
  std::size_t links_shown = 8;  ///< of the most contended ones
};

/// The row of a simulated run, which every analysis takes as if it had been measured: who waits for
/// whom there, and its critical path. `simulation` has `record`.
class SimulatedRow {
 public:
  SimulatedRow(const Trace& trace, const CallMatching& matching, const SimulatedRun& run);

  /// Beginning `offset_ns` after the time line's zero. Refers to this.
  TimelineRun drawn(std::int64_t offset_ns) const;

 private:
  std::string name_;
  Trace timed_;
  CallPaths paths_;
  WaitStates waits_;
  CriticalPath path_;
};

/// Use of the four most contended links over time; none where it was not kept.
std::vector<Timeline::Strip> link_strips(const SimulatedRun& run, std::int64_t offset_ns);

/// The links of the run's platform that lost most time, at most `links_shown`; none where their use
/// was not kept.
std::vector<LinkId> most_contended(const SimulatedRun& run);

/// Puts a picture of all links by their use before the table of those that are most contended, in
/// the section "links" or a child of that id; nothing where their use was not kept.
void add_link_map(std::vector<Section>& sections, const SimulatedRun& run);

/// The time line of `simulate`'s page: the measured run, if there is one, and the simulated one.
Section simulated_timeline(const Trace& trace, const CallMatching& matching,
                           const SimulatedRun& run);

}  // namespace slackline

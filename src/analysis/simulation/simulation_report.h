#pragma once

#include <string>
#include <vector>

#include "report/object.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"
#include "sim/experiments.h"
#include "sim/network/link_usage.h"
#include "sim/platform/platform.h"
#include "sim/simulation.h"
#include "trace/trace.h"

namespace slackline {

using SimulationJson = JsonOf<struct SimulationJsonTag>;
const JsonType& declared_type(const SimulationJsonTag*);
/// Result and sections; the caller adds options, input and findings. `links_shown` of the
/// most contended links are named, with their use over time, when the simulation kept it.
Described<SimulationJson> describe(const Simulation& simulation, const Trace& trace,
                                   const Platform& platform, std::size_t links_shown);

using SimulationTotalsJson = JsonOf<struct SimulationTotalsJsonTag>;
const JsonType& declared_type(const SimulationTotalsJsonTag*);
using SimulatedRanksJson = JsonOf<struct SimulatedRanksJsonTag>;
const JsonType& declared_type(const SimulatedRanksJsonTag*);
using SimulationDetailsJson = JsonOf<struct SimulationDetailsJsonTag>;
const JsonType& declared_type(const SimulationDetailsJsonTag*);
/// The parts of that result, for a result with more between them.
struct SimulationParts {
  SimulationTotalsJson totals;
  SimulatedRanksJson ranks;
  SimulationDetailsJson details;
};
SimulationParts parts_of(const Simulation& simulation, const Trace& trace, const Platform& platform,
                         std::size_t links_shown);

/// The links at which messages lost most time, and then those that carried most of what they can;
/// at most `shown` of those that carried anything. The simulation kept its links' use.
std::vector<LinkId> most_contended_links(const Simulation& simulation, const Platform& platform,
                                         std::size_t shown);

/// Part of its bandwidth that the link carries in each stretch of time (LinkUsage::stretch_seconds)
/// until the run's end; empty when the platform has too many links to keep it.
std::vector<double> link_use_over_time(const Simulation& simulation, const Platform& platform,
                                       LinkId link);

/// What contention costs, and where most.
std::string contention_sentence(const Simulation& simulation, const Platform& platform);

using SweepJson = JsonOf<struct SweepJsonTag>;
const JsonType& declared_type(const SweepJsonTag*);
/// A row for every combination of the axes' values.
Described<SweepJson> describe(const std::vector<SweepCase>& cases,
                              const std::vector<SweepAxis>& axes);

using ToleranceSearchJson = JsonOf<struct ToleranceSearchJsonTag>;
const JsonType& declared_type(const ToleranceSearchJsonTag*);
/// How much of `what` (as "latency of all links") the program takes; `alone`: the same degradations
/// without contention, where it is the LogGPS graph's longest path that grows.
Described<ToleranceSearchJson> describe(const ToleranceSearch& search, const ToleranceSearch& alone,
                                        const std::string& what);

/// A message: who sent it when, how long it took and would have taken alone, and which of the
/// platform's links held it back; empty where that is not known.
extern const Rows<SlowedMessage, Platform> kSlowedRows;

/// A simulation (recorded) as SimGrid's replay prints it: one line "end-date rank action" for each
/// finished action, by date; seconds with 12 digits. Actions of a trace that has calls only are its
/// calls, by their names in time-independent traces where those have one.
std::string simulated_actions(const Simulation& simulation, const Trace& trace);

}  // namespace slackline

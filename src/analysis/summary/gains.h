#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/paths/activities.h"
#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "calls/computation_code.h"
#include "report/report.h"
#include "report/rows.h"
#include "report/typed_report.h"

namespace slackline {

/// By how much the selected times are reduced, for which gains are listed, in percent.
inline constexpr std::array<int, 4> kGainSpeedups{10, 25, 50, 100};

/// What may take less, in the order of reports.
inline constexpr std::array<std::string_view, 6> kGainKinds{"computation", "region", "function",
                                                            "call-path",   "rank",   "operation"};

/// What the run gains when some computation or calls take less. The run time as a function of the
/// reduction is convex and piecewise linear, and its slope is the group's time on the critical
/// path; so the curve is known between points at which that is (to a millionth of the time on the
/// critical path).
struct GainCurve {
  std::string name;       ///< region, function, call path, rank or operation
  std::string kind;       ///< of kGainKinds
  double time_ns = 0;     ///< of all ranks; in calls without their waiting
  double share = 0;       ///< of all ranks' computation, or time in calls: as in a plain profile
  double on_path_ns = 0;  ///< on the critical path as the run is
  std::array<double, kGainSpeedups.size()> gain_ns{};
  /// Shortening it by more than this gains nothing more; 1: every bit counts.
  double saturation = 0;
};

/// Groups of a kind that have no curve.
struct OtherGains {
  std::string kind;
  std::uint64_t groups = 0;
  double most_ns = 0;  ///< that one of them can gain: its time on the critical path
};

struct Gains {
  bool measured = true;           ///< the run is a measured one, and no model's
  double run_ns = 0;              ///< of the analysed interval
  std::vector<GainCurve> curves;  ///< largest gain from removing it first, within each kind
  std::vector<OtherGains> others{};
};

/// The run executed with less of all computation, of each code region and function with what is
/// called from it, of each call path if asked for, of each rank and of each operation; at most
/// eight ranks and sixteen of each other kind, those with most time on the critical path. `waits`:
/// those of the analysed interval. O(calls + waits), and for every eight points of curves a walk
/// over the run (analysis/paths/scenario_times.h) in two threads: 136 bytes a call that another one
/// waits for, in each.
Gains gains(const Activities& run, const WaitStates& waits, const ComputationCode& code,
            const CallPaths& paths, bool call_paths = false);

extern const Rows<Gains> kGainRows;
using GainsJson = JsonBy<kGainRows>;
Described<GainsJson> describe(const Gains& gains);

}  // namespace slackline

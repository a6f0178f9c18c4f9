#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/efficiency/time_shares.h"
#include "analysis/openmp/openmp_use.h"
#include "analysis/paths/call_activities.h"
#include "analysis/waits/delay_costs.h"
#include "analysis/waits/wait_states.h"
#include "calls/call_matching.h"
#include "calls/computation_code.h"
#include "calls/run_span.h"
#include "report/object.h"
#include "report/report.h"
#include "trace/trace.h"

namespace slackline {

/// What the ranks' time is lost to.
enum class Limit : std::uint8_t {
  computation,             ///< nothing else takes much
  imbalance,               ///< ranks wait for one that does more
  serialisation,           ///< ranks are idle while another one works
  transfer,                ///< moving bytes
  message_rate,            ///< many small messages
  io,                      ///< calls of MPI-IO
  blocked,                 ///< all ranks are blocked outside of MPI: asleep, in I/O, on a device
  processors,              ///< ranks lack processors
  openmp_serial,           ///< threads are in no parallel region while their rank computes
  openmp_imbalance,        ///< threads wait at barriers for one that does more
  openmp_synchronisation,  ///< other waiting at barriers, begin and end of parallel regions
  unknown  ///< calls for which waiting is not known, or that their size does not explain
};
inline constexpr std::size_t kLimits = 12;
std::string_view to_string(Limit limit);  ///< "message_rate", for scripts
std::string_view name(Limit limit);       ///< "message rate", for people

enum class Confidence : std::uint8_t { certain, likely, weak };
std::string_view to_string(Confidence confidence);

/// One of the things that a run's time is lost to: how much, by whom, where and when.
struct LimitingCause {
  Limit limit = Limit::computation;
  double share = 0;                       ///< of the rank time in the analysed interval
  std::vector<std::int32_t> ranks{};      ///< that cause it, most first; empty: all or none
  FrameId frame = 0;                      ///< of the program's own function; 0: not known
  Operation operation = Operation::none;  ///< in which most is lost; none: computation
  bool only_operation = true;             ///< in which all of it is lost, but for a twentieth
  TimeInterval interval{};  ///< nine tenths of it lie in here, from the start of the run
  Confidence confidence = Confidence::likely;
  bool blocked = false;        ///< the ranks did not compute more, they were blocked
  bool late_start = false;     ///< the ranks did not do more, they started later
  bool by_cpu_time = false;    ///< imbalance of computation, not of measured waiting
  bool doubts_others = false;  ///< lack of processors that makes all other figures uncertain
  std::string evidence{};
};

/// What limiting_causes() takes, all of one analysed interval.
struct LimitInputs {
  const Trace& trace;
  const CallMatching& matching;
  const WaitStates& waits;
  const CallActivities& names;  ///< by functions, where the trace has call paths
  const DelayCosts& delays;     ///< of `waits` and `names`
  const ComputationCode& code;
  const TimeShares& shares;
  const OpenMPUse* openmp = nullptr;  ///< of that interval; null: no parallel regions
};

/// What limits the run, and then the other causes, largest first. Every moment of the ranks counts
/// for one of them at most (limit_losses.h). Lack of processors is first only where it is largest
/// and makes the others uncertain: where it takes a tenth of the rank time, hides load imbalance,
/// or more ranks ran than there are processors. Computation stands first, or second after that,
/// where no other loss is more than a twentieth of the rank time. Empty for an interval without
/// length. O(calls + waits).
std::vector<LimitingCause> limiting_causes(const LimitInputs& inputs);

using DiagnosisJson = JsonOf<struct DiagnosisJsonTag>;
const JsonType& declared_type(const DiagnosisJsonTag*);
/// As `result.diagnosis`: the first cause, with the others as its alternatives; nothing without
/// any.
std::optional<DiagnosisJson> diagnosis_to_json(const std::vector<LimitingCause>& causes,
                                               const CallTree& tree);
/// "Limited by load imbalance: ..."
std::string sentence(const LimitingCause& cause, const CallTree& tree);
/// All causes with their shares of the rank time.
Table limits_table(const std::vector<LimitingCause>& causes, const CallTree& tree);

}  // namespace slackline

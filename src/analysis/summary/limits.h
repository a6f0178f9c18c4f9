#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/efficiency/time_shares.h"
#include "analysis/openmp/openmp_use.h"
#include "analysis/paths/activities.h"
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

/// How much shorter the analysed interval would be without a loss, as shares of its length.
struct LimitGain {
  double share = 0;
  double certain = 0;  ///< whether or not ranks have processors of their own
  double low = 0;      ///< error bar: how much stretches of the run vary, what lack of processors
  double high = 0;     ///< and unknown waiting may hide
};

/// One of the things that a run's time is lost to: how much, by whom, where and when.
struct LimitingCause {
  Limit limit = Limit::computation;
  double share = 0;                       ///< of the rank time in the analysed interval
  double between_polls = 0;               ///< of rank time, for the same: computation only to wait
  std::optional<LimitGain> gain{};        ///< nothing of computation, and where it is not known
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

/// What the limits of a run are found by, all of one analysed interval.
struct LimitInputs {
  const Trace& trace;
  const CallMatching& matching;
  const WaitStates& waits;
  const Activities& run;  ///< the whole run
  const ComputationCode& code;
  const TimeShares& shares;
  const OpenMPUse* openmp = nullptr;  ///< of that interval; null: no parallel regions
};

class ScenarioRuns;

/// What limits the run, and then the other causes. First is the one without which the run would
/// certainly be shortest, and computation where that gains less than a twentieth, or after lack of
/// processors; the others by gain. Empty for an interval without length. O(calls + waits), see
/// limit_gains.h.
std::vector<LimitingCause> limiting_causes(ScenarioRuns& runs);

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

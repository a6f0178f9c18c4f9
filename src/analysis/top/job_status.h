#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/phases/monitor.h"
#include "analysis/top/recent_activity.h"
#include "calls/run_span.h"
#include "report/object.h"
#include "report/typed_report.h"
#include "trace/operation.h"

namespace slackline {

/// The function in which a rank spent most computation: from which it called MPI after it.
struct BusiestFunction {
  std::string function;
  std::string file;                 ///< of the source; empty: not known
  std::int64_t computation_ns = 0;  ///< in the recent interval
};

/// One rank of a job that is recorded.
struct RankStatus {
  enum class State : std::uint8_t {
    computing,
    in_mpi,
    ended,  ///< has passed MPI_Finalize
    gone,   ///< its process has ended without MPI_Finalize
  };
  std::int32_t rank = 0;
  std::string host{};
  State state = State::computing;
  Operation operation = Operation::none;  ///< in which it is
  std::int64_t since_ns = 0;              ///< of its state
  std::int64_t heard_ns = 0;              ///< when its last call ended
  MpiSums recent{};
  MpiSums whole{};
  std::optional<BusiestFunction> function{};
};
/// "computing", "in_mpi", "ended", "gone".
std::string_view to_string(RankStatus::State state);

/// Phases of a job that runs, as those of the part of it until a moment at which nothing is open.
struct EndedPhases {
  std::uint64_t calls = 0;                 ///< of the job when it was analysed last
  std::int64_t until_ns = 0;               ///< end of that part, from the start of the run
  std::string obstacle{};                  ///< why no later part could be analysed; empty: it could
  std::vector<FocusInterval> intervals{};  ///< that have ended
};

/// A job while it is recorded, as far as its ranks' files tell. Times are those of rank 0's clock.
struct JobStatus {
  enum class State : std::uint8_t {
    waiting,  ///< no rank has passed MPI_Init
    running,
    ended  ///< all ranks have, or their processes are gone
  };
  State state = State::waiting;
  std::string program{};
  std::string time{};     ///< of the look, in UTC
  std::string started{};  ///< in UTC
  std::int32_t size = 0;  ///< of MPI_COMM_WORLD
  TimeInterval whole{};   ///< from the first rank's entry into MPI_Init to the present
  TimeInterval recent{};
  std::int64_t clock_error_ns = 0;  ///< how far apart clocks of hosts may be, as known at MPI_Init
  std::vector<RankStatus> ranks{};  ///< that have a file; most recent computation first
  std::optional<EndedPhases> ended_phases{};  ///< nothing: no part was analysed yet
};
/// "waiting", "running", "ended".
std::string_view to_string(JobStatus::State state);

/// What POP's factors need of an interval, but for the run on an ideal network.
EfficiencyInputs efficiency_inputs(const JobStatus& job, const TimeInterval& interval,
                                   MpiSums RankStatus::*sums);

/// Whether no call of the rank has ended in the recent interval, while it runs.
bool is_silent(const JobStatus& job, const RankStatus& rank);

using JobStatusJson = JsonOf<struct JobStatusJsonTag>;
const JsonType& declared_type(const JobStatusJsonTag*);
/// With the `most` ranks that compute most.
Described<JobStatusJson> describe(const JobStatus& job, std::size_t most);

}  // namespace slackline

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options/reading_options.h"
#include "calls/disturbance.h"
#include "formats/open/open.h"
#include "replay/replay_file.h"
#include "whatif/scenario.h"

namespace slackline {

struct Report;

/// A trace that processes under MPI are to re-enact, changed or not.
struct ReplayRequest {
  std::string trace{};  ///< empty: the newest recording in the current folder
  ReadingOptions reading{};
  std::string scenario{};            ///< a scenario file; empty: only `edits`
  std::vector<std::string> edits{};  ///< "balance region=solve", after those of the file
  ReplayOptions options{};           ///< its cpu_time follows from `computation`
  std::string computation =
      "auto";  ///< "wall", "cpu"; auto: as of predictions (app/load/computation.h)
  /// Calls that cannot be replayed are computation of the time that they took.
  bool skip_unsupported = false;
  double tolerance = 0.005;  ///< operations that differ by more of the run's time are named
};

/// The program that is re-enacted.
struct PreparedReplay {
  OpenedTrace opened;
  std::optional<EditedProgram> edited{};  ///< with a scenario
  std::string scenario{};                 ///< its name
  ReplayFile file{};
  std::uint64_t skipped = 0;  ///< calls that are computation

  const Trace& program() const { return edited ? edited->trace : opened.trace; }
  std::int32_t ranks() const { return opened.trace.ranks(); }
};

/// Reads and edits the trace, and writes the programs of its ranks into `file`. Throws Error for
/// one that cannot be replayed.
PreparedReplay prepare_replay(const ReplayRequest& request, const std::filesystem::path& file);

/// Writes the program, edited as asked for, as a native trace without any names
/// (replay/stripped_program.h). Throws Error for one that cannot be replayed.
void export_skeleton(const ReplayRequest& request, const std::filesystem::path& path);

/// What the processes measured of themselves; the largest of any rank.
struct ReplayPace {
  std::int64_t behind_ns = 0;       ///< at the end
  std::int64_t behind_most_ns = 0;  ///< at any time
  std::int64_t call_ns = 0;         ///< own cost of a call, taken off the computation before it
  // Sums over the ranks.
  std::int64_t file_reads = 0, read_bytes = 0, file_writes = 0, written_bytes = 0;
  std::int64_t memory_bytes = 0;    ///< what computation should have moved in memory
  std::int64_t streamed_bytes = 0;  ///< and did
};
/// A rate as --memory-bandwidth has it, in bytes a second. Throws usage Error.
std::uint64_t memory_rate(const std::string& text);

/// Reads the report of the processes; zeros when there is none.
ReplayPace read_pace(const std::filesystem::path& report);

/// One replay as it was recorded.
struct RecordedReplay {
  Trace trace;  ///< of the program (replay/replay_file.h)
  ReplayPace pace{};
  Disturbance disturbance{};  ///< by other processes
};
RecordedReplay recorded_replay(const PreparedReplay& prepared, const std::filesystem::path& trace,
                               const std::filesystem::path& report);

/// Leaves out replays that other processes disturbed, if there are others.
ComparedRuns leave_out_disturbed(std::vector<RecordedReplay>& replays);

/// Index of the replay whose length is the median. At least one.
std::size_t median_replay(const std::vector<RecordedReplay>& replays);

/// Writes a replay as a native trace. Throws Error.
void save_replay(const RecordedReplay& replay, const std::filesystem::path& path);

/// Compares the replays with the run, or what became of it. At least one. `runs`: of
/// leave_out_disturbed().
Report report_replay(const ReplayRequest& request, const PreparedReplay& prepared,
                     const std::vector<RecordedReplay>& replays, const ComparedRuns& runs);

}  // namespace slackline

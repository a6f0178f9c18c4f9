#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace slackline {

/// One measured run: its added latency, and the recording that it leaves.
struct PlannedRun {
  std::int64_t added_ns = 0;
  int repetition = 0;  ///< from 1
  std::filesystem::path trace{};
};

/// Every latency once in each repetition, in an order drawn anew, so that what changes while it is
/// measured hits all alike. Recordings are FOLDER/runs/LATENCYns-REPETITION.slk. Deterministic for
/// a seed.
std::vector<PlannedRun> plan_runs(const std::filesystem::path& folder,
                                  const std::vector<std::int64_t>& latencies_ns, int repetitions,
                                  std::uint64_t seed);

/// What is to be measured, and how. All of it stays in `folder`: recordings of the runs, the
/// samples and the machine's file of the calibration, the output of the jobs, the command.
struct MeasurementOptions {
  std::vector<std::string> command{};
  std::string mpi{};  ///< "openmpi", "mpich"; empty: found out
  std::filesystem::path folder = "slackline-validation";
  std::vector<std::int64_t> latencies_ns{};
  int repetitions = 10;
  std::uint64_t eager_limit = 64 * 1024;
  std::string machine{};            ///< of the network without added latency; empty: calibrate
  double calibration_seconds = 15;  ///< of that
  std::uint64_t seed = 1;           ///< of the order of runs
  int retries = 2;                  ///< of a run that other processes disturb
};

struct Measurement {
  std::vector<PlannedRun> runs{};  ///< all of them, with their recordings
  /// The machine's file; where it is not there yet, `samples` has to be fitted first.
  std::filesystem::path machine{};
  std::filesystem::path samples{};
};

/// Measures what `folder` does not hold yet: the calibration and, after a run that does not count,
/// every planned run, each with its latency injected. Throws Error when a job fails, when nothing
/// was injected, or when the folder holds measurements of another command.
Measurement measure(const MeasurementOptions& options);

/// The launcher's words with the number of ranks replaced by two; unchanged without -n or -np.
std::vector<std::string> with_two_ranks(std::vector<std::string> command, std::size_t launcher);

/// "0,10us..100us": times, and ranges, which stand for ten evenly spaced times (10us, 20us ...
/// 100us). In nanoseconds, ascending, without duplicates, and always with 0. Throws usage Error.
std::vector<std::int64_t> parse_latencies(std::string_view text);

}  // namespace slackline

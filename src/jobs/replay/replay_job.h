#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"

namespace slackline {

/// The folder of a replay, which all its processes see.
struct ReplayFolder {
  std::filesystem::path path;

  /// What the processes re-enact (replay/replay_file.h).
  std::filesystem::path program() const { return path / "program"; }
  /// What they measured of themselves.
  std::filesystem::path report() const { return path / "report"; }
  /// The recording of the job.
  std::filesystem::path trace() const { return path / "recorded.slk"; }
};

struct ReplayJobOptions {
  std::vector<std::string> command{};  ///< the launcher and its options; a program is replaced
  std::string mpi{};                   ///< "openmpi", "mpich"; empty: found out
  bool yield = false;                  ///< waiting processes give their processor to others
  /// Where the processes make their files for MPI-IO; none: files are not accessed.
  std::optional<std::filesystem::path> files{};
  /// Made, and kept; empty: a temporary one in the current folder.
  std::filesystem::path folder{};
};

/// How many processes a launcher's words start: the sum of all -n, -np, --np and -c; empty where
/// there is none.
std::optional<std::int64_t> started_ranks(const std::vector<std::string>& command,
                                          std::size_t launcher);

/// Jobs that re-enact a program. The folder in which the program and the recordings are is removed
/// with this object, unless the options name one.
class ReplayJob {
 public:
  /// Throws Error when the launcher is not known, what the processes run was not built, or the
  /// folder to make exists.
  explicit ReplayJob(const ReplayJobOptions& options);
  ~ReplayJob();
  ReplayJob(const ReplayJob&) = delete;
  ReplayJob& operator=(const ReplayJob&) = delete;

  /// Its program has to be there before run().
  const ReplayFolder& folder() const { return folder_; }

  /// Refuses a launcher that starts another number of processes than the trace has ranks; tells one
  /// that names none. Throws Error.
  void expect_ranks(std::int32_t ranks);
  /// The launcher with the program that the processes run.
  std::vector<std::string> command() const;
  /// The arguments of a `slackline record` that runs the job as run() does.
  std::vector<std::string> record_arguments() const;
  /// Starts the job and waits for its end. The recording's trace. Throws Error when the job fails.
  std::filesystem::path run();

 private:
  ReplayJobOptions options_;
  std::size_t launcher_ = 0;
  ReplayFolder folder_;
  std::optional<TemporaryGuard> guard_;
  std::filesystem::path processes_;  ///< the program that they run
};

}  // namespace slackline

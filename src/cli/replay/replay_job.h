#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.h"

namespace slackline {

struct ReplayJobOptions {
  std::vector<std::string> command{};  ///< the launcher and its options; a program is replaced
  std::string mpi{};                   ///< "openmpi", "mpich"; empty: found out
  bool yield = false;                  ///< waiting processes give their processor to others
};

/// How many processes a launcher's words start: the sum of all -n, -np, --np and -c; empty where
/// there is none.
std::optional<std::int64_t> started_ranks(const std::vector<std::string>& command,
                                          std::size_t launcher);

/// Jobs that re-enact a program, for as long as this object lives: it owns the folder in which the
/// program and the recordings are.
class ReplayJob {
 public:
  /// Throws Error when the launcher is not known, or what the processes run was not built.
  explicit ReplayJob(const ReplayJobOptions& options);
  ~ReplayJob();
  ReplayJob(const ReplayJob&) = delete;
  ReplayJob& operator=(const ReplayJob&) = delete;

  /// Where the program has to be before run().
  std::filesystem::path program() const { return folder_ / "program"; }
  /// What the processes of the last run() measured of themselves.
  std::filesystem::path report() const { return folder_ / "report"; }

  /// Refuses a launcher that starts another number of processes than the trace has ranks; tells one
  /// that names none. Throws Error.
  void expect_ranks(std::int32_t ranks);
  /// What is executed, for whoever wants to see or start it.
  std::vector<std::string> command() const;
  /// Starts the job and waits for its end. The recording's trace. Throws Error when the job fails.
  std::filesystem::path run();

 private:
  ReplayJobOptions options_;
  std::size_t launcher_ = 0;
  std::filesystem::path folder_;
  std::optional<TemporaryGuard> guard_;
  std::filesystem::path processes_;  ///< the program that they run
};

}  // namespace slackline

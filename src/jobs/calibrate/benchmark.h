#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "jobs/record/launcher.h"

namespace slackline {

struct BenchmarkOptions {
  std::vector<std::string> command{};  ///< the launcher and its options; a program is replaced
  std::string mpi{};                   ///< "openmpi", "mpich"; empty: found out
  double seconds = 60;
  std::uint64_t seed = 1;           ///< of the order of measurements
  std::filesystem::path samples{};  ///< file that rank 0 writes
  Environment variables{};          ///< for the ranks
  std::filesystem::path output{};   ///< file for what the job prints; empty: standard output
};

/// The launcher's words with the benchmark as the program. A program that stands among them, with
/// all that follows it, is left out.
std::vector<std::string> benchmark_command(const std::vector<std::string>& command,
                                           std::size_t launcher,
                                           const std::vector<std::string>& program);

/// Starts the benchmark and waits for its end, with progress on a terminal. Throws Error when it
/// cannot be started, or ends without samples.
void run_benchmark(const BenchmarkOptions& options);

}  // namespace slackline

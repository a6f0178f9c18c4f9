#pragma once

#include <cstdint>
#include <filesystem>
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

}  // namespace slackline

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/waits/wait_states.h"
#include "calls/call_paths.h"
#include "trace/trace.h"

namespace slackline {

/// A run as severities: metric x call path x rank ("CUBE: An Algebra for Cross-Experiment
/// Performance Analysis", Song et al. 2004). Nothing in it refers to the run, so that runs of
/// different programs and numbers of ranks can be combined.
class SeverityCube {
 public:
  struct Key {
    std::string metric;     ///< "computation", "mpi", "late_sender", "calls", "bytes"
    std::string call_path;  ///< "main/solve/MPI_Allreduce"; empty: outside of all

    auto operator<=>(const Key&) const = default;
    /// Whether the metric is a wait pattern.
    bool is_wait() const {
      return metric != "computation" && metric != "mpi" && metric != "calls" && metric != "bytes";
    }
  };
  using Severities = std::map<Key, std::vector<double>>;  // by rank

  explicit SeverityCube(std::int32_t ranks = 0) : ranks_(ranks) {}

  std::int32_t ranks() const { return ranks_; }
  const Severities& severities() const { return severities_; }
  /// By rank; all 0 for what the run has not.
  std::vector<double> of(const Key& key) const;
  double sum(const Key& key) const;
  void add(const Key& key, std::int32_t rank, double value);

 private:
  std::int32_t ranks_;
  Severities severities_;
};

/// For each rank's time between MPI_Init and MPI_Finalize (RankSpan::analysed): computation by
/// path; time in calls without waiting ("mpi"), number of calls and bytes by path and operation;
/// waiting by pattern, path and operation. Completion patterns are no waiting, as in
/// WaitSummary::total_ns, and part of "mpi". Times in ns; computation, mpi and waiting add up to
/// that time but for pauses. Linear.
SeverityCube severity_cube(const Trace& trace, const CallPaths& paths, const WaitStates& waits);

/// The mean of several runs of one program. Those of equally many ranks; throws Error otherwise.
SeverityCube mean(const std::vector<SeverityCube>& runs);

}  // namespace slackline

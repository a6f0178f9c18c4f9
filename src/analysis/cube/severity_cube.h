#pragma once

#include <cstddef>
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
    std::string metric;     ///< "computation", "blocked", "mpi", "late_sender", "calls", "bytes"
    std::string call_path;  ///< "main/solve/MPI_Allreduce"; empty: outside of all

    auto operator<=>(const Key&) const = default;
    /// Whether the metric is a wait pattern.
    bool is_wait() const {
      return !is_outside_mpi() && metric != "mpi" && metric != "calls" && metric != "bytes";
    }
    /// Whether it is time between calls: computation, or a reason why there was none.
    bool is_outside_mpi() const {
      return metric == "computation" || metric == "no_processor" || metric == "blocked" ||
             metric == "recording";
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
/// path, and where ranks did not compute between calls ("no_processor", "blocked", "recording", as
/// in RankTime); time in calls without waiting ("mpi") of the main thread, number of calls and
/// bytes of all threads, by path and operation; waiting by pattern, path and operation. Completion
/// patterns are no waiting, as in WaitSummary::total_ns, and part of "mpi". Times in ns; those of
/// ranks without other threads add up to that time. Linear.
SeverityCube severity_cube(const Trace& trace, const CallPaths& paths, const WaitStates& waits);

/// The mean of several runs of one program. Those of equally many ranks; throws Error otherwise.
SeverityCube mean(const std::vector<SeverityCube>& runs);

/// The functions or regions of a call path of a cube: "main/solve" has two; the empty one has none.
std::vector<std::string> frames_of(const std::string& call_path);

/// A node of the tree of all call paths of a cube.
struct CallTreeNode {
  std::string name;       ///< the innermost function, region or operation; empty of the root
  std::string call_path;  ///< as SeverityCube::Key has it
  std::size_t depth = 0;  ///< of the root 0
};

/// In preorder, children by name; the first one is the root, which is outside of all. O(n log n).
std::vector<CallTreeNode> call_tree_of(const SeverityCube& cube);

}  // namespace slackline

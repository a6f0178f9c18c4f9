#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "analysis/paths/imbalance.h"
#include "analysis/paths/path_functions.h"
#include "analysis/paths/path_sums.h"
#include "app/load/stretched_run.h"
#include "base/keyed_rows.h"
#include "calls/computation_code.h"
#include "parallel/process_group.h"

namespace slackline {

/// The critical path of a measured run and the metrics reported with it.
struct MeasuredPath {
  CriticalPath path;  ///< of a run in stretches no segments where there are over kSegmentsListed
  ImbalanceMetrics imbalance;
  std::vector<PathFunction> functions;  ///< of the interval that was asked for
};

/// Which part of the path is told by function, as for path_frames().
struct PathInterval {
  TimeInterval interval{0, kTimeLimit_ns};
  bool inner = false;
};

/// Finds the critical path stretch by stretch, the same as of the whole run to the bit. The first
/// pass finds the path, the second what its largest activities could gain.
class StretchedPath : public StretchAnalysis {
 public:
  /// Keeps a reference.
  explicit StretchedPath(const StretchedRun& run, const PathInterval& functions = {});
  ~StretchedPath() override;

  bool add(const LoadedStretch& stretch) override;
  bool join(ProcessGroup& group) override;
  void add_again(const LoadedStretch& stretch) override;
  void finish(ProcessGroup& group) override;
  /// To be called once, at the end, in the first process.
  MeasuredPath take() { return std::move(path_); }

 private:
  class InStretch;
  /// All that the first pass finds.
  struct Found {
    PathSums path{};
    ImbalanceSums imbalance{};
    std::vector<SampledTime> sampled{};

    auto tables() { return std::tuple_cat(path.tables(), imbalance.tables(), std::tie(sampled)); }
    void add_up();
  };
  /// All that the second one finds.
  struct Gains {
    std::vector<PathGains> gains{};
    std::vector<PathFrameTime> frames{};

    auto tables() { return std::tie(gains, frames); }
    void add_up() { add_up_tables(tables()); }
  };

  void keep(std::span<const ActivitySegment> segments, const PlaceInRun& place);
  void add_gains(const InStretch& in, const LoadedStretch& stretch);

  const StretchedRun& run_;
  const PathInterval functions_;
  std::unique_ptr<const InStretch> only_;  // where a process has one stretch
  TableSum<Found> own_;
  std::vector<ActivitySegment> own_segments_;  // as long as there are not too many
  std::uint64_t own_segment_count_ = 0;
  Found found_;
  std::vector<ActivityName> asked_;
  std::shared_ptr<const SampledShares> shares_;
  TableSum<Gains> own_gains_;
  MeasuredPath path_;
};

}  // namespace slackline

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/paths/critical_path.h"
#include "analysis/paths/imbalance.h"
#include "analysis/paths/path_functions.h"
#include "analysis/paths/path_sums.h"
#include "app/load/run.h"
#include "base/keyed_rows.h"
#include "calls/computation_code.h"

namespace slackline {

/// The critical path of a timed run and the metrics reported with it.
struct MeasuredPath {
  CriticalPath path;  ///< of a run in stretches no segments where there are over kSegmentsListed
  ImbalanceMetrics imbalance;
  std::vector<PathFunction> functions;  ///< of the interval that was asked for
};

/// The critical path of a run; in stretches the same as of the whole to the bit. The first pass
/// finds the path, the second what its largest activities could gain.
class PathAnalysis : public RunAnalysis {
 public:
  /// In stretches `options` have no effect. `interval`, as resolve_interval() reads it: functions
  /// are told of the path in it, without MPI_Init and MPI_Finalize; without one, of the whole path.
  explicit PathAnalysis(const PathOptions& options, std::optional<std::string> interval = {});
  ~PathAnalysis() override;

  void analyse(const Run& run) override;
  void begin(const StretchedRun& run) override;
  bool add(const LoadedStretch& stretch) override;
  bool join(ProcessGroup& group) override;
  void add_again(const LoadedStretch& stretch) override;
  void abandon() override;
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

  const PathOptions options_;
  const std::optional<std::string> interval_;
  const StretchedRun* run_ = nullptr;
  TimeInterval functions_{0, kTimeLimit_ns};
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

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/ideal_replay.h"
#include "analysis/efficiency/rank_efficiency.h"
#include "analysis/paths/algorithm_comparison.h"
#include "analysis/waits/wait_part.h"
#include "analysis/waits/wait_states.h"
#include "analysis/waits/wait_summary.h"
#include "analysis/waits/waits_in_code.h"
#include "app/load/stretched_run.h"
#include "base/keyed_rows.h"
#include "calls/computation_code.h"
#include "calls/run_span.h"
#include "parallel/process_group.h"

namespace slackline {

/// Finds the efficiency of a run stretch by stretch, the same as of the whole run to the bit, in
/// one pass.
class StretchedEfficiency : public StretchAnalysis {
 public:
  /// Keeps a reference to `run`.
  StretchedEfficiency(const StretchedRun& run, const IdealOptions& options,
                      const TimeInterval& analysed)
      : run_(run), options_(options), analysed_(analysed) {}

  bool add(const LoadedStretch& stretch) override;
  bool join(ProcessGroup& /*group*/) override { return false; }
  void finish(ProcessGroup& group) override;
  /// To be called once, at the end, in the first process.
  Efficiency take() { return std::move(efficiency_); }

 private:
  const StretchedRun& run_;
  IdealOptions options_;
  TimeInterval analysed_;
  std::vector<EfficiencyPart> own_;
  Efficiency efficiency_;
};

/// Finds the wait states of a run stretch by stretch, the same as of the whole run to the bit. The
/// second pass finds the lines of their causes, where there are call paths.
class StretchedWaits : public StretchAnalysis {
 public:
  /// `interval`: as for wait_part(). Keeps a reference to `run`.
  StretchedWaits(const StretchedRun& run, const WaitOptions& options,
                 const std::optional<TimeInterval>& interval)
      : run_(run), options_(options), interval_(interval) {}

  bool add(const LoadedStretch& stretch) override;
  bool join(ProcessGroup& group) override;
  void add_again(const LoadedStretch& stretch) override;
  void finish(ProcessGroup& group) override;
  /// To be called once, at the end, in the first process.
  WaitSummary take() { return std::move(summary_); }

 private:
  struct Found {
    WaitPart waits{};
    std::vector<SampledTime> sampled{};

    auto tables() { return std::tuple_cat(waits.tables(), std::tie(sampled)); }
    void add_up();
  };

  const StretchedRun& run_;
  WaitOptions options_;
  std::optional<TimeInterval> interval_;
  TableSum<Found> own_;
  Found found_;
  std::optional<CodeCauses> causes_;
  std::shared_ptr<const SampledShares> shares_;
  TableSum<CauseTimes> own_times_;
  WaitSummary summary_;
};

/// Compares the algorithms for the critical path stretch by stretch, in one pass.
class StretchedMethods : public StretchAnalysis {
 public:
  /// As for compare_methods(). Keeps a reference to `run`.
  StretchedMethods(const StretchedRun& run, std::int64_t delta_ns, std::int64_t threshold_ns)
      : run_(run), delta_ns_(delta_ns), threshold_ns_(threshold_ns) {}

  bool add(const LoadedStretch& stretch) override;
  bool join(ProcessGroup& /*group*/) override { return false; }
  void finish(ProcessGroup& group) override;
  /// To be called once, at the end.
  MethodComparison take() { return std::move(comparison_); }

 private:
  const StretchedRun& run_;
  std::int64_t delta_ns_;
  std::int64_t threshold_ns_;
  std::vector<MethodCost> own_;
  MethodComparison comparison_;
};

}  // namespace slackline

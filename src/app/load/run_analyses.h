#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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
#include "app/load/run.h"
#include "base/keyed_rows.h"
#include "calls/computation_code.h"
#include "calls/run_span.h"

namespace slackline {

/// The efficiencies of stretches that the processes have found, put together in the first one, in
/// the order of the run; nothing in the others.
EfficiencyPart joined_parts(const std::vector<EfficiencyPart>& own, ProcessGroup& group);

/// The efficiency of a run, in one pass; in stretches the same as of the whole to the bit.
class EfficiencyAnalysis : public RunAnalysis {
 public:
  /// `interval`: as resolve_interval() reads it.
  EfficiencyAnalysis(const IdealOptions& options, std::string interval)
      : options_(options), interval_(std::move(interval)) {}

  void analyse(const Run& run) override;
  void begin(const StretchedRun& run) override;
  bool add(const LoadedStretch& stretch) override;
  void finish(ProcessGroup& group) override;
  /// To be called once, at the end, in the first process.
  Efficiency take() { return std::move(efficiency_); }

 private:
  const IdealOptions options_;
  const std::string interval_;
  const StretchedRun* run_ = nullptr;
  TimeInterval analysed_{};
  std::vector<EfficiencyPart> own_;
  Efficiency efficiency_;
};

/// The wait states of a run; in stretches the same as of the whole to the bit. A second pass finds
/// the lines of their causes, where there are call paths.
class WaitAnalysis : public RunAnalysis {
 public:
  /// `options`: what the run itself tells takes precedence. `interval`: as resolve_interval() reads
  /// it, but "run" with what ranks wait in MPI_Init and MPI_Finalize.
  WaitAnalysis(const WaitOptions& options, std::string interval)
      : options_(options), interval_text_(std::move(interval)) {}

  void analyse(const Run& run) override;
  void begin(const StretchedRun& run) override;
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

  const WaitOptions options_;
  const std::string interval_text_;
  const StretchedRun* run_ = nullptr;
  std::optional<TimeInterval> interval_;
  TableSum<Found> own_;
  Found found_;
  std::optional<CodeCauses> causes_;
  std::shared_ptr<const SampledShares> shares_;
  TableSum<CauseTimes> own_times_;
  WaitSummary summary_;
};

/// Compares the algorithms for the critical path, in one pass.
class MethodAnalysis : public RunAnalysis {
 public:
  /// As for compare_methods().
  MethodAnalysis(std::int64_t delta_ns, std::int64_t threshold_ns)
      : delta_ns_(delta_ns), threshold_ns_(threshold_ns) {}

  void analyse(const Run& run) override;
  void begin(const StretchedRun& run) override { run_ = &run; }
  bool add(const LoadedStretch& stretch) override;
  void finish(ProcessGroup& group) override;
  /// To be called once, at the end, in the first process.
  MethodComparison take() { return std::move(comparison_); }

 private:
  const std::int64_t delta_ns_;
  const std::int64_t threshold_ns_;
  const StretchedRun* run_ = nullptr;
  std::vector<MethodCost> own_;
  MethodComparison comparison_;
};

}  // namespace slackline

#pragma once

#include <utility>
#include <vector>

#include "analysis/efficiency/efficiency.h"
#include "analysis/efficiency/ideal_replay.h"
#include "analysis/efficiency/rank_efficiency.h"
#include "app/load/stretched_run.h"
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

}  // namespace slackline

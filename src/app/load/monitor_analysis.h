#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/efficiency/rank_efficiency.h"
#include "analysis/phases/monitor.h"
#include "analysis/phases/monitored_run.h"
#include "app/load/rank_notes.h"
#include "app/load/run.h"

namespace slackline {

/// The phases of a run; in stretches the same as of the whole to the bit. One pass over the
/// stretches notes where each call stands on the ideal network and how long it waits; the rest is
/// found rank by rank, in several passes over the ranks.
class MonitorAnalysis : public RunAnalysis {
 public:
  /// `interval`: as resolve_interval() reads it; MonitorOptions::analysed has no effect.
  MonitorAnalysis(const MonitorOptions& options, std::string interval)
      : options_(options), interval_(std::move(interval)) {}

  void analyse(const Run& run) override;
  void begin(const StretchedRun& run) override;
  bool add(const LoadedStretch& stretch) override;
  void abandon() override;
  void finish(ProcessGroup& group) override;
  /// To be called once, at the end, in the first process.
  Monitor take() { return std::move(monitor_); }

 private:
  MonitorOptions options_;
  const std::string interval_;
  const StretchedRun* run_ = nullptr;
  MonitoredFacts facts_;
  std::optional<RankNotes> notes_;
  std::vector<EfficiencyPart> own_;
  Monitor monitor_;
};

}  // namespace slackline

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "analysis/top/job_status.h"

namespace slackline {

/// The phases of a job that is being recorded, as far as they have ended.
///
/// They are those of the run until the last collective of all ranks over which nothing is open, as
/// `slackline phases` finds them, without those that end in its last tenth: the last one goes on,
/// and the begin of one may look like a phase. What the whole run shows later may still differ, as
/// where a change turns out to be one of many, or is too short for a run that has become long.
class PhaseWatch {
 public:
  /// Analyses the files of a job's ranks in `folder`, if the job has a tenth more calls than at the
  /// last time, if that makes at most 5 % of a processor's time since the first one, and if the
  /// calls are a million at most. Copies their records into a folder in TMPDIR meanwhile.
  void look(const std::filesystem::path& folder, const JobStatus& job);

  /// What was found last.
  const std::optional<EndedPhases>& known() const { return known_; }

 private:
  std::optional<EndedPhases> known_;
  std::int64_t next_ns_ = 0;  // of CLOCK_MONOTONIC
};

}  // namespace slackline

#pragma once

#include <cstdint>
#include <string>

#include "app/load/phase_watch.h"
#include "app/load/watched_job.h"

namespace slackline {

class OptionList;
struct Report;

/// How a job does that is being recorded.
struct TopRequest {
  std::string folder{};        ///< empty: the newest recording in the current folder
  std::string window = "60s";  ///< "all": since MPI_Init
  std::int32_t count = 10;
};
void declare(OptionList& options, TopRequest& request);

/// A job that is looked at again and again.
class JobWatch {
 public:
  /// Throws Error.
  explicit JobWatch(const TopRequest& request);

  /// What there is to say now. Throws Error.
  Report look();
  /// Whether the last look found that the job has ended.
  bool ended() const { return ended_; }

 private:
  TopRequest request_;
  std::int64_t window_ns_;  // 0: since MPI_Init
  WatchedJob job_;
  PhaseWatch phases_;
  bool ended_ = false;
};

}  // namespace slackline

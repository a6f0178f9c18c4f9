#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/top/job_status.h"
#include "base/findings.h"

namespace slackline {

/// A job that `slackline record` records, watched by the files of its ranks.
///
/// Each look reads what has come since the one before. Memory: for each rank the sums of the recent
/// interval, some 100 bytes for each of its call paths, and 16 for each slice in which it is used.
/// Only reads; nothing of the job is locked.
class WatchedJob {
 public:
  /// `recent_ns`: what is recent; 0: all since MPI_Init. Throws Error if `directory` is no folder
  /// into which a job records or may yet record.
  WatchedJob(std::filesystem::path directory, std::int64_t recent_ns);
  ~WatchedJob();
  WatchedJob(const WatchedJob&) = delete;
  WatchedJob& operator=(const WatchedJob&) = delete;

  /// The job of the folder that began last. The first `named` ranks have their busiest function.
  /// Throws Error as the constructor.
  JobStatus look(std::size_t named);
  /// What was damaged or is left out so far.
  Findings findings() const;
  /// The folder of the job; empty while it is waited for.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct Rank;
  struct Seen;
  class Names;

  void discover();
  void read(Rank& rank);
  std::int64_t present_ns() const;
  static Seen see(const Rank& rank, std::int64_t present_ns);
  std::int64_t recent_begin_ns(const TimeInterval& whole) const;
  void describe_job(JobStatus& job) const;

  std::filesystem::path directory_;
  std::filesystem::path folder_;
  std::int64_t recent_ns_;
  std::int64_t slice_ns_;
  std::map<std::filesystem::path, std::unique_ptr<Rank>> files_;
  std::unique_ptr<Names> names_;
  std::size_t other_threads_ = 0;
};

}  // namespace slackline

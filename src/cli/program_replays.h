#pragma once

#include <vector>

#include "app/requests/replay.h"
#include "jobs/replay/replay_job.h"

namespace slackline {

/// Replays of one program under MPI.
class ProgramReplays {
 public:
  /// Prepares the program. Throws Error for one that cannot be replayed, and for a launcher that
  /// starts another number of processes.
  ProgramReplays(const ReplayRequest& request, const ReplayJobOptions& options);

  /// Runs the job once more, and again up to `retries` times where other processes disturb it.
  void run(int retries);

  const PreparedReplay& prepared() const { return prepared_; }
  /// All that was run, repeats of disturbed ones, too.
  std::vector<RecordedReplay>& recorded() { return recorded_; }

 private:
  ReplayJob job_;
  PreparedReplay prepared_;
  std::vector<RecordedReplay> recorded_;
};

}  // namespace slackline

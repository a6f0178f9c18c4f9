#pragma once

#include <filesystem>
#include <functional>

#include "calls/disturbance.h"

namespace slackline {

/// What other processes took from a recorded job. Throws Error where the recording cannot be read.
Disturbance disturbance_of_recording(const std::filesystem::path& trace);

/// What processes of this host other than those that this one has started and waited for use of its
/// processors, from the constructor on.
class OtherProcesses {
 public:
  OtherProcesses();
  /// Share of the processors' time; 0 where the system does not tell.
  double share() const;

 private:
  double idle_;  // all of them in ticks
  double all_;
  double own_;
};

/// Waits until the processors of this host, all together, are idle for nine tenths of half a
/// second; for at most 15 s.
void wait_for_quiet_machine();

/// Calls `run` once, and at most `retries` times more while other processes disturb it, each time
/// after wait_for_quiet_machine(). It returns what disturbed it.
void run_undisturbed(int retries, const std::function<Disturbance()>& run);

}  // namespace slackline

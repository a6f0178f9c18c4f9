#pragma once

namespace slackline {

/// What the program is doing, in a few words with a lasting address ("reading the trace"), for who
/// shows that to people. Of several threads the last to begin something counts.
void begin_stage(const char* words);
/// The words of the last begin_stage(), or an empty string.
const char* current_stage();

/// Shows current_stage() and the time since the begin on standard error once that is longer than
/// two seconds. Silent unless standard error is a terminal. One at a time.
class StageDisplay {
 public:
  StageDisplay();
  ~StageDisplay();
  StageDisplay(const StageDisplay&) = delete;
  StageDisplay& operator=(const StageDisplay&) = delete;
};

/// Erases what a StageDisplay shows and ends it, before anything else is printed. Not for several
/// threads at once.
void end_stages();

}  // namespace slackline

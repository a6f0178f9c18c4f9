#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slackline {

/// A line on standard error that says how far long work has come. Silent unless standard error
/// is a terminal; redrawn at most ten times a second; erased when it ends.
class Progress {
 public:
  explicit Progress(std::string_view what, std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Not thread-safe: one thread reports.
  void update(std::uint64_t done);
  /// For work whose length is not known: what is to be said after `what`. describe() is only called
  /// when the line is redrawn.
  template <class Describe>
  void update_text(Describe describe) {
    if (is_due()) draw(describe());
  }

 private:
  bool is_due();
  void draw(const std::string& text);

  std::string what_;
  std::uint64_t total_;
  bool enabled_;
  bool drawn_ = false;
  std::int64_t next_draw_ns_ = 0;
};

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

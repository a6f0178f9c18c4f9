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

}  // namespace slackline

#pragma once

#include <filesystem>

namespace slackline {

/// Names a file that must not outlive an interrupted run. While the object lives, SIGINT, SIGTERM
/// and SIGHUP remove the file before they end the process (see remove_temporaries_on_interrupt). A
/// fixed number of files can be guarded at once; more are simply not guarded.
class TemporaryGuard {
 public:
  explicit TemporaryGuard(const std::filesystem::path& path) noexcept;
  ~TemporaryGuard();
  TemporaryGuard(const TemporaryGuard&) = delete;
  TemporaryGuard& operator=(const TemporaryGuard&) = delete;

 private:
  int slot_;
};

/// Installs the handlers. The signal's own effect stays: the process ends by that signal.
void remove_temporaries_on_interrupt();

}  // namespace slackline

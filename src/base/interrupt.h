#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace slackline {

/// Names a file, or a folder with all that is in it, that must not outlive an interrupted run.
/// While the object lives, SIGINT, SIGTERM and SIGHUP remove it before they end the process (see
/// remove_temporaries_on_interrupt). A fixed number can be guarded at once; more are simply not
/// guarded.
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

/// While such an object lives these signals wait, and what is guarded stays; after the last one
/// they take effect. For steps of which a part alone would lose a file.
class InterruptsWait {
 public:
  InterruptsWait() noexcept;
  ~InterruptsWait();
  InterruptsWait(const InterruptsWait&) = delete;
  InterruptsWait& operator=(const InterruptsWait&) = delete;
};

/// Removes what is guarded. Signal handlers may call it.
void remove_temporaries() noexcept;

/// While it lives, the first SIGINT does not end the process but is remembered, so that long work
/// can end early and keep what it has found. The next one acts as before. One at a time; does
/// nothing where SIGINT is ignored.
class InterruptRequest {
 public:
  InterruptRequest() noexcept;
  ~InterruptRequest();
  InterruptRequest(const InterruptRequest&) = delete;
  InterruptRequest& operator=(const InterruptRequest&) = delete;

  /// Has the signal come? From any thread.
  bool arrived() const noexcept;

 private:
  void (*before_)(int);
};

/// Asked now and then by work that may have to end early: why it must stop, as the reason of an
/// Error; empty while it may go on. Throws nothing.
using StopReason = std::function<std::string()>;

}  // namespace slackline

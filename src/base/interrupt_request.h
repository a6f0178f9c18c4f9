#pragma once

namespace slackline {

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

}  // namespace slackline

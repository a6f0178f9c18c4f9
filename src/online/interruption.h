#pragma once

#include <csignal>

namespace slackline::online {

/// While the object lives, the first SIGINT, SIGTERM or SIGHUP is only remembered, so that what has
/// been simulated is kept; the second one has its own effect. Signals that are ignored stay so. One
/// at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// The signal that has come; 0: none.
  static int signal();

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction before_[3]{};
};

}  // namespace slackline::online

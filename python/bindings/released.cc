#include "bindings/released.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/progress.h"

namespace slackline::python {
namespace {

/// How long Ctrl-C may go unnoticed.
constexpr std::chrono::milliseconds kSignalInterval{50};

/// What is shown of a computation that takes less would only flicker.
constexpr std::chrono::milliseconds kMoment{500};

std::atomic<int> abandoned{0};

/// The process ends without the destructors of what an abandoned computation still uses, with the
/// status that it would have had. Python's own buffers are written by then.
void leave_abandoned(int status, void* /*unused*/) {
  if (abandoned.load() == 0) return;
  std::fflush(nullptr);
  ::_exit(status);
}

/// Handlers run in the reverse order of their registration. One that is registered when the first
/// computation is abandoned runs before the destructors of all that was made until then.
void leave_by_handler() {
  static const int registered = ::on_exit(leave_abandoned, nullptr);
  static_cast<void>(registered);
}

/// Never destroyed, as Python may end before it would be.
pybind11::object& progress_callback() {
  static auto* const callback = new pybind11::object(pybind11::none());
  return *callback;
}

/// False when the callback raised an exception, which is then pending.
bool tell_progress(const char* stage, std::chrono::duration<double> elapsed) {
  const pybind11::object callback = progress_callback();
  if (callback.is_none()) return true;
  try {
    callback(stage, elapsed.count());
    return true;
  } catch (pybind11::error_already_set& error) {
    error.restore();
    return false;
  }
}

}  // namespace

void set_progress(pybind11::object callback) {
  progress_callback() = std::move(callback);
}

bool wait_interruptibly(const std::shared_future<void>& ready) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const auto is_long = [&] { return Clock::now() - begin > kMoment; };
  for (bool is_ready = false; !is_ready;) {
    {
      const pybind11::gil_scoped_release release;
      is_ready = ready.wait_for(kSignalInterval) == std::future_status::ready;
    }
    if (is_ready) return !is_long() || tell_progress("", Clock::now() - begin);
    if (PyErr_CheckSignals() != 0) return false;
    if (is_long() && !tell_progress(current_stage(), Clock::now() - begin)) return false;
  }
  return true;
}

int abandoned_computations() {
  return abandoned.load();
}

void count_abandoned(int change) {
  if (change > 0) leave_by_handler();
  abandoned += change;
}

}  // namespace slackline::python

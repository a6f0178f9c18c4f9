#include "bindings/released.h"

#include <atomic>
#include <chrono>

namespace slackline::python {
namespace {

/// How long Ctrl-C may go unnoticed.
constexpr std::chrono::milliseconds kSignalInterval{50};

std::atomic<int> abandoned{0};

}  // namespace

bool wait_interruptibly(const std::shared_future<void>& ready) {
  for (;;) {
    {
      const pybind11::gil_scoped_release release;
      if (ready.wait_for(kSignalInterval) == std::future_status::ready) return true;
    }
    if (PyErr_CheckSignals() != 0) return false;
  }
}

int abandoned_computations() {
  return abandoned.load();
}

void count_abandoned(int change) {
  abandoned += change;
}

}  // namespace slackline::python

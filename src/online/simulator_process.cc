#include "online/simulator_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace slackline::online {
namespace {

volatile std::sig_atomic_t came = 0;

extern "C" void remember_signal(int signal) {
  came = signal;
}

}  // namespace

Interruption::Interruption() {
  came = 0;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = remember_signal;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(kSignals[i], &action, nullptr);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
}

int Interruption::signal() {
  return came;
}

PinnedThread::PinnedThread(bool wanted) {
  if (!wanted || sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  const int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(here), &one);
  if (sched_setaffinity(0, sizeof one, &one) == 0) processor_ = here;
}

PinnedThread::~PinnedThread() {
  if (processor_ >= 0) sched_setaffinity(0, sizeof before_, &before_);
}

namespace {

constexpr std::chrono::milliseconds kPeriod{200};
constexpr std::uint64_t kShareOfAll = 32;
constexpr std::uint64_t kShareOfFirst = 4;

}  // namespace

MemoryWatch::MemoryWatch(Ask ask) : ask_(std::move(ask)), next_(Clock::now()) {
  const AvailableMemory first = ask_();
  least_ = std::min(first.total / kShareOfAll, first.bytes / kShareOfFirst);
}

void MemoryWatch::check() {
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kPeriod;
  ask_now();
}

void MemoryWatch::ask_now() const {
  const AvailableMemory left = ask_();
  if (left.bytes >= least_) return;
  throw Error("the simulation was ended",
              fmt::format("its processes have left {} of {} of memory ({})",
                          format_bytes(static_cast<double>(left.bytes)),
                          format_bytes(static_cast<double>(left.total)), left.limit),
              "Simulate fewer ranks or a smaller problem, or allow more with --memory.");
}

}  // namespace slackline::online

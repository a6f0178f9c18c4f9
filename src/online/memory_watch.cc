#include "online/memory_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/units.h"

namespace slackline::online {
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

#include "analysis/summary/call_sum.h"

#include <algorithm>
#include <bit>

#include "base/arithmetic.h"

namespace slackline {
namespace {

constexpr double kMessage_ns = 1000;    // and a nanosecond a byte explain the time of a message
constexpr double kSlownessSteps = 16;   // in that time
constexpr std::size_t kFarLonger = 4;   // bits more than the median
constexpr std::uint64_t kStalled = 50;  // times what the size explains: less may be the network's
constexpr double kFew = 0.25;           // of the calls: more are no exceptions
constexpr double kMuch = 0.1;           // of the time: less is not told apart

double explained(const CallVolume& volume) {
  return kMessage_ns * static_cast<double>(std::max<std::uint64_t>(1, volume.messages)) +
         static_cast<double>(volume.bytes);
}

std::size_t bits_of_slowness(double time_ns, const CallVolume& volume) {
  const double slowness = time_ns * kSlownessSteps / explained(volume);
  return static_cast<std::size_t>(
      std::bit_width(static_cast<std::uint64_t>(std::max(0.0, slowness))));
}

}  // namespace

void CallSum::add(double time_ns, const CallVolume& volume, double unknown_ns) {
  const std::size_t at = std::min(bits_of_slowness(time_ns, volume), kLengths - 1);
  ++calls_;
  volume_.messages += volume.messages;
  add_saturated(volume_.bytes, volume.bytes);
  ns_ += time_ns;
  unknown_ns_ += unknown_ns;
  ++calls_by_length_[at];
  ns_by_length_[at] += time_ns;
}

bool CallSum::is_small() const {
  constexpr double kSmallMessage = 4096;  // bytes
  return static_cast<double>(bytes()) <
         kSmallMessage * static_cast<double>(std::max(calls(), messages()));
}

double CallSum::explained_ns() const {
  return explained(volume_);
}

std::size_t CallSum::far_longer() const {
  std::size_t median = 0;
  for (std::uint64_t below = calls_by_length_[0]; 2 * below < calls_ && median + 1 < kLengths;) {
    below += calls_by_length_[++median];
  }
  constexpr auto kLeast = static_cast<std::size_t>(
      std::bit_width(kStalled * static_cast<std::uint64_t>(kSlownessSteps)));
  return std::max(median + kFarLonger, kLeast);
}

bool CallSum::is_exceptional(double time_ns, const CallVolume& volume) const {
  return bits_of_slowness(time_ns, volume) >= far_longer();
}

CallSum::Exceptional CallSum::exceptional() const {
  Exceptional found;
  for (std::size_t i = far_longer(); i < kLengths; ++i) {
    found.calls += calls_by_length_[i];
    found.ns += ns_by_length_[i];
  }
  const bool few = static_cast<double>(found.calls) <= kFew * static_cast<double>(calls_);
  return few && found.ns >= kMuch * ns_ ? found : Exceptional{};
}

}  // namespace slackline

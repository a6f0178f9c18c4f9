#include "analysis/summary/call_sum.h"

#include <algorithm>
#include <bit>

namespace slackline {
namespace {

constexpr double kCall_ns = 1000;      // and a nanosecond a byte explain the time of a call
constexpr double kSlownessSteps = 16;  // in that time
constexpr std::size_t kFarLonger = 4;  // bits more than the median
constexpr double kFew = 0.25;          // of the calls: more are no exceptions

}  // namespace

void CallSum::add(double time_ns, std::uint64_t bytes, double unknown_ns) {
  const double slowness = time_ns * kSlownessSteps / (kCall_ns + static_cast<double>(bytes));
  const auto length = std::bit_width(static_cast<std::uint64_t>(std::max(0.0, slowness)));
  const std::size_t at = std::min<std::size_t>(static_cast<std::size_t>(length), kLengths - 1);
  ++calls_;
  bytes_ += bytes;
  ns_ += time_ns;
  unknown_ns_ += unknown_ns;
  ++calls_by_length_[at];
  ns_by_length_[at] += time_ns;
}

double CallSum::explained_ns() const {
  return kCall_ns * static_cast<double>(calls_) + static_cast<double>(bytes_);
}

bool CallSum::few_are_long() const {
  std::size_t median = 0;
  for (std::uint64_t below = calls_by_length_[0]; 2 * below < calls_ && median + 1 < kLengths;) {
    below += calls_by_length_[++median];
  }
  double long_ns = 0;
  std::uint64_t long_calls = 0;
  for (std::size_t i = median + kFarLonger; i < kLengths; ++i) {
    long_ns += ns_by_length_[i];
    long_calls += calls_by_length_[i];
  }
  return 2 * long_ns >= ns_ &&
         kFew * static_cast<double>(calls_) >= static_cast<double>(long_calls);
}

}  // namespace slackline

#include "sim/loggops/tick_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/text_parsing.h"

namespace slackline {
namespace {

/// 11 days, which fit as picoseconds.
constexpr double kLongest_ns = 1e15;

/// Takes a number of ns, whole or not, from the front of `line`; false when there is none.
bool take_ns(std::string_view& line, std::int64_t& ns) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  const auto value = take_number<double>(line);
  if (!value || !(*value >= 0) || *value > kLongest_ns) return false;
  ns = std::llround(*value);
  return true;
}

}  // namespace

NoisePattern read_noise_pattern(std::string_view text, std::string_view name) {
  NoisePattern pattern;
  std::size_t number = 0;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    ++number;
    if (line.empty() || line.front() == '#' || line == "\r") continue;
    NoisePattern::Interruption i{};
    const bool readable = take_ns(line, i.begin_ns) && take_ns(line, i.length_ns);
    if (!readable) {
      throw Error(fmt::format("{}:{}: cannot read the interruption", name, number),
                  "a line of noise contains its begin and duration in ns, at most 1e15 (11 days)",
                  "Example: 1200 35");
    }
    if (!pattern.interruptions.empty() && i.begin_ns < pattern.interruptions.back().begin_ns) {
      throw Error(fmt::format("{}:{}: the interruption begins before the one above", name, number),
                  "interruptions must be in order of time", "Sort the file.");
    }
    pattern.interruptions.push_back(i);
  }
  if (pattern.interruptions.empty() || pattern.interruptions.back().begin_ns == 0) {
    throw Error(fmt::format("'{}' is not a noise pattern", name), "it contains no interruption",
                "Use one line per interruption, for example: 1200 35");
  }
  return pattern;
}

NoiseClock::NoiseClock(const NoisePattern& pattern, std::size_t ranks, std::int64_t ticks_per_ns) {
  if (pattern.interruptions.empty()) return;
  // The last interruption ends the pattern: its begin is where the pattern repeats.
  period_ = pattern.interruptions.back().begin_ns * ticks_per_ns;
  std::int64_t sum = 0;
  for (const NoisePattern::Interruption& i : pattern.interruptions) {
    if (i.begin_ns * ticks_per_ns >= period_) break;
    begins_.push_back(i.begin_ns * ticks_per_ns);
    lengths_.push_back(i.length_ns * ticks_per_ns);
    lengths_before_.push_back(sum);
    sum = saturated_sum(sum, lengths_.back());
  }
  lengths_before_.push_back(sum);
  std::mt19937_64 random(pattern.seed);
  const auto anywhere = [&] {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(period_));
  };
  const std::int64_t together = anywhere();
  for (std::size_t r = 0; r < ranks; ++r) {
    offset_.push_back(pattern.coscheduled ? together : anywhere());
  }
}

/// The sum of the lengths of all interruptions that begin in [0, position) of the repeated pattern.
std::int64_t NoiseClock::begun_before(std::int64_t position) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const std::int64_t rounds = position / period_;
  const auto in_round = std::ranges::lower_bound(begins_, position % period_);
  const std::uint64_t earlier = saturated_product(
      static_cast<std::uint64_t>(rounds), static_cast<std::uint64_t>(lengths_before_.back()));
  return saturated_sum(static_cast<std::int64_t>(std::min(earlier, kMost)),
                       lengths_before_[static_cast<std::size_t>(in_round - begins_.begin())]);
}

std::int64_t NoiseClock::interruptions(std::uint32_t rank, std::int64_t begin,
                                       std::int64_t length) const {
  const std::int64_t from = (begin + offset_[rank]) % period_;
  const std::int64_t meanwhile = begun_before(saturated_sum(from, length)) - begun_before(from);
  const auto after = std::ranges::upper_bound(begins_, from);
  if (after == begins_.begin()) return meanwhile;
  const auto last = static_cast<std::size_t>(after - begins_.begin()) - 1;
  const std::int64_t rest = begins_[last] + lengths_[last] - from;
  // An interruption that begins at this very time is counted already.
  return saturated_sum(meanwhile, begins_[last] == from ? 0 : std::max<std::int64_t>(0, rest));
}

}  // namespace slackline

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

// Point-to-point messages as their senders name them, without a matching: whether a message is
// received does not matter. All are O(calls), on all threads.

/// What is sent from one rank to another.
struct PairTotals {
  std::int32_t source;
  std::int32_t destination;
  std::uint64_t messages;
  std::uint64_t bytes;
};
/// The pairs that exchange anything, by source and destination.
std::vector<PairTotals> sent_by_pair(const Trace& trace);

/// Sums over bins of equal width.
struct Histogram {
  std::vector<double> edges{};
  std::vector<std::uint64_t> messages{};
  std::vector<std::uint64_t> bytes{};
};
/// By size, from the smallest to the largest one. `bins` is at least 1.
Histogram messages_by_size(const Trace& trace, std::size_t bins);
/// By the time at which the sending call begins; messages that begin outside are left out.
Histogram messages_by_time(const Trace& trace, TimeInterval interval, std::size_t bins);

}  // namespace slackline

#include "analysis/profile/message_profile.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "base/arithmetic.h"
#include "base/parallel.h"
#include "calls/call_actions.h"

namespace slackline {
namespace {

/// visit(message, begin of its call) for what a rank sends to others.
template <class Visit>
void visit_sends(const Trace& trace, std::int32_t rank, Visit visit) {
  const RankCalls& calls = trace.calls(rank);
  const auto operations = calls.operations();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (!may_send(operation_class(operations[i]))) continue;
    for_each_send(calls.action(i), [&](const PostedMessage& message) {
      if (message.peer >= 0 && message.peer < trace.ranks()) visit(message, calls.begin_ns(i));
    });
  }
}

/// Bins between two values, both of which belong to them. Where both are the same, bins are one
/// unit wide around it.
class Bins {
 public:
  Bins(double first, double last, std::size_t count) {
    constexpr double kHalf = 0.5;
    if (first == last) {
      first -= kHalf;
      last += kHalf;
    }
    for (std::size_t i = 0; i <= count; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(count);
      edges_.push_back(i == count ? last : first + (last - first) * part);
    }
    per_unit_ = static_cast<double>(count) / (last - first);
  }
  const std::vector<double>& edges() const { return edges_; }
  std::size_t count() const { return edges_.size() - 1; }
  bool contains(double value) const { return value >= edges_.front() && value <= edges_.back(); }
  std::size_t of(double value) const {
    const auto guess = static_cast<std::size_t>((value - edges_.front()) * per_unit_);
    std::size_t bin = std::min(guess, count() - 1);
    if (value < edges_[bin]) return bin - 1;
    if (bin + 1 < count() && value >= edges_[bin + 1]) ++bin;
    return bin;
  }

 private:
  std::vector<double> edges_;
  double per_unit_ = 0;
};

/// value(message, begin) decides the bin.
template <class ValueOf>
Histogram histogram(const Trace& trace, const Bins& bins, const ValueOf& value) {
  const std::vector<std::uint64_t> zeros(bins.count(), 0);
  Histogram all{bins.edges(), zeros, zeros};
  std::mutex mutex;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    Histogram own{{}, zeros, zeros};
    visit_sends(trace, static_cast<std::int32_t>(r),
                [&](const PostedMessage& message, std::int64_t begin) {
                  const double at = value(message, begin);
                  if (!bins.contains(at)) return;
                  const std::size_t bin = bins.of(at);
                  ++own.messages[bin];
                  add_saturated(own.bytes[bin], message.bytes);
                });
    const std::lock_guard lock(mutex);
    for (std::size_t bin = 0; bin < bins.count(); ++bin) {
      all.messages[bin] += own.messages[bin];
      add_saturated(all.bytes[bin], own.bytes[bin]);
    }
  });
  return all;
}

}  // namespace

std::vector<PairTotals> sent_by_pair(const Trace& trace) {
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  std::vector<std::vector<PairTotals>> by_rank(ranks);
  parallel_for(ranks, [&](std::size_t r) {
    const auto source = static_cast<std::int32_t>(r);
    std::vector<PairTotals>& pairs = by_rank[r];
    std::vector<std::uint32_t> place(ranks, 0);  // one more than the index of the pair
    visit_sends(trace, source, [&](const PostedMessage& message, std::int64_t) {
      std::uint32_t& at = place[static_cast<std::size_t>(message.peer)];
      if (at == 0) {
        pairs.push_back({source, message.peer, 0, 0});
        at = static_cast<std::uint32_t>(pairs.size());
      }
      PairTotals& pair = pairs[at - 1];
      ++pair.messages;
      add_saturated(pair.bytes, message.bytes);
    });
    std::ranges::sort(pairs, {}, &PairTotals::destination);
  });
  std::vector<PairTotals> all;
  for (const auto& pairs : by_rank) all.insert(all.end(), pairs.begin(), pairs.end());
  return all;
}

Histogram messages_by_size(const Trace& trace, std::size_t bins) {
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t largest = 0;
  std::mutex mutex;
  parallel_for(static_cast<std::size_t>(trace.ranks()), [&](std::size_t r) {
    std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t high = 0;
    visit_sends(trace, static_cast<std::int32_t>(r),
                [&](const PostedMessage& message, std::int64_t) {
                  low = std::min(low, message.bytes);
                  high = std::max(high, message.bytes);
                });
    const std::lock_guard lock(mutex);
    smallest = std::min(smallest, low);
    largest = std::max(largest, high);
  });
  if (smallest > largest) smallest = largest;  // no messages
  return histogram(trace, Bins(static_cast<double>(smallest), static_cast<double>(largest), bins),
                   [](const PostedMessage& message, std::int64_t) {
                     return static_cast<double>(message.bytes);
                   });
}

Histogram messages_by_time(const Trace& trace, TimeInterval interval, std::size_t bins) {
  const auto first = static_cast<double>(interval.begin_ns);
  const auto last = static_cast<double>(interval.end_ns);
  return histogram(trace, Bins(first, last, bins), [](const PostedMessage&, std::int64_t begin) {
    return static_cast<double>(begin);
  });
}

}  // namespace slackline

#include "calls/blocking_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "base/arithmetic.h"
#include "base/units.h"
#include "calls/computation_code.h"

namespace slackline {
namespace {

void add(const BlockingCalls& calls, BlockingCalls& sum) {
  sum.kind = calls.kind;
  add_saturated(sum.calls, calls.calls);
  add_saturated(sum.bytes, calls.bytes);
  sum.time_ns = std::min(sum.time_ns, kTimeLimit_ns - calls.time_ns) + calls.time_ns;
  sum.blocked_ns = std::min(sum.blocked_ns, kTimeLimit_ns - calls.blocked_ns) + calls.blocked_ns;
}

struct KindSum {
  BlockingCalls all;
  std::map<std::string, double> places;
};

std::string describe(const KindSum& of) {
  std::string text;
  if (of.all.bytes > 0) {
    text = fmt::format(", {}, {}/s", format_bytes(static_cast<double>(of.all.bytes)),
                       format_bytes(BlockingSummary{of.all}.rate()));
  }
  const auto most = std::ranges::max_element(of.places, {}, [](auto& p) { return p.second; });
  return most->first.empty() ? text : text + ", most in " + most->first;
}

}  // namespace

double BlockingSummary::rate() const {
  return ratio_of(1e9 * static_cast<double>(sum.bytes), static_cast<double>(sum.time_ns));
}

std::vector<BlockingSummary> blocking_summary(const Trace& job, const BlockingOfRank& of_rank) {
  std::map<std::tuple<std::string, std::string, std::string>, BlockingSummary> by_place;
  for (std::int32_t rank = 0; rank < job.ranks(); ++rank) {
    for (const BlockingCalls& calls : of_rank(rank)) {
      const FrameId frame = own_frame(job.call_tree(), calls.frame);
      const std::string where = frame == 0 ? "" : describe_frame(job.call_tree(), frame);
      BlockingSummary& s = by_place[{calls.function, calls.file, where}];
      add(calls, s.sum);
      s.sum.frame = frame;
      s.ranks += s.last_rank == rank ? 0 : 1;
      s.last_rank = rank;
    }
  }
  std::vector<BlockingSummary> all;
  for (auto& [key, s] : by_place) {
    std::tie(s.sum.function, s.sum.file, s.where) = key;
    all.push_back(std::move(s));
  }
  std::ranges::stable_sort(all, std::ranges::greater{},
                           [](const BlockingSummary& s) { return s.sum.time_ns; });
  return all;
}

std::vector<BlockingSummary> blocking_summary(const Trace& trace) {
  return blocking_summary(trace, [&](std::int32_t r) { return trace.calls(r).blocking_calls(); });
}

std::string_view name(BlockingKind kind) {
  constexpr std::array<std::string_view, kBlockingKindNames.size()> kNames{
      "", "I/O", "asleep", "waiting for a thread", "waiting for a process", "waiting for a device"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<BlockingShare> blocking_shares(const Trace& trace, double all_ns, double least,
                                           std::int64_t BlockingCalls::*value) {
  std::map<BlockingKind, KindSum> kinds;
  double sum_ns = 0;
  for (const BlockingSummary& s : blocking_summary(trace)) {
    KindSum& of = kinds[s.sum.kind];
    add(s.sum, of.all);
    of.places[s.where] += static_cast<double>(s.sum.*value);
    sum_ns += static_cast<double>(s.sum.*value);
  }
  std::multimap<double, BlockingShare, std::greater<>> shares;
  for (const auto& [kind, of] : kinds) {
    const double share = ratio_of(static_cast<double>(of.all.*value), std::max(all_ns, sum_ns));
    if (share < least) continue;
    shares.emplace(share, BlockingShare{fmt::format("{} {}", name(kind), format_percent(share)),
                                        describe(of)});
  }
  std::vector<BlockingShare> sorted;
  for (auto& [share, text] : shares) sorted.push_back(std::move(text));
  return sorted;
}

}  // namespace slackline

#include "calls/summary.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/arithmetic.h"
#include "base/parallel.h"
#include "calls/call_actions.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

void add_messages(RankSummary& sum, const Call& call) {
  if (!may_send(operation_class(call.operation))) return;
  for_each_send(call, [&](const PostedMessage& message) {
    if (message.peer == kPeerNull) return;
    ++sum.messages;
    add_saturated(sum.message_bytes, message.bytes);
  });
}

bool has_wildcard(const Call& call) {
  constexpr std::uint8_t kAny = SLK_FLAG_ANY_SOURCE | SLK_FLAG_ANY_TAG;
  const bool receives_too =
      operation_class(call.operation) == OperationClass::sendrecv && call.args.size() > 1;
  return (call.flags & kAny) != 0 || (receives_too && (receive_half(call).flags & kAny) != 0);
}

/// What MPI_Start does with a persistent collective stands in a timed trace as the nonblocking one
/// that lasts no time, before the call itself.
bool may_be_started(const Trace& job, const Call& call) {
  return operation_class(call.operation) == OperationClass::icollective &&
         call.begin_ns == call.end_ns && job.timed();
}

void add_call(RankSummary& sum, const Call& call) {
  const bool polls = is_poll(call.operation) && call.has(SLK_FLAG_FAILED);
  const PollRun run = polls ? poll_run(call) : PollRun{};
  const std::int64_t time = run.inside_ns.value_or(call.end_ns - call.begin_ns);
  OperationSummary& operation = sum.operations[static_cast<std::size_t>(call.operation)];
  operation.calls += static_cast<std::uint64_t>(run.count);
  operation.time_ns += time;
  add_saturated(operation.bytes, call.bytes);
  (call.thread == 0 ? sum.mpi_ns : sum.thread_mpi_ns) += time;
  sum.wildcards += has_wildcard(call) ? 1 : 0;
  sum.threads = std::max(sum.threads, std::uint32_t{call.thread} + 1);
  sum.last_ns = std::max(sum.last_ns, call.end_ns);
  add_messages(sum, call);
}

// Over the ranks that are present; `of` gives a rank's value.
template <class Of>
RankSpread spread(const Trace& job, Of of) {
  RankSpread result;
  std::size_t count = 0;
  for (std::int32_t rank = 0; rank < job.ranks(); ++rank) {
    if (!job.rank_info(rank).present) continue;
    const auto value = static_cast<double>(of(rank));
    if (count == 0 || value < result.min) {
      result.min = value;
      result.min_rank = rank;
    }
    if (count == 0 || value > result.max) {
      result.max = value;
      result.max_rank = rank;
    }
    result.mean += value;
    ++count;
  }
  if (count > 0) result.mean /= static_cast<double>(count);
  return result;
}

void add_rank_facts(TraceSummary& all, const Trace& job, std::span<const RankSummary> ranks) {
  std::set<std::string> hosts;
  for (std::int32_t r = 0; r < job.ranks(); ++r) {
    const RankInfo& info = job.rank_info(r);
    if (!info.present) continue;
    const RankSummary& rank = ranks[static_cast<std::size_t>(r)];
    ++all.present_ranks;
    all.unfinalized_ranks += info.finalized ? 0 : 1;
    if (!info.host.empty()) hosts.insert(info.host);
    all.openmp_threads = std::max(all.openmp_threads, rank.openmp_threads);
    all.openmp_regions += rank.openmp_regions;
    all.clock_offset_ns = std::max(all.clock_offset_ns, std::abs(info.clock_offset_ns));
    all.clock_error_ns = std::max(all.clock_error_ns, info.clock_error_ns);
  }
  all.hosts = static_cast<std::int32_t>(hosts.size());
}

void add_operations(TraceSummary& all, std::span<const RankSummary> ranks) {
  for (const RankSummary& rank : ranks) {
    all.collectives += rank.started;
    add_saturated(all.collective_bytes, rank.started_bytes);
  }
  for (std::size_t op = 0; op < kOperationCount; ++op) {
    OperationSummary sum{.operation = static_cast<Operation>(op)};
    for (const RankSummary& rank : ranks) {
      sum.calls += rank.operations[op].calls;
      sum.time_ns += rank.operations[op].time_ns;
      add_saturated(sum.bytes, rank.operations[op].bytes);
    }
    if (sum.calls == 0) continue;
    all.calls += sum.calls;
    const OperationClass op_class = operation_class(sum.operation);
    if (op_class == OperationClass::collective || op_class == OperationClass::icollective) {
      all.collectives += sum.calls;
      add_saturated(all.collective_bytes, sum.bytes);
    }
    if (op_class == OperationClass::one_sided) all.one_sided += sum.calls;
    all.operations.push_back(sum);
  }
  std::ranges::stable_sort(all.operations, std::ranges::greater{},
                           [](const OperationSummary& o) { return std::pair(o.time_ns, o.calls); });
}

void add_regions(TraceSummary& all, const Trace& trace, std::span<const RankSummary> ranks) {
  for (std::size_t i = 0; i < trace.regions().size(); ++i) {
    RegionSummary sum{.name = trace.regions()[i]};
    for (const RankSummary& rank : ranks) {
      sum.visits += rank.regions[i].visits;
      sum.time_ns += rank.regions[i].time_ns;
    }
    all.regions.push_back(sum);
  }
}

void add_counters(TraceSummary& all, const Trace& job, std::span<const RankSummary> ranks) {
  for (std::size_t c = 0; c < job.counters().size(); ++c) {
    all.counters.push_back({job.counters()[c], spread(job, [&](std::int32_t rank) {
                              return ranks[static_cast<std::size_t>(rank)].counters[c];
                            })});
  }
}

void add_duration(TraceSummary& all, std::span<const RankSummary> ranks) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const RankSummary& rank : ranks) {
    first = std::min(first, rank.first_ns);
    last = std::max(last, rank.last_ns);
  }
  if (first <= last) all.duration_ns = last - first;
}

}  // namespace

RankSummarizer::RankSummarizer(const Trace& job, std::int32_t rank)
    : job_(job), rank_(rank), open_(job.regions().size()) {
  sum_.regions.resize(open_.size());
}

void RankSummarizer::add(const RankCalls& calls) {
  add_regions(calls);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call call = calls[i];
    if (!any_calls_) {
      any_calls_ = true;
      sum_.first_ns = std::min(job_.calls(rank_).start_ns(), call.begin_ns);
      last_end_ns_ = job_.calls(rank_).start_ns();
    }
    settle_started(call);
    if (may_be_started(job_, call)) {
      unsettled_.push_back(call);
      unsettled_.back().args = {};
    } else {
      add_call(sum_, call);
    }
    if (call.thread != 0) continue;
    sum_.compute_ns += std::max<std::int64_t>(0, call.begin_ns - last_end_ns_);
    last_end_ns_ = call.end_ns;
  }
  calls_ += calls.size();
}

/// Collectives that were started are known by the next call of their thread.
void RankSummarizer::settle_started(const Call& next) {
  if (unsettled_.empty() || next.thread != unsettled_.back().thread) return;
  if (may_be_started(job_, next)) return;
  const bool started = operation_class(next.operation) == OperationClass::start;
  for (const Call& call : unsettled_) {
    if (started) {
      ++sum_.started;
      add_saturated(sum_.started_bytes, call.bytes);
    } else {
      add_call(sum_, call);
    }
  }
  unsettled_.clear();
}

// Time in each region, a region inside itself counted once.
void RankSummarizer::add_regions(const RankCalls& calls) {
  for (const RegionEvent& event : calls.regions()) {
    if (event.region >= open_.size()) continue;
    Open& region = open_[event.region];
    if (event.enter) {
      ++sum_.regions[event.region].visits;
      if (region.depth++ == 0) region.since = event.time_ns;
    } else if (region.depth > 0 && --region.depth == 0) {
      sum_.regions[event.region].time_ns += event.time_ns - region.since;
    }
  }
}

RankSummary RankSummarizer::take(const RankCalls& details) {
  for (const Call& call : unsettled_) add_call(sum_, call);
  unsettled_.clear();
  if (any_calls_) {
    const std::int64_t stop = std::max(details.stop_ns(), last_end_ns_);
    sum_.compute_ns += stop - last_end_ns_;
    sum_.last_ns = std::max(sum_.last_ns, stop);
  }
  for (const Pause& pause : details.pauses()) {
    sum_.pauses_ns[static_cast<std::size_t>(pause.kind)] += pause.end_ns - pause.begin_ns;
  }
  sum_.blocking_calls.assign(details.blocking_calls().begin(), details.blocking_calls().end());
  sum_.openmp_threads = details.parallel_regions().locations();
  for (const ParallelRegion& region : details.parallel_regions().all()) {
    sum_.openmp_regions += region.instances;
  }
  sum_.counters.resize(job_.counters().size());
  for (std::size_t c = 0; c < sum_.counters.size(); ++c) {
    for (std::size_t i = 0; i <= calls_; ++i) sum_.counters[c] += details.counter(c, i);
  }
  return std::move(sum_);
}

TraceSummary summarize(const Trace& trace) {
  std::vector<RankSummary> ranks(static_cast<std::size_t>(trace.ranks()));
  parallel_for(ranks.size(), [&](std::size_t r) {
    const auto rank = static_cast<std::int32_t>(r);
    RankSummarizer summarizer(trace, rank);
    summarizer.add(trace.calls(rank));
    ranks[r] = summarizer.take(trace.calls(rank));
  });
  return summarize(trace, ranks);
}

TraceSummary summarize(const Trace& job, std::span<const RankSummary> ranks) {
  TraceSummary all;
  all.ranks = job.ranks();
  all.communicators = job.communicators().size() - 2;
  for (const RankSummary& rank : ranks) {
    all.messages += rank.messages;
    add_saturated(all.message_bytes, rank.message_bytes);
    all.wildcards += rank.wildcards;
    all.threads = std::max(all.threads, rank.threads);
  }
  const auto of_ranks = [&](std::int64_t RankSummary::*quantity) {
    return spread(job,
                  [&](std::int32_t r) { return ranks[static_cast<std::size_t>(r)].*quantity; });
  };
  all.mpi_time_ns = of_ranks(&RankSummary::mpi_ns);
  all.compute_time_ns = of_ranks(&RankSummary::compute_ns);
  all.thread_mpi_time_ns = of_ranks(&RankSummary::thread_mpi_ns);
  all.pause_time_ns = spread(job, [&](std::int32_t r) {
    const auto& pauses = ranks[static_cast<std::size_t>(r)].pauses_ns;
    return std::accumulate(pauses.begin(), pauses.end(), std::int64_t{0});
  });
  for (std::size_t kind = 0; kind < kPauseKinds; ++kind) {
    all.pauses_ns[kind] = spread(
        job, [&](std::int32_t r) { return ranks[static_cast<std::size_t>(r)].pauses_ns[kind]; });
  }
  add_counters(all, job, ranks);
  add_rank_facts(all, job, ranks);
  add_duration(all, ranks);
  add_operations(all, ranks);
  add_regions(all, job, ranks);
  all.blocking_calls = blocking_summary(job, [&](std::int32_t r) {
    return std::span(ranks[static_cast<std::size_t>(r)].blocking_calls);
  });
  if (all.blocking_calls.size() > kMostBlockingCalls) all.blocking_calls.resize(kMostBlockingCalls);
  return all;
}

}  // namespace slackline

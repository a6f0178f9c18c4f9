#include "sim/engine/statistics.h"

#include <algorithm>

namespace slackline::sim {

TimeAccounting::TimeAccounting(const Trace& trace, bool record, Simulation& result)
    : trace_(trace), record_(record), result_(result) {
  const std::size_t ranks = index(trace.ranks());
  result.ranks.resize(ranks);
  result.rank_end.resize(ranks);
  result.operations.resize(kOperationCount);
  if (!record) return;
  result.calls.resize(ranks);
  result.region_ends.resize(ranks);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    result.calls[index(r)].resize(trace.calls(r).size());
  }
}

void TimeAccounting::add_wait(ExecutionContext& context, double message_left, double now) {
  Waiting& waiting = context.waiting;
  const double from = std::max(waiting.accounted, waiting.busy_until);
  if (context.main && now > from) {
    const double left = std::clamp(message_left, from, now);
    times(context).wait += left - from;
    times(context).transfer += now - left;
  }
  waiting.accounted = now;
}

void TimeAccounting::end_item(ExecutionContext& context, double now) {
  ProgramPosition& program = context.program;
  if (program.call_open) {
    const Operation operation = trace_.calls(context.rank).operation(program.call);
    OperationTimes& t = result_.operations[static_cast<std::size_t>(operation)];
    ++t.calls;
    t.seconds += now - program.call_began;
  }
  if (program.computing_since >= 0) {
    add_compute(context, now - program.computing_since);
    program.computing_since = -1;
  }
  if (record_) {
    const std::size_t rank = index(context.rank);
    if (program.call_open) call_times(rank, program.call) = {program.call_began, now};
    if (program.region_open) result_.region_ends[rank].push_back(now);
  }
  program.call_open = program.region_open = false;
}

/// A program that is simulated while it runs grows.
CallTimes& TimeAccounting::call_times(std::size_t rank, std::uint32_t call) {
  std::vector<CallTimes>& calls = result_.calls[rank];
  if (call >= calls.size()) calls.resize(call + 1);
  return calls[call];
}

void TimeAccounting::finish() {
  const auto last = std::ranges::max_element(result_.rank_end);
  if (last != result_.rank_end.end()) {
    result_.makespan = *last;
    result_.last_rank = static_cast<std::int32_t>(last - result_.rank_end.begin());
  }
  for (std::size_t r = 0; r < result_.ranks.size(); ++r) {
    result_.ranks[r].wait += result_.makespan - result_.rank_end[r];
  }
}

namespace {

constexpr double kSlowed = 1.01;  // times its time alone, from where on a message counts as slowed

}  // namespace

void ContentionStatistics::add(const Network::Arrival& arrival, const Transfer& transfer,
                               double now) {
  const double lasted = now - arrival.started;
  Contention& c = result_.contention;
  ++c.messages;
  c.alone_seconds += arrival.alone;
  c.actual_seconds += lasted;
  if (arrival.alone > 0) c.worst_ratio = std::max(c.worst_ratio, lasted / arrival.alone);
  if (lasted <= kSlowed * arrival.alone) return;
  ++c.slowed;
  if (!slowed_.wants(lasted - arrival.alone)) return;
  slowed_.add({.sender = transfer.sender,
               .receiver = transfer.channel.destination,
               .bytes = transfer.bytes,
               .within = operation_of(transfer.channel),
               .began = arrival.started,
               .lasted = lasted,
               .alone = arrival.alone,
               .limited_by = arrival.limited_by});
}

}  // namespace slackline::sim

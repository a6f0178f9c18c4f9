#include "analysis/efficiency/time_shares.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "analysis/runs/measured.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

bool starts_or_ends(Operation op) {
  return is_init(op) || op == Operation::finalize;
}

/// The analysed interval's length on the ideal network.
std::int64_t ideal_length(const Trace& trace, const IdealRun& ideal) {
  TimeInterval all{std::numeric_limits<std::int64_t>::max(),
                   std::numeric_limits<std::int64_t>::min()};
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    if (calls.empty()) continue;
    const RankSpan span = rank_span(calls);
    const auto& begin_ns = ideal.begin_ns[static_cast<std::size_t>(r)];
    const auto& end_ns = ideal.end_ns[static_cast<std::size_t>(r)];
    all.begin_ns = std::min(all.begin_ns,
                            span.first_call == 0 ? calls.start_ns() : end_ns[span.first_call - 1]);
    all.end_ns = std::max(
        all.end_ns, span.last_call == calls.size() ? end_ns.back() : begin_ns[span.last_call]);
  }
  return all.end_ns > all.begin_ns ? all.length_ns() : 0;
}

class CallSums {
 public:
  CallSums(const Trace& trace, const CallActivities& names)
      : trace_(trace), names_(names), sums_(names.size()) {}

  void add_calls() {
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      const RankCalls& calls = trace_.calls(r);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        if (starts_or_ends(calls.operation(i))) continue;
        TimeShares::OfCalls& sum = of(r, static_cast<CallIndex>(i));
        ++sum.calls;
        sum.bytes += calls.bytes(i);
        sum.time_ns += calls.end_ns(i) - calls.begin_ns(i);
      }
    }
  }
  void add_wait(const WaitState& s) { of(s.rank, s.call).waiting_ns += s.wait_ns; }

  std::vector<TimeShares::OfCalls> take() {
    std::vector<TimeShares::OfCalls> taken;
    for (std::size_t id = 0; id < sums_.size(); ++id) {
      if (sums_[id].calls == 0) continue;
      sums_[id].operation = names_.operation(static_cast<ActivityId>(id));
      sums_[id].path = names_.path(static_cast<ActivityId>(id));
      taken.push_back(sums_[id]);
    }
    std::ranges::sort(taken, {}, [](const TimeShares::OfCalls& c) {
      return std::tuple(-c.inside_ns(), c.operation, c.path);
    });
    return taken;
  }

 private:
  TimeShares::OfCalls& of(std::int32_t rank, CallIndex call) {
    return sums_[names_.of(rank, call).call];
  }

  const Trace& trace_;
  const CallActivities& names_;
  std::vector<TimeShares::OfCalls> sums_;  // by activity
};

}  // namespace

TimeShares time_shares(const Trace& trace, const CallActivities& names, const WaitStates& waits,
                       const IdealRun& ideal) {
  TimeShares out;
  const std::optional<MeasuredRun> measured = measured_run(trace);
  if (!measured) return out;
  const RunSpan run = run_span(trace);
  out.begin_ns = run.lead_ns();
  out.length_ns = measured->makespan_ns;
  out.run_ns = run.whole.length_ns();
  out.ideal_ns = ideal_length(trace, ideal);
  std::vector<std::int64_t> waiting_ns(measured->ranks_ns.size());  // inside of calls
  CallSums sums(trace, names);
  sums.add_calls();
  for (const WaitState& s : waits.states) {
    if (!s.effective || starts_or_ends(trace.calls(s.rank).operation(s.call))) continue;
    waiting_ns[static_cast<std::size_t>(s.rank)] += s.wait_ns;
    sums.add_wait(s);
  }
  out.calls = sums.take();
  for (std::size_t r = 0; r < measured->ranks_ns.size(); ++r) {
    TimeBreakdown& rank = out.ranks_ns.emplace_back();
    if (trace.calls(static_cast<std::int32_t>(r)).empty()) continue;
    ++out.present;
    rank = measured->ranks_ns[r];
    // Calls of several threads overlap, and so may their waiting.
    const std::int64_t waiting = std::min(waiting_ns[r], rank.mpi);
    rank.mpi -= waiting;
    rank.wait += waiting;
    out.sum_ns.compute += rank.compute;
    out.sum_ns.mpi += rank.mpi;
    out.sum_ns.wait += rank.wait;
  }
  const double all = static_cast<double>(out.length_ns) * static_cast<double>(out.present);
  if (trace.info().cpu_ns > 0 && all > 0) {
    out.processor_share = std::min(1.0, static_cast<double>(trace.info().cpu_ns) / all);
  }
  return out;
}

EfficiencyInputs analysed_efficiency_inputs(const Trace& trace, const IdealRun& ideal) {
  TimeShares shares;
  const std::optional<MeasuredRun> measured = measured_run(trace);
  if (!measured) return {};
  shares.length_ns = measured->makespan_ns;
  shares.ideal_ns = ideal_length(trace, ideal);
  shares.ranks_ns = measured->ranks_ns;
  for (std::size_t r = 0; r < shares.ranks_ns.size(); ++r) {
    if (trace.calls(static_cast<std::int32_t>(r)).empty()) continue;
    ++shares.present;
    shares.sum_ns.compute += shares.ranks_ns[r].compute;
  }
  return efficiency_inputs(shares);
}

EfficiencyInputs efficiency_inputs(const TimeShares& shares) {
  EfficiencyInputs in;
  in.ranks = static_cast<std::int32_t>(shares.present);
  if (in.ranks == 0) return in;
  in.observed_ns = static_cast<double>(shares.length_ns);
  in.ideal_ns = static_cast<double>(shares.ideal_ns);
  in.useful_mean_ns = static_cast<double>(shares.sum_ns.compute) / in.ranks;
  for (const TimeBreakdown& rank : shares.ranks_ns) {
    in.useful_max_ns = std::max(in.useful_max_ns, static_cast<double>(rank.compute));
  }
  return in;
}

}  // namespace slackline

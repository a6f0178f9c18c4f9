#include "analysis/efficiency/time_shares.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "analysis/efficiency/ideal_length.h"
#include "analysis/runs/measured.h"
#include "analysis/waits/wait_states.h"
#include "base/arithmetic.h"
#include "calls/gap_walk.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

bool starts_or_ends(Operation op) {
  return is_init(op) || op == Operation::finalize;
}

std::int64_t ideal_length(const Trace& trace, const IdealRun& ideal, const TimeInterval& interval) {
  const RunSpan run = run_span(trace);
  std::vector<IdealExtent> ranks;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (!trace.calls(r).empty()) {
      ranks.push_back(ideal_extent(trace.calls(r), ideal, r, run, interval));
    }
  }
  return ideal_length(ranks, run, interval);
}

/// How much of a call lies in an interval.
std::int64_t inside(const TimeInterval& interval, std::int64_t begin_ns, std::int64_t end_ns) {
  return std::max<std::int64_t>(
      0, std::min(interval.end_ns, end_ns) - std::max(interval.begin_ns, begin_ns));
}

class CallSums {
 public:
  CallSums(const Trace& trace, const CallMatching& matching, const CallActivities& names,
           const TimeInterval& analysed)
      : trace_(trace),
        matching_(matching),
        names_(names),
        analysed_(analysed),
        sums_(names.size()) {}

  void add_calls() {
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
      const RankCalls& calls = trace_.calls(r);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        if (starts_or_ends(calls.operation(i)) || calls.thread(i) != 0) continue;
        if (calls.end_ns(i) < analysed_.begin_ns || calls.begin_ns(i) > analysed_.end_ns) continue;
        TimeShares::OfCalls& sum = of(r, static_cast<CallIndex>(i));
        ++sum.calls;
        add_saturated(sum.bytes, calls.bytes(i));
        const std::int64_t time = inside(analysed_, calls.begin_ns(i), calls.end_ns(i));
        sum.time_ns += time;
        if (!is_known(r, static_cast<CallIndex>(i))) sum.unknown_ns += time;
      }
    }
  }
  void add_wait(const WaitState& s) {
    TimeShares::OfCalls& sum = of(s.rank, s.call);
    sum.waiting_ns += s.wait_ns;
    if (!is_known(s.rank, s.call)) sum.unknown_ns -= s.wait_ns;
  }

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
  bool is_known(std::int32_t rank, CallIndex call) const {
    return waiting_is_known(trace_, matching_, rank, call);
  }
  TimeShares::OfCalls& of(std::int32_t rank, CallIndex call) {
    return sums_[names_.of(rank, call).call];
  }

  const Trace& trace_;
  const CallMatching& matching_;
  const CallActivities& names_;
  TimeInterval analysed_;
  std::vector<TimeShares::OfCalls> sums_;  // by activity
};

/// In MPI_Init and MPI_Finalize outside of an interval, mean of the ranks.
std::int64_t environment_time(const Trace& trace, const TimeInterval& analysed,
                              std::size_t present) {
  std::int64_t sum = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!starts_or_ends(calls.operation(i))) continue;
      const std::int64_t duration = calls.end_ns(i) - calls.begin_ns(i);
      sum += std::max<std::int64_t>(
          0, duration - inside(analysed, calls.begin_ns(i), calls.end_ns(i)));
    }
  }
  return present == 0 ? 0 : sum / static_cast<std::int64_t>(present);
}

/// The part in which each rank had a processor of the time in which it computed or wanted to.
std::vector<double> on_processor(const Trace& trace) {
  std::vector<double> shares(static_cast<std::size_t>(trace.ranks()), 1.0);
  bool any = false;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    if (calls.pauses().empty()) continue;
    const std::size_t first = rank_span(calls).first_call;
    double had = 0;
    GapWalk gaps(calls);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const GapWalk::Gap gap = gaps.next();
      if (i >= first) had += static_cast<double>(gap.useful_ns + gap.recording_ns);
    }
    double lacked = 0;
    for (const Pause& pause : calls.pauses()) {
      if (pause.kind != PauseKind::no_processor || pause.before_call < first) continue;
      lacked += static_cast<double>(pause.end_ns - pause.begin_ns);
    }
    any = any || lacked > 0;
    if (lacked > 0) shares[static_cast<std::size_t>(r)] = had / (had + lacked);
  }
  return any ? shares : std::vector<double>{};
}

}  // namespace

TimeShares time_shares(const Trace& trace, const CallMatching& matching,
                       const CallActivities& names, const WaitStates& waits, const IdealRun& ideal,
                       const TimeInterval& analysed) {
  TimeShares out;
  const std::optional<MeasuredRun> measured = measured_run(trace, analysed);
  if (!measured) return out;
  const RunSpan run = run_span(trace);
  out.begin_ns = analysed.begin_ns - run.whole.begin_ns;
  out.length_ns = measured->makespan_ns;
  out.run_ns = run.whole.length_ns();
  out.extent = extent_of(run, analysed);
  out.ends = run.ends;
  out.program = {run.lead_ns(), run.lead_ns() + run.analysed.length_ns()};
  out.ideal_ns = ideal_length(trace, ideal, analysed);
  std::vector<std::int64_t> waiting_ns(measured->ranks_ns.size());  // inside of calls
  CallSums sums(trace, matching, names, analysed);
  sums.add_calls();
  for (const WaitState& s : waits.states) {
    if (!s.effective) continue;
    waiting_ns[static_cast<std::size_t>(s.rank)] += s.wait_ns;
    sums.add_wait(s);
  }
  out.calls = sums.take();
  for (std::size_t r = 0; r < measured->ranks_ns.size(); ++r) {
    RankTime& rank = out.ranks_ns.emplace_back();
    if (trace.calls(static_cast<std::int32_t>(r)).empty()) continue;
    ++out.present;
    rank = measured->ranks_ns[r];
    const std::int64_t waiting = std::min(waiting_ns[r], rank.mpi);
    rank.mpi -= waiting;
    rank.wait += waiting;
    out.sum_ns += rank;
  }
  for (const TimeShares::OfCalls& c : out.calls) out.unknown_ns += c.unknown_ns;
  out.unknown_ns = std::clamp<std::int64_t>(out.unknown_ns, 0, out.sum_ns.mpi);
  out.environment_ns = environment_time(trace, analysed, out.present);
  const double all = static_cast<double>(out.length_ns) * static_cast<double>(out.present);
  if (trace.info().cpu_ns > 0) out.on_processor = on_processor(trace);
  if (trace.info().cpu_ns > 0 && all > 0) {
    const auto wanted_none = static_cast<double>(out.sum_ns.blocked);
    out.processor_share =
        std::min(1.0, (static_cast<double>(trace.info().cpu_ns) + wanted_none) / all);
  }
  return out;
}

EfficiencyInputs efficiency_inputs(const TimeShares& shares) {
  EfficiencyInputs in;
  in.ranks = static_cast<std::int32_t>(shares.present);
  if (in.ranks == 0) return in;
  in.observed_ns = static_cast<double>(shares.length_ns);
  in.ideal_ns = static_cast<double>(shares.ideal_ns);
  in.useful_mean_ns = static_cast<double>(shares.sum_ns.compute) / in.ranks;
  for (const RankTime& rank : shares.ranks_ns) {
    in.useful_max_ns = std::max(in.useful_max_ns, static_cast<double>(rank.compute));
  }
  return in;
}

}  // namespace slackline

#include "analysis/efficiency/time_shares.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "calls/run_span.h"

namespace slackline {
namespace {

bool starts_or_ends(Operation op) {
  return is_init(op) || op == Operation::finalize;
}

/// From the first return from MPI_Init to the last entry into MPI_Finalize on the ideal network.
std::int64_t ideal_length(const Trace& trace, const IdealRun& ideal) {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    const auto rank = static_cast<std::size_t>(r);
    if (calls.empty()) continue;
    std::int64_t mine = calls.start_ns();
    std::int64_t last = ideal.end_ns[rank].back();
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!starts_or_ends(calls.operation(i))) continue;
      if (calls.operation(i) == Operation::finalize) {
        last = ideal.begin_ns[rank][i];
        break;
      }
      mine = ideal.end_ns[rank][i];
    }
    begin = std::min(begin, mine);
    end = std::max(end, last);
  }
  return end > begin ? end - begin : 0;
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
  out.begin_ns = measured->begin_ns - run.begin_ns;
  out.length_ns = std::max<std::int64_t>(0, measured->makespan_ns);
  out.run_ns = run.length_ns();
  out.ideal_ns = ideal_length(trace, ideal);
  out.ranks.resize(measured->ranks.size());
  CallSums sums(trace, names);
  sums.add_calls();
  for (const WaitState& s : waits.states) {
    if (!s.effective || starts_or_ends(trace.calls(s.rank).operation(s.call))) continue;
    out.ranks[static_cast<std::size_t>(s.rank)].waiting_ns += s.wait_ns;
    sums.add_wait(s);
  }
  out.calls = sums.take();
  for (std::size_t r = 0; r < out.ranks.size(); ++r) {
    if (trace.calls(static_cast<std::int32_t>(r)).empty()) continue;
    ++out.present;
    TimeShares::OfRank& rank = out.ranks[r];
    const MeasuredParts& parts = measured->ranks[r];
    rank.compute_ns = parts.compute_ns;
    // Calls of several threads overlap, and so may their waiting.
    const std::int64_t waiting = std::min(rank.waiting_ns, parts.mpi_ns);
    rank.waiting_ns = waiting + parts.wait_ns;
    rank.inside_ns = parts.mpi_ns - waiting;
    out.sum.compute_ns += rank.compute_ns;
    out.sum.waiting_ns += rank.waiting_ns;
    out.sum.inside_ns += rank.inside_ns;
  }
  const double all = static_cast<double>(out.length_ns) * static_cast<double>(out.present);
  if (trace.info().cpu_ns > 0 && all > 0) {
    out.processor_share = std::min(1.0, static_cast<double>(trace.info().cpu_ns) / all);
  }
  return out;
}

EfficiencyInputs efficiency_inputs(const TimeShares& shares) {
  EfficiencyInputs in;
  in.ranks = static_cast<std::int32_t>(shares.present);
  if (in.ranks == 0) return in;
  in.observed_ns = static_cast<double>(shares.length_ns);
  in.ideal_ns = static_cast<double>(shares.ideal_ns);
  in.useful_mean_ns = static_cast<double>(shares.sum.compute_ns) / in.ranks;
  for (const TimeShares::OfRank& rank : shares.ranks) {
    in.useful_max_ns = std::max(in.useful_max_ns, static_cast<double>(rank.compute_ns));
  }
  return in;
}

}  // namespace slackline

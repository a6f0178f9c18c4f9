#include "sim/simulated_trace.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace slackline {
namespace {

std::int64_t ns(double seconds) {
  return std::llround(seconds * 1e9);
}

/// Writes one rank's calls and regions with their simulated times.
class Rewriter {
 public:
  Rewriter(const Trace& trace, const Simulation& simulation, std::int32_t rank, Trace& out)
      : calls_(trace.calls(rank)),
        times_(simulation.calls[static_cast<std::size_t>(rank)]),
        ends_(simulation.region_ends[static_cast<std::size_t>(rank)]),
        in_flops_(trace.info().flops_per_second > 0),
        out_(out.calls(rank)) {}

  void run() {
    out_.reserve(calls_.size());
    // Before the simulated part everything happens at its start.
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      regions_until(i, ns(times_[i].begin));
      Call call = calls_[i];
      call.begin_ns = std::max(last_, ns(times_[i].begin));
      call.end_ns = std::max(call.begin_ns, ns(times_[i].end));
      last_ = call.end_ns;
      last_measured_ = calls_.end_ns(i);
      out_.append(call);
    }
    regions_until(calls_.size(), last_);
  }

 private:
  /// Regions before call `call`, which begins at `until`. In flops each pair ends where its action
  /// did; else they keep their distance from the call before.
  void regions_until(std::size_t call, std::int64_t until) {
    const auto regions = calls_.regions();
    for (; next_ < regions.size() && regions[next_].before_call <= call; ++next_) {
      RegionEvent event = regions[next_];
      if (in_flops_) {
        if (!event.enter && next_ / 2 < ends_.size()) last_ = std::max(last_, ns(ends_[next_ / 2]));
        event.time_ns = last_;
      } else {
        const std::int64_t after = std::max<std::int64_t>(0, event.time_ns - last_measured_);
        event.time_ns = std::clamp(last_ + after, last_, std::max(last_, until));
      }
      out_.append_region(event);
    }
  }

  const RankCalls& calls_;
  const std::vector<CallTimes>& times_;
  const std::vector<double>& ends_;
  bool in_flops_;
  RankCalls& out_;
  std::size_t next_ = 0;
  std::int64_t last_ = 0, last_measured_ = 0;
};

}  // namespace

Trace simulated_trace(const Trace& trace, const Simulation& simulation) {
  expects(simulation.calls.size() == static_cast<std::size_t>(trace.ranks()),
          "the simulation was recorded");
  Trace out(trace.ranks(), true);
  for (std::size_t c = 2; c < trace.communicators().size(); ++c) {
    out.add_communicator(trace.communicators()[c]);
  }
  for (const std::string& region : trace.regions()) out.region_id(region);
  out.info() = trace.info();
  out.info().recorder = "slackline simulate";
  out.info().flops_per_second = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    out.rank_info(r) = trace.rank_info(r);
    Rewriter(trace, simulation, r, out).run();
  }
  return out;
}

}  // namespace slackline

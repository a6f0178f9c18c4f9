#include "page/timeline_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/efficiency/time_windows.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr const char* kWork = "share of time at work in parallel regions, outside barriers";

class WorkOverTime {
 public:
  explicit WorkOverTime(const Trace& trace) : run_(run_span(trace).whole), windows_(run_) {}

  void add(const ParallelRegions& regions, LocationId location) {
    for (const ParallelRegion& region : regions.all()) {
      if (location >= region.threads) continue;
      windows_.add(static_cast<double>(region.begin_ns), static_cast<double>(region.end_ns),
                   static_cast<double>(regions.times(region)[location].busy_ns));
    }
    ++threads_;
  }

  Timeline::Strip strip(std::string name, std::string explanation) const {
    const double width = static_cast<double>(run_.length_ns()) / kTimeWindows;
    Timeline::Strip strip{std::move(name), 0, width, {}, std::move(explanation), "measured"};
    for (const double ns : windows_.sums()) {
      strip.values.push_back(std::min(1.0, ns / (width * static_cast<double>(threads_))));
    }
    return strip;
  }

 private:
  TimeInterval run_;
  TimeWindows windows_;
  std::size_t threads_ = 0;
};

}  // namespace

std::vector<Timeline::Strip> thread_strips(const Trace& trace) {
  WorkOverTime all(trace);
  std::vector<Timeline::Strip> strips;
  std::size_t threads = 0;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const ParallelRegions& regions = trace.calls(r).parallel_regions();
    for (LocationId location = 1; location < regions.locations(); ++location) {
      all.add(regions, location);
      if (++threads > kMostThreadStrips) continue;
      WorkOverTime own(trace);
      own.add(regions, location);
      strips.push_back(own.strip(fmt::format("rank {} thread {}", r, location), kWork));
    }
  }
  if (threads <= kMostThreadStrips) return strips;
  return {all.strip("OpenMP threads", fmt::format("mean of {} threads: {}", threads, kWork))};
}

}  // namespace slackline

// Functions by the time that the run spends in them, on the critical path and at all.
//
// Every nanosecond of a rank between its first call and its last belongs to one frame of the call
// tree: computation to where it was (run_code.h), a call of MPI to where it was made. So three
// numbers are summed up by frame; a hot spot is a set of frames with a common function, line
// or module. Its exclusive time is that of its frames, and its inclusive time that of all frames
// with one of its own among themselves and their callers.

#include "analysis/paths/hotspots.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "base/arithmetic.h"
#include "base/error.h"
#include "calls/run_span.h"

namespace slackline {
namespace {

constexpr std::array<std::pair<CodeUnit, std::string_view>, 4> kUnits{
    {{CodeUnit::function, "function"},
     {CodeUnit::line, "line"},
     {CodeUnit::call_path, "call-path"},
     {CodeUnit::module, "module"}}};

/// Numbers of the hot spots that frames belong to; 0 is code that is not known.
class Units {
 public:
  Units(const CallTree& tree, CodeUnit unit) : of_frame_(tree.size() + 1, 0) {
    // What makes two frames one hot spot: the hot spot of the caller, then names and line.
    std::map<std::tuple<std::uint32_t, std::string, std::string, std::uint32_t>, std::uint32_t> ids;
    for (FrameId frame = 1; frame <= tree.size(); ++frame) {
      const CodeLocation& at = tree.location(frame);
      const std::uint32_t caller = unit == CodeUnit::call_path ? of_frame_[tree.parent(frame)] : 0;
      const std::string& first = unit == CodeUnit::module ? at.module : at.function;
      const std::string file = unit == CodeUnit::module ? std::string()
                               : at.file.empty()        ? at.module
                                                        : at.file;
      const std::uint32_t line = unit == CodeUnit::line ? at.line : 0;
      const auto [found, fresh] =
          ids.try_emplace({caller, first, file, line}, static_cast<std::uint32_t>(ids.size() + 1));
      of_frame_[frame] = found->second;
    }
    size_ = ids.size() + 1;
  }
  std::uint32_t operator[](FrameId frame) const { return of_frame_[frame]; }
  std::size_t size() const { return size_; }

 private:
  std::vector<std::uint32_t> of_frame_;
  std::size_t size_ = 1;
};

struct FrameSums {
  std::int64_t path_ns = 0;
  std::int64_t computation_ns = 0;
  std::int64_t mpi_ns = 0;
  std::int64_t all() const { return saturated_sum(path_ns, saturated_sum(computation_ns, mpi_ns)); }
};

class HotspotSums {
 public:
  HotspotSums(const Trace& trace, const RunCode& code, CodeUnit unit, const TimeInterval& analysed)
      : trace_(trace),
        analysed_(analysed),
        tree_(code.tree()),
        code_(code),
        units_(tree_, unit),
        frames_(tree_.size() + 1),
        spots_(units_.size()) {
    result_.unit = unit;
    result_.source = code.of_regions() ? CodeSource::regions
                     : code.sampled()  ? CodeSource::samples
                                       : CodeSource::call_paths;
  }

  Hotspots sum(const CriticalPath& path) {
    for (std::int32_t r = 0; r < trace_.ranks(); ++r) add_rank(r);
    const std::int64_t start = run_span(trace_).whole.begin_ns;
    for (const ActivitySegment& s : path.segments) add_segment(s, start);
    for (FrameId frame = 0; frame < frames_.size(); ++frame) add_frame(frame);
    for (Hotspot& spot : spots_) {
      if (FrameSums{spot.path.inclusive_ns, spot.computation.inclusive_ns, spot.mpi.inclusive_ns}
              .all() == 0) {
        continue;
      }
      spot.mean_ns =
          static_cast<double>(spot.computation.exclusive_ns) / static_cast<double>(trace_.ranks());
      result_.spots.push_back(spot);
    }
    std::ranges::stable_sort(result_.spots, [](const Hotspot& a, const Hotspot& b) {
      return std::tuple(a.path.exclusive_ns, a.computation.exclusive_ns, a.path.inclusive_ns) >
             std::tuple(b.path.exclusive_ns, b.computation.exclusive_ns, b.path.inclusive_ns);
    });
    return std::move(result_);
  }

 private:
  void add_rank(std::int32_t rank) {
    const RankCalls& calls = trace_.calls(rank);
    std::map<std::uint32_t, std::int64_t> computed;  // by hot spot
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto call = static_cast<std::uint32_t>(i);
      const std::int64_t begin = calls.begin_ns(i);
      code_.split(rank, call, useful_ns(calls, i), [&](FrameId frame, std::int64_t ns) {
        frames_[frame].computation_ns += ns;
        computed[units_[frame]] += ns;
        result_.computation_ns += ns;
      });
      const std::int64_t inside = part_within({begin, calls.end_ns(i)});
      frames_[code_.of_call(rank, call)].mpi_ns += inside;
      result_.mpi_ns += inside;
    }
    for (const auto& [unit, ns] : computed) {
      if (ns <= spots_[unit].busiest_ns) continue;
      spots_[unit].busiest_ns = ns;
      spots_[unit].busiest = rank;
    }
  }

  std::int64_t part_within(const TimeInterval& interval) const {
    return TimeInterval{std::max(interval.begin_ns, analysed_.begin_ns),
                        std::min(interval.end_ns, analysed_.end_ns)}
        .length_ns();
  }

  /// Computation before call `i` in the analysed interval; of CPU time, its share by wall time.
  std::int64_t useful_ns(const RankCalls& calls, std::size_t i) const {
    const std::int64_t gap = calls.gap_ns(i);
    const std::int64_t within = part_within({calls.begin_ns(i) - gap, calls.begin_ns(i)});
    return gap <= 0 ? 0 : static_cast<std::int64_t>(Int128{calls.useful_ns(i)} * within / gap);
  }

  /// `start` is when the path begins, in the trace's time.
  void add_segment(const ActivitySegment& s, std::int64_t start) {
    const std::int64_t within = part_within({start + s.begin_ns, start + s.end_ns});
    result_.path_ns += within;
    code_.split(s, within, [&](FrameId frame, std::int64_t ns) { frames_[frame].path_ns += ns; });
  }

  void add_frame(FrameId frame) {
    const FrameSums& sums = frames_[frame];
    if (sums.all() == 0) return;
    Hotspot& own = spots_[units_[frame]];
    own.path.exclusive_ns += sums.path_ns;
    own.computation.exclusive_ns += sums.computation_ns;
    own.mpi.exclusive_ns += sums.mpi_ns;
    seen_.clear();
    for (FrameId at = frame;; at = tree_.parent(at)) {
      const std::uint32_t unit = units_[at];
      if (std::ranges::find(seen_, unit) == seen_.end()) {
        seen_.push_back(unit);
        add_inclusive(unit, at, sums);
      }
      if (at == 0 || tree_.parent(at) == 0) return;
    }
  }

  void add_inclusive(std::uint32_t unit, FrameId frame, const FrameSums& sums) {
    Hotspot& spot = spots_[unit];
    spot.path.inclusive_ns += sums.path_ns;
    spot.computation.inclusive_ns += sums.computation_ns;
    spot.mpi.inclusive_ns += sums.mpi_ns;
    // The frame with the most time of its own stands for the hot spot, else any.
    if (spot.frame == 0 || frames_[frame].all() > frames_[spot.frame].all()) spot.frame = frame;
  }

  const Trace& trace_;
  TimeInterval analysed_;
  const CallTree& tree_;
  const RunCode& code_;
  Units units_;
  std::vector<FrameSums> frames_;
  std::vector<Hotspot> spots_;
  std::vector<std::uint32_t> seen_;
  Hotspots result_;
};

}  // namespace

std::string_view to_string(CodeUnit unit) {
  return std::ranges::find(kUnits, unit, [](const auto& u) { return u.first; })->second;
}

CodeUnit parse_code_unit(std::string_view name, std::string_view option) {
  const auto* const found = std::ranges::find(kUnits, name, [](const auto& u) { return u.second; });
  if (found != kUnits.end()) return found->first;
  throw usage_error("unknown value '" + std::string(name) + "' for " + std::string(option),
                    "no such name", "Choose function, line, call-path or module.");
}

Hotspots hotspots(const Trace& trace, const RunCode& code, const CriticalPath& path, CodeUnit unit,
                  const TimeInterval& analysed) {
  return HotspotSums(trace, code, unit, analysed).sum(path);
}

}  // namespace slackline

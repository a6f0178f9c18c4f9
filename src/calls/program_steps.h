#pragma once

#include <algorithm>
#include <cstdint>

#include "calls/call_paths.h"
#include "calls/run_span.h"
#include "trace/trace.h"

namespace slackline {

/// A stretch of what one rank does between calls in one call path: of computation, or of being
/// blocked of its own accord, which takes as long whatever others do.
struct Computation {
  PathId path = 0;
  std::int64_t begin_ns = 0;  ///< since the earliest rank's program began
  std::int64_t ns = 0;
  std::uint32_t before_call = 0;
  bool blocked = false;
};

/// Visits what one rank does, in order, apart from how long its calls take. `zero_ns` is when the
/// earliest rank's program begins, run_span().analysed of the trace.
///   visitor.start(ns)           its program starts this long after the earliest rank's
///   visitor.compute(Computation)
///   visitor.pause(ns, kind)     of other kinds than blocked; of kind recording also for what
///                               recording the calls around took
///   visitor.region(event, path)  enters or leaves a region, and is in `path` then
///   visitor.call(index, path)
/// Linear.
template <class Visitor>
class ProgramSteps {
 public:
  ProgramSteps(const Trace& trace, const CallPaths& paths, std::int32_t rank, std::int64_t zero_ns,
               Visitor& visitor)
      : calls_(trace.calls(rank)),
        paths_(paths),
        rank_(rank),
        zero_ns_(zero_ns),
        visitor_(visitor) {}

  void run() {
    const RankSpan start = rank_span(calls_);
    if (calls_.empty()) return;
    visitor_.start(start.analysed.begin_ns - zero_ns_);
    for (std::size_t i = 0; i < start.first_call; ++i) {
      now_ns_ = start.analysed.begin_ns;
      pass_gap(i, start.analysed.begin_ns);
      visitor_.call(i, path_);
    }
    now_ns_ = start.analysed.begin_ns;
    for (std::size_t i = start.first_call; i < calls_.size(); ++i) {
      now_ns_ = calls_.begin_ns(i) - calls_.gap_ns(i);
      recording_ns_ = calls_.recording_ns(i);
      pass_gap(i, calls_.begin_ns(i));
      visitor_.call(i, path_);
    }
    now_ns_ = calls_.end_ns(calls_.size() - 1);
    recording_ns_ = calls_.recording_ns(calls_.size());
    pass_gap(calls_.size(), std::max(now_ns_, calls_.stop_ns()));
  }

 private:
  /// Everything before call `i`, computation until `end_ns` included.
  void pass_gap(std::size_t i, std::int64_t end_ns) {
    gap_ = static_cast<std::uint32_t>(i);
    const auto events = calls_.regions();
    const auto pauses = calls_.pauses();
    while (true) {
      const bool event = event_ < events.size() && events[event_].before_call <= i;
      const bool pause = pause_ < pauses.size() && pauses[pause_].before_call <= i;
      if (!event && !pause) break;
      if (event && (!pause || events[event_].time_ns <= pauses[pause_].begin_ns)) {
        compute_until(std::min(events[event_].time_ns, end_ns));
        path_ = paths_.after_event(rank_, event_);
        visitor_.region(events[event_++], path_);
      } else {
        pass_pause(pauses[pause_++], end_ns);
      }
    }
    compute_until(end_ns);
  }

  void pass_pause(const Pause& pause, std::int64_t end_ns) {
    compute_until(std::min(pause.begin_ns, end_ns));
    const std::int64_t until = std::min(pause.end_ns, end_ns);
    if (until <= now_ns_) return;
    if (pause.kind == PauseKind::blocked) {
      visitor_.compute(Computation{path_, now_ns_ - zero_ns_, until - now_ns_, gap_, true});
    } else {
      visitor_.pause(until - now_ns_, pause.kind);
    }
    now_ns_ = until;
  }

  /// What recording the calls took is taken to be at the begin of a gap.
  void compute_until(std::int64_t ns) {
    const std::int64_t recording = std::clamp<std::int64_t>(ns - now_ns_, 0, recording_ns_);
    if (recording > 0) visitor_.pause(recording, PauseKind::recording);
    recording_ns_ -= recording;
    now_ns_ += recording;
    if (ns <= now_ns_) return;
    visitor_.compute(Computation{path_, now_ns_ - zero_ns_, ns - now_ns_, gap_});
    now_ns_ = ns;
  }

  const RankCalls& calls_;
  const CallPaths& paths_;
  std::int32_t rank_;
  std::int64_t zero_ns_;
  Visitor& visitor_;
  std::int64_t now_ns_ = 0;
  std::int64_t recording_ns_ = 0;  // of the present gap, still to come
  PathId path_ = 0;
  std::uint32_t gap_ = 0;
  std::size_t event_ = 0;
  std::size_t pause_ = 0;
};

template <class Visitor>
void walk_program(const Trace& trace, const CallPaths& paths, std::int32_t rank,
                  std::int64_t zero_ns, Visitor& visitor) {
  ProgramSteps<Visitor>(trace, paths, rank, zero_ns, visitor).run();
}

}  // namespace slackline

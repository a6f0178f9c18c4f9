#include "calls/cpu_time.h"

#include <algorithm>
#include <vector>

#include "base/arithmetic.h"
#include "calls/run_span.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

struct RemovedPause {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::int64_t before_ns;  ///< length of the ones before it

  std::int64_t length_ns() const { return end_ns - begin_ns; }
};

/// Without a processor, in the recorder, or in what the recording says is no computation.
bool is_no_computation(PauseKind kind) {
  return kind != PauseKind::in_mpi && kind != PauseKind::blocked;
}
bool is_recording(PauseKind kind) {
  return kind == PauseKind::recording;
}
using IsRemoved = bool (*)(PauseKind kind);

/// Those after MPI_Init, so that a rank's begin stays where it is.
std::vector<RemovedPause> removed_pauses(const RankCalls& calls, IsRemoved is_removed) {
  std::vector<RemovedPause> removed;
  if (calls.pauses().empty()) return removed;
  const std::size_t first_call = rank_span(calls).first_call;
  std::int64_t sum = 0;
  for (const Pause& pause : calls.pauses()) {
    const std::int64_t begin =
        removed.empty() ? pause.begin_ns : std::max(pause.begin_ns, removed.back().end_ns);
    if (!is_removed(pause.kind) || pause.before_call < first_call || pause.end_ns <= begin) {
      continue;
    }
    removed.push_back({begin, pause.end_ns, sum});
    sum += removed.back().length_ns();
  }
  return removed;
}

/// How much of the pauses lies before `time_ns`.
std::int64_t removed_before(const std::vector<RemovedPause>& removed, std::int64_t time_ns) {
  const auto after = std::ranges::lower_bound(removed, time_ns, {}, &RemovedPause::begin_ns);
  if (after == removed.begin()) return 0;
  const RemovedPause& last = *(after - 1);
  return last.before_ns + std::min(time_ns, last.end_ns) - last.begin_ns;
}

std::int64_t removed_ns(const Trace& trace, IsRemoved is_removed) {
  std::int64_t sum = 0;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    for (const RemovedPause& pause : removed_pauses(trace.calls(rank), is_removed)) {
      sum += pause.length_ns();
    }
  }
  return sum;
}

/// The gaps before it do not count.
std::size_t first_gap(const RankCalls& calls, const RunPart& part) {
  return std::max(rank_span(calls).first_call, part.lead());
}

/// Outside of pauses.
std::int64_t cost_of_calls(const Trace& trace, const RunPart& part) {
  std::int64_t sum = 0;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    if (calls.empty() || calls.recording_costs().empty()) continue;
    const std::size_t end = part.last ? calls.size() + 1 : calls.size();
    for (std::size_t i = first_gap(calls, part); i < end; ++i) sum += calls.recording_ns(i);
  }
  return sum;
}

std::int64_t between_calls_ns(const Trace& trace, const RunPart& part) {
  std::int64_t sum = 0;
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    if (calls.empty()) continue;
    for (std::size_t i = first_gap(calls, part); i < calls.size(); ++i) sum += calls.gap_ns(i);
    if (!part.last) continue;
    sum += std::max<std::int64_t>(0, calls.stop_ns() - calls.end_ns(calls.size() - 1));
  }
  return sum;
}

bool is_without_processor(PauseKind kind) {
  return kind == PauseKind::no_processor;
}

/// In which recording took its time: at the begin of each gap, outside of pauses, as for those who
/// walk the program with its pauses (program_steps.h).
std::vector<RemovedPause> recorded_stretches(const RankCalls& calls) {
  std::vector<RemovedPause> removed;
  if (calls.empty() || calls.recording_costs().empty()) return removed;
  const auto pauses = calls.pauses();
  auto pause = pauses.begin();
  std::int64_t sum = 0;
  for (std::size_t i = rank_span(calls).first_call; i <= calls.size(); ++i) {
    std::int64_t left = calls.recording_ns(i);
    std::int64_t now =
        i == calls.size() ? calls.end_ns(i - 1) : calls.begin_ns(i) - calls.gap_ns(i);
    const auto remove_until = [&](std::int64_t end) {
      const std::int64_t length = std::min(left, end - now);
      if (length <= 0) return;
      removed.push_back({now, now + length, sum});
      sum += length;
      left -= length;
    };
    while (pause != pauses.end() && pause->before_call < i) ++pause;
    for (; pause != pauses.end() && pause->before_call == i; ++pause) {
      remove_until(pause->begin_ns);
      now = std::max(now, pause->end_ns);
    }
    remove_until(i == calls.size() ? calls.stop_ns() : calls.begin_ns(i));
  }
  return removed;
}

void remove(const std::vector<RemovedPause>& removed, RankCallsBuilder& calls) {
  if (removed.empty()) return;
  calls.map_times([&](std::int64_t ns) { return ns - removed_before(removed, ns); });
}

Trace without(TraceBuilder trace, IsRemoved is_removed) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    RankCallsBuilder& calls = trace.calls(rank);
    remove(removed_pauses(calls, is_removed), calls);
    remove(recorded_stretches(calls), calls);
    calls.set_recording_costs({});
  }
  return std::move(trace).build();
}

}  // namespace

OffComputation& OffComputation::operator+=(const OffComputation& o) {
  paused_ns += o.paused_ns;
  recording_ns += o.recording_ns;
  between_calls_ns += o.between_calls_ns;
  without_processor_ns += o.without_processor_ns;
  return *this;
}

// A part has no pauses in gaps that do not count.
OffComputation off_computation(const Trace& trace, const RunPart& part) {
  const std::int64_t of_calls = cost_of_calls(trace, part);
  return {.paused_ns = removed_ns(trace, is_no_computation) + of_calls,
          .recording_ns = removed_ns(trace, is_recording) + of_calls,
          .between_calls_ns = between_calls_ns(trace, part),
          .without_processor_ns = removed_ns(trace, is_without_processor)};
}

std::int64_t paused_ns(const Trace& trace) {
  return removed_ns(trace, is_no_computation) + cost_of_calls(trace, {});
}

std::int64_t recording_ns(const Trace& trace) {
  return removed_ns(trace, is_recording) + cost_of_calls(trace, {});
}

std::int64_t between_calls_ns(const Trace& trace) {
  return between_calls_ns(trace, {});
}

double share_without_processor(const Trace& trace) {
  return ratio_of(static_cast<double>(removed_ns(trace, is_without_processor)),
                  static_cast<double>(between_calls_ns(trace)));
}

Trace without_pauses(Trace trace) {
  return without(std::move(trace), is_no_computation);
}

Trace without_recording(Trace trace) {
  return without(std::move(trace), is_recording);
}

}  // namespace slackline

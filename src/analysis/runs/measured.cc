#include "analysis/runs/measured.h"

#include <algorithm>
#include <limits>

namespace slackline {
namespace {

struct Span {
  std::size_t first = 0;  ///< calls [first, last)
  std::size_t last = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

Span program_span(const RankCalls& calls) {
  Span span{0, calls.size(), calls.start_ns(), 0};
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Operation op = calls.operation(i);
    if (is_init(op)) {
      span.first = i + 1;
      span.begin_ns = calls.end_ns(i);
    }
    if (op == Operation::finalize) {
      span.last = i;
      span.end_ns = calls.begin_ns(i);
      return span;
    }
  }
  span.end_ns =
      calls.empty() ? span.begin_ns : std::max(span.begin_ns, calls.end_ns(calls.size() - 1));
  return span;
}

}  // namespace

std::optional<MeasuredRun> measured_run(const Trace& trace) {
  if (!trace.timed() || trace.call_count() == 0) return std::nullopt;
  std::vector<Span> spans;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    spans.push_back(program_span(trace.calls(r)));
    if (trace.calls(r).empty()) continue;
    begin = std::min(begin, spans.back().begin_ns);
    end = std::max(end, spans.back().end_ns);
  }
  MeasuredRun run;
  run.begin_ns = begin;
  run.makespan_ns = end - begin;
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    const Span& span = spans[static_cast<std::size_t>(r)];
    MeasuredParts parts;
    for (std::size_t i = span.first; i < span.last; ++i) {
      // Calls of several threads may overlap; time is counted once.
      const std::int64_t from =
          i == span.first ? span.begin_ns : std::max(span.begin_ns, calls.end_ns(i - 1));
      parts.mpi_ns +=
          std::max<std::int64_t>(0, calls.end_ns(i) - std::max(from, calls.begin_ns(i)));
    }
    const std::int64_t length = calls.empty() ? 0 : span.end_ns - span.begin_ns;
    parts.mpi_ns = std::min(parts.mpi_ns, length);
    parts.compute_ns = length - parts.mpi_ns;
    parts.wait_ns = run.makespan_ns - length;
    run.ranks.push_back(parts);
  }
  return run;
}

}  // namespace slackline

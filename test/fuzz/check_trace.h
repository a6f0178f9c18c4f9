#pragma once

#include <cstdio>
#include <cstdlib>

#include "calls/causality.h"
#include "calls/summary.h"
#include "formats/text/text.h"
#include "fuzz.h"
#include "trace/trace_builder.h"

namespace slackline::fuzz {

inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// What must hold for any trace that a reader let through: it can be walked, summarised and
/// printed, and reading the print gives it back.
inline void check_trace(TraceBuilder trace) {
  constexpr std::uint64_t kPrintedCalls = 20'000;
  ++accepted;
  count_causality_violations(trace, CallMatching(trace));
  summarize(trace);
  if (trace.call_count() > kPrintedCalls || trace.ranks() > 1000) return;
  require(same_content(trace, read_text(to_text(trace), "printed")), "print and read back differ");
}

}  // namespace slackline::fuzz

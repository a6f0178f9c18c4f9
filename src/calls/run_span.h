#pragma once

#include <algorithm>
#include <cstdint>

#include "trace/trace.h"

namespace slackline {

/// From when the first rank starts to when the last one stops, MPI_Init and MPI_Finalize included,
/// in the trace's time. Ranks without calls say nothing of it; empty when there is no other.
struct RunSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;

  std::int64_t length_ns() const { return std::max<std::int64_t>(0, end_ns - begin_ns); }
};

RunSpan run_span(const Trace& trace);

}  // namespace slackline

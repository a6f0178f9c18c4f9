#pragma once

#include "trace/samples.h"
#include "trace/trace.h"

namespace slackline {

/// A program as edits see it: what its ranks do, and where samples found them computing (by the
/// numbers of its calls).
struct ProgramView {
  const Trace& trace;
  const Samples& samples;
};

/// The same, of its own.
struct Program {
  Trace trace;
  Samples samples{};

  ProgramView view() const { return {trace, samples}; }
};

}  // namespace slackline

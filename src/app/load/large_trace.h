#pragma once

#include <optional>
#include <string>

#include "app/options/reading_options.h"
#include "calls/summary.h"
#include "formats/open/open.h"

namespace slackline {

/// What a trace that is larger than the memory holds.
struct LargeTrace {
  OpenedTrace opened;  ///< its trace has no calls
  TraceSummary summary;
};

/// Summarises a native trace whose calls do not fit in memory, as summarize() does of one that is
/// read whole, block by block. Nothing where it fits, for other formats, and where something is
/// wrong with its calls: then who reads it whole says what. Whether calls run back in time between
/// ranks is not checked, which is a Finding. O(calls); memory of one block a thread.
std::optional<LargeTrace> summarize_in_blocks(const std::string& trace,
                                              const ReadingOptions& reading);

}  // namespace slackline

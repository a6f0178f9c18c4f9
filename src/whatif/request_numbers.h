#pragma once

#include <cstdint>
#include <optional>

#include "trace/trace.h"

namespace slackline {

/// A number that no request of the rank has, and none above it. Throws Error where there is none.
std::uint32_t first_free_request(const RankCalls& calls);

/// The trace with a number of its own for every request of a rank, where some number is used again
/// after its request was completed; edits then may name a request by its number. Nothing where
/// every request has one already. A completion of a request that the trace does not start
/// completes nothing in either. Linear.
std::optional<Trace> with_distinct_requests(const Trace& trace);

}  // namespace slackline

#pragma once

#include <cstdint>

#include "trace/trace_builder.h"

namespace slackline::paraver {

/// Call::bytes of a collective from the sizes that its event tells: of what the rank sends and
/// receives, `members` ranks together.
std::uint64_t collective_bytes(Operation operation, std::uint64_t sent, std::uint64_t received,
                               std::size_t members);

/// Gives every rank the roots of its collectives (events name the root on the root alone, whose
/// call has itself as peer here; the k-th rooted collective of a communicator is one collective on
/// all its ranks), and makes calls that make communicators local where the ranks disagree on them.
/// What had to be guessed is added to the trace's Findings.
void resolve_collectives(TraceBuilder& trace);

}  // namespace slackline::paraver

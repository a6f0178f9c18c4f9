#pragma once

#include <cstdint>

#include "formats/paraver/short_text.h"
#include "trace/trace.h"
#include "trace/trace_builder.h"

namespace slackline::paraver {

// The numbers of events and states for what a Trace has.

inline constexpr int kStateIo = 12;

/// The state that a rank is in during a call.
int state_of(Operation operation);

/// The number of a communicator in the file; 0 for none. MPI_COMM_SELF has one for every rank.
std::int64_t communicator_number(const Trace& trace, std::uint32_t comm, std::int32_t rank);

/// The value that stands for an operation in events. Those that Extrae has none for are numbered
/// from 1000 on and named in the .pcf.
struct EventValue {
  std::int64_t type;
  std::int64_t value;
};
EventValue event_value(Operation operation);

/// What the events at the begin and the end of a call say, with the colons before type and value.
struct EventTexts {
  ShortText begin;
  ShortText end;
};
const EventTexts& event_texts(Operation operation);

struct EventSizes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};
/// What the event of a collective tells, such that collective_bytes() gives Call::bytes again.
EventSizes event_sizes(const Call& call, std::uint64_t members, bool is_root);

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

#pragma once

#include "replay/replay_file.h"
#include "trace/trace.h"

namespace slackline {

/// A program as it was re-enacted: the recording of the processes that did it, with what the
/// program has and they have not. Call paths, regions and wildcards are those of the program,
/// MPI_Init lasts as long as there, and what the processes did before and after is left out. An
/// operation that was made by another one (a communicator with a topology) has its name again.
/// `recorded` is of write_replay_file()'s `file` for `program`. Throws Error when it ends early.
/// Linear.
Trace replayed_trace(const Trace& program, const ReplayFile& file, const Trace& recorded);

}  // namespace slackline

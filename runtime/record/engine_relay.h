#ifndef SLACKLINE_RUNTIME_RECORD_ENGINE_RELAY_H
#define SLACKLINE_RUNTIME_RECORD_ENGINE_RELAY_H

#include <mpi.h>

#include <cstdint>

#include "descriptor.h"
#include "engine_process.h"

namespace slackline::record {

/// Exchanges bytes between the processes of the analysis that run beside several ranks: what each
/// writes to its socket for the others (src/parallel/process_interface.h) goes from rank to rank by
/// MPI. One that has ended makes the exchanges of all others fail.
///
/// Collective over `ranks`, each of which has started one, as `engine`, and holds the other end of
/// its socket (-1: there was none to be had, and no engine). Returns in all when all have ended.
/// Sleeps where it waits. Returns how many bytes this rank has sent.
std::uint64_t relay_exchanges(MPI_Comm ranks, const Descriptor& socket, EngineProcess& engine);

}  // namespace slackline::record

#endif

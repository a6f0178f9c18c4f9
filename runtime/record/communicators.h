#ifndef SLACKLINE_RUNTIME_RECORD_COMMUNICATORS_H
#define SLACKLINE_RUNTIME_RECORD_COMMUNICATORS_H

#include <mpi.h>

#include <cstdint>
#include <string_view>

namespace slackline::record {

/// A neighbour of a process topology: rank in the communicator.
struct Neighbors {
  bool known = false;
  int in_count = 0;
  int out_count = 0;
  int* in = nullptr;
  int* out = nullptr;
};

/// What is known of one communicator. Never moves and is never freed (a few dozen bytes each).
struct Communicator {
  MPI_Comm handle;
  std::uint32_t id;  // local id: the trace's `comm`
  bool inter;
  int rank;
  int size;   // of the local group
  int peers;  // ranks that a collective's per-rank arguments speak of: the remote group's if inter
  Neighbors neighbors;
  std::uint32_t persistent_collectives;  // made so far; the rank makes them one after the other
};

/// Must be called once, with the processes that ranks in the recording speak of. Without MPI_Init
/// (in a session) there is no MPI_COMM_WORLD, and must not be asked for. False when memory ran out.
bool init_communicators(MPI_Group world, bool has_world_communicator);

/// The communicator of that handle; registers it (and writes its SLK_REC_COMM) when it was created
/// where we could not see it. nullptr for MPI_COMM_NULL and when memory ran out.
/// Locks when MPI_THREAD_MULTIPLE was provided.
Communicator* find_communicator(MPI_Comm handle);

/// Registers a communicator just made, whose members are those of `members` (itself, but for
/// MPI_Comm_idup, whose result may not be asked yet). `tag` is the `bytes` of its SLK_REC_COMM.
Communicator* add_communicator(MPI_Comm handle, MPI_Comm members, std::uint64_t tag);

/// What SLK_REC_COMM says of the tag of a creation, by which it is told from others over the same
/// group that go on at the same time.
inline std::uint64_t creation_tag(int tag) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) + 1;
}
std::uint64_t creation_tag(std::string_view tag);
inline std::uint64_t creation_tag(const char* tag) {
  return tag == nullptr ? 0 : creation_tag(std::string_view(tag));
}

/// Forgets the handle: the next communicator may get it again.
void forget_communicator(MPI_Comm handle);

/// Asked once per communicator, then remembered.
const Neighbors& neighbors_of(Communicator& comm);

}  // namespace slackline::record

#endif

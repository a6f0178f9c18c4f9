#include "communicators.h"

#include <cstdlib>
#include <cstring>

#include "recorder.h"

namespace slackline::record {

namespace {

// Handles to communicators: linear probing, entries never removed but overwritten (handle zeroed
// into a tombstone that insertions reuse); programs have few communicators at a time.
struct Entry {
  std::uint64_t key;  // 0 empty, 1 tombstone
  Communicator* comm;
};

Entry* entries;
std::size_t capacity;
std::size_t occupied;  // entries and tombstones
std::uint32_t next_id = SLK_COMM_SELF + 1;
MPI_Group world_group;

constexpr std::uint64_t kTombstone = 1;

std::uint64_t key_of(MPI_Comm handle) {
  return handle_bits(handle) + 2;
}

std::size_t home(std::uint64_t key) {
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 20) & (capacity - 1);
}

Entry* lookup(std::uint64_t key) {
  for (std::size_t i = home(key); entries[i].key != 0; i = (i + 1) & (capacity - 1)) {
    if (entries[i].key == key) return &entries[i];
  }
  return nullptr;
}

void place(Entry entry) {
  std::size_t i = home(entry.key);
  while (entries[i].key > kTombstone) i = (i + 1) & (capacity - 1);
  if (entries[i].key == 0) ++occupied;
  entries[i] = entry;
}

bool grow() {
  Entry* const old = entries;
  const std::size_t old_capacity = capacity;
  const std::size_t larger = capacity == 0 ? 64 : 2 * capacity;
  auto* fresh = static_cast<Entry*>(std::calloc(larger, sizeof(Entry)));
  if (fresh == nullptr) return false;
  entries = fresh;
  capacity = larger;
  occupied = 0;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i].key > kTombstone) place(old[i]);
  }
  std::free(old);
  return true;
}

/// The group's members as runs (first world rank, stride, count), appended at `out`.
/// Returns the number of values, 1 + 3 runs.
std::size_t member_runs(const int* members, int count, std::int64_t* out) {
  std::size_t runs = 0;
  for (int i = 0; i < count;) {
    int end = i + 1;
    const std::int64_t stride = end < count ? members[end] - members[i] : 1;
    while (end < count && members[end] - members[end - 1] == stride) ++end;
    std::int64_t* run = out + 1 + 3 * runs++;
    run[0] = members[i];
    run[1] = stride;
    run[2] = end - i;
    i = end;
  }
  out[0] = static_cast<std::int64_t>(runs);
  return 1 + 3 * runs;
}

/// World ranks of a group into `members`; -1 for a process of another world (MPI_Comm_spawn).
void world_ranks(MPI_Group group, int count, int* members) {
  int* const own = members + count;
  for (int i = 0; i < count; ++i) own[i] = i;
  PMPI_Group_translate_ranks(group, count, own, world_group, members);
  for (int i = 0; i < count; ++i) {
    if (members[i] == MPI_UNDEFINED) members[i] = -1;
  }
}

/// Writes the SLK_REC_COMM record of `comm`.
void write_members(const Communicator& comm, MPI_Comm asked, std::uint64_t tag) {
  const int remote = comm.inter ? comm.peers : 0;
  const auto most = static_cast<std::size_t>(comm.size + remote);
  auto* ints = static_cast<int*>(std::malloc(2 * most * sizeof(int)));
  auto* args = static_cast<std::int64_t*>(std::malloc((5 + 3 * most) * sizeof(std::int64_t)));
  if (ints == nullptr || args == nullptr) {
    std::free(ints);
    std::free(args);
    return;
  }
  args[0] = comm.inter ? 1 : 0;
  args[1] = comm.size;
  args[2] = remote;
  MPI_Group group;
  PMPI_Comm_group(asked, &group);
  world_ranks(group, comm.size, ints);
  PMPI_Group_free(&group);
  std::size_t n = 3 + member_runs(ints, comm.size, args + 3);
  if (comm.inter) {
    PMPI_Comm_remote_group(asked, &group);
    world_ranks(group, remote, ints);
    PMPI_Group_free(&group);
    n += member_runs(ints, remote, args + n);
  }
  write_event(SLK_REC_COMM, comm.id, SLK_REQUEST_NONE, tag, args, n);
  std::free(ints);
  std::free(args);
}

Communicator* make(MPI_Comm handle, MPI_Comm asked, std::uint32_t id) {
  auto* comm = static_cast<Communicator*>(std::calloc(1, sizeof(Communicator)));
  if (comm == nullptr) return nullptr;
  int inter = 0;
  PMPI_Comm_test_inter(asked, &inter);
  comm->handle = handle;
  comm->id = id;
  comm->inter = inter != 0;
  PMPI_Comm_rank(asked, &comm->rank);
  PMPI_Comm_size(asked, &comm->size);
  comm->peers = comm->size;
  if (comm->inter) PMPI_Comm_remote_size(asked, &comm->peers);
  return comm;
}

Communicator* add_locked(MPI_Comm handle, MPI_Comm members) {
  if (2 * (occupied + 1) > capacity && !grow()) return nullptr;
  Communicator* const comm = make(handle, members, next_id);
  if (comm == nullptr) return nullptr;
  ++next_id;
  const std::uint64_t key = key_of(handle);
  if (Entry* stale = lookup(key)) {
    stale->comm = comm;
  } else {
    place({key, comm});
  }
  return comm;
}

}  // namespace

bool init_communicators(MPI_Group world_members, bool has_world_communicator) {
  if (!grow()) return false;
  world_group = world_members;
  if (!has_world_communicator) return true;
  Communicator* const world = make(MPI_COMM_WORLD, MPI_COMM_WORLD, SLK_COMM_WORLD);
  Communicator* const self = make(MPI_COMM_SELF, MPI_COMM_SELF, SLK_COMM_SELF);
  if (world == nullptr || self == nullptr) return false;
  place({key_of(MPI_COMM_WORLD), world});
  place({key_of(MPI_COMM_SELF), self});
  return true;
}

Communicator* find_communicator(MPI_Comm handle) {
  if (handle == MPI_COMM_NULL) return nullptr;
  Communicator* added = nullptr;
  {
    const Lock lock;
    if (Entry* found = lookup(key_of(handle))) return found->comm;
    added = add_locked(handle, handle);
  }
  if (added != nullptr) write_members(*added, handle, 0);
  return added;
}

std::uint64_t creation_tag(std::string_view tag) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (const char c : tag) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash | std::uint64_t{1} << 63;
}

Communicator* add_communicator(MPI_Comm handle, MPI_Comm members, std::uint64_t tag) {
  Communicator* added = nullptr;
  {
    const Lock lock;
    added = add_locked(handle, members);
    bump_communicator_generation();
  }
  if (added != nullptr) write_members(*added, members, tag);
  return added;
}

void forget_communicator(MPI_Comm handle) {
  const Lock lock;
  bump_communicator_generation();
  if (Entry* found = lookup(key_of(handle))) *found = {kTombstone, nullptr};
}

namespace {

int* ints(int n) {
  return static_cast<int*>(std::calloc(static_cast<std::size_t>(n) + 1, sizeof(int)));
}

void ask_cartesian(Communicator& comm) {
  Neighbors& n = comm.neighbors;
  int dimensions = 0;
  PMPI_Cartdim_get(comm.handle, &dimensions);
  n.in = ints(2 * dimensions);
  n.out = ints(2 * dimensions);
  if (n.in == nullptr || n.out == nullptr) return;
  for (int d = 0; d < dimensions; ++d) {
    int low = MPI_PROC_NULL;
    int high = MPI_PROC_NULL;
    PMPI_Cart_shift(comm.handle, d, 1, &low, &high);
    n.in[2 * d] = n.out[2 * d] = low;
    n.in[2 * d + 1] = n.out[2 * d + 1] = high;
  }
  n.in_count = n.out_count = 2 * dimensions;
}

void ask_graph(Communicator& comm) {
  Neighbors& n = comm.neighbors;
  int count = 0;
  PMPI_Graph_neighbors_count(comm.handle, comm.rank, &count);
  n.in = ints(count);
  n.out = ints(count);
  if (n.in == nullptr || n.out == nullptr) return;
  PMPI_Graph_neighbors(comm.handle, comm.rank, count, n.in);
  std::memcpy(n.out, n.in, static_cast<std::size_t>(count) * sizeof(int));
  n.in_count = n.out_count = count;
}

void ask_distributed(Communicator& comm) {
  Neighbors& n = comm.neighbors;
  int in = 0;
  int out = 0;
  int weighted = 0;
  PMPI_Dist_graph_neighbors_count(comm.handle, &in, &out, &weighted);
  const int most = in > out ? in : out;
  n.in = ints(in);
  n.out = ints(out);
  int* weights = ints(2 * most);
  if (n.in != nullptr && n.out != nullptr && weights != nullptr) {
    PMPI_Dist_graph_neighbors(comm.handle, in, n.in, weights, out, n.out, weights + most);
    n.in_count = in;
    n.out_count = out;
  }
  std::free(weights);
}

}  // namespace

const Neighbors& neighbors_of(Communicator& comm) {
  if (comm.neighbors.known) return comm.neighbors;
  comm.neighbors.known = true;
  int topology = MPI_UNDEFINED;
  PMPI_Topo_test(comm.handle, &topology);
  if (topology == MPI_CART) ask_cartesian(comm);
  if (topology == MPI_GRAPH) ask_graph(comm);
  if (topology == MPI_DIST_GRAPH) ask_distributed(comm);
  return comm.neighbors;
}

}  // namespace slackline::record

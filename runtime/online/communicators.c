/* Communicators of the simulated world. Their handles are real ones of this process alone, so that
 * attributes, names and error handlers go on working; who takes part is the simulator's. */
#include <stdlib.h>
#include <string.h>

#include "online.h"

static Comm* first;

Comm* add_comm(MPI_Comm handle, uint32_t id, int size, const int64_t* members) {
  Comm* comm = calloc(1, sizeof *comm);
  int* of = malloc(sizeof(int) * ((size_t)size + (size_t)world_size()));
  if (comm == NULL || of == NULL) refuse("a communicator", "no memory is left");
  comm->handle = handle;
  comm->id = id;
  comm->size = size;
  comm->members = of;
  comm->rank_of = of + size;
  comm->peers = comm->members;
  comm->n_peers = size;
  comm->topology = MPI_UNDEFINED;
  for (int r = 0; r < world_size(); ++r) comm->rank_of[r] = -1;
  for (int r = 0; r < size; ++r) {
    comm->members[r] = members == NULL ? (size == 1 ? world_rank() : r) : (int)members[r];
    comm->rank_of[comm->members[r]] = r;
  }
  comm->rank = comm->rank_of[world_rank()];
  comm->next = first;
  first = comm;
  return comm;
}

Comm* find_comm(MPI_Comm handle) {
  if (first == NULL) {
    add_comm(MPI_COMM_SELF, SLK_COMM_SELF, 1, NULL);
    add_comm(MPI_COMM_WORLD, SLK_COMM_WORLD, world_size(), NULL);
  }
  for (Comm* c = first; c != NULL; c = c->next) {
    if (c->handle == handle) return c;
  }
  refuse("a communicator", "its handle was not made by a function that is simulated");
}

int rank_in(const Comm* comm, int world) {
  return world < 0 ? world : comm->rank_of[world];
}

int world_of(const Comm* comm, int rank) {
  if (rank == MPI_PROC_NULL) return SLK_PEER_NULL;
  if (rank == MPI_ANY_SOURCE) return SLK_PEER_ANY;
  if (rank < 0 || rank >= comm->n_peers)
    refuse("a peer", "its rank is not one of the communicator");
  return comm->peers[rank];
}

/* What the answer says was made; null if nothing was. */
static Comm* made_comm(void) {
  const struct slk_online_answer* answer = last_answer();
  if (answer->comm == SLK_COMM_NULL) return NULL;
  MPI_Comm handle;
  PMPI_Comm_dup(MPI_COMM_SELF, &handle);
  return add_comm(handle, answer->comm, (int)answer->count, lists());
}

/* The communicator that all members of `parent` with the same color get; null for MPI_UNDEFINED. */
Comm* make_comm(enum slk_operation operation, const Comm* parent, int color, int key) {
  struct slk_online_call* call = new_call(operation, parent);
  call->color = color;
  call->key = key;
  call->bytes = 8;
  ask();
  return made_comm();
}

Comm* make_comm_of(enum slk_operation operation, const Comm* parent, int tag, int n,
                   const int* members) {
  struct slk_online_call* call = new_call(operation, parent);
  call->tag = tag;
  call->bytes = 8;
  call->n_args = (uint32_t)n;
  for (int r = 0; r < n; ++r) lists()[r] = members[r];
  ask();
  return made_comm();
}

void simulate_comm_rank(MPI_Comm comm, int* rank) {
  *rank = find_comm(comm)->rank;
}

void simulate_comm_size(MPI_Comm comm, int* size) {
  *size = find_comm(comm)->size;
}

/* The real library would start a launcher to find out how many processes it may have. */
static int own_attribute(int key, void* value, int* flag) {
  static int universe, largest_tag = SLK_ONLINE_OWN_TAGS - 1;
  universe = world_size();
  if (key == MPI_UNIVERSE_SIZE) *(int**)value = &universe;
  if (key == MPI_TAG_UB) {
    int real_flag, *real;
    PMPI_Comm_get_attr(MPI_COMM_SELF, MPI_TAG_UB, &real, &real_flag);
    if (real_flag && *real < largest_tag) largest_tag = *real;
    *(int**)value = &largest_tag;
  }
  const int is_own = key == MPI_UNIVERSE_SIZE || key == MPI_TAG_UB;
  if (is_own) *flag = 1;
  return is_own;
}

int simulate_comm_get_attr(MPI_Comm comm, int key, void* value, int* flag) {
  if (own_attribute(key, value, flag)) return MPI_SUCCESS;
  return PMPI_Comm_get_attr(comm, key, value, flag);
}

void simulate_comm_test_inter(MPI_Comm comm, int* flag) {
  *flag = find_comm(comm)->is_inter;
}

static int rank_of_member(const Comm* comm, int world) {
  for (int r = 0; r < comm->size; ++r) {
    if (comm->members[r] == world) return r;
  }
  return -1;
}

void simulate_comm_compare(MPI_Comm a, MPI_Comm b, int* result) {
  const Comm* x = find_comm(a);
  const Comm* y = find_comm(b);
  int same = x->size == y->size;
  int similar = same;
  for (int r = 0; r < x->size && similar; ++r) {
    same = same && x->members[r] == y->members[r];
    similar = rank_of_member(y, x->members[r]) >= 0;
  }
  if (x->is_inter != y->is_inter || x->n_peers != y->n_peers) same = similar = 0;
  for (int r = 0; x->is_inter && r < x->n_peers && similar; ++r) {
    same = same && x->peers[r] == y->peers[r];
    similar = y->rank_of[x->peers[r]] >= 0;
  }
  *result = x == y ? MPI_IDENT : same ? MPI_CONGRUENT : similar ? MPI_SIMILAR : MPI_UNEQUAL;
}

/* A duplicate has the attributes of the original; null if a function that copies them fails. */
int simulate_comm_dup(enum slk_operation operation, MPI_Comm comm, MPI_Comm* result) {
  const Comm* parent = find_comm(comm);
  Comm* new_comm =
      parent->is_inter ? duplicate_inter(parent) : make_comm(operation, parent, 0, parent->rank);
  PMPI_Comm_free(&new_comm->handle);
  *result = MPI_COMM_NULL;
  const int status = PMPI_Comm_dup(parent->handle, &new_comm->handle);
  copy_topology(parent, new_comm);
  if (status == MPI_SUCCESS) *result = new_comm->handle;
  return status;
}

/* Attributes are copied now; who takes part is known when the request is complete. */
int simulate_comm_idup(MPI_Comm comm, MPI_Comm* result, MPI_Request* request) {
  const Comm* parent = find_comm(comm);
  if (parent->is_inter) {
    *request = together(0, NULL);
    return simulate_comm_dup(SLK_OP_comm_dup, comm, result);
  }
  const int status = PMPI_Comm_dup(parent->handle, result);
  const uint32_t place = new_request();
  *pending(place) = (Pending){.kind = REQUEST_MAKER, .active = 1, .comm = parent, .made = *result};
  struct slk_online_call* call = new_call(SLK_OP_comm_idup, parent);
  call->key = parent->rank;
  call->bytes = 8;
  name_request(call, place);
  ask();
  *request = handle_of(place);
  return status;
}

void split_comm(enum slk_operation operation, MPI_Comm comm, int color, int key, MPI_Comm* result) {
  const Comm* parent = find_comm(comm);
  const Comm* made =
      parent->is_inter ? split_inter(parent, color, key) : make_comm(operation, parent, color, key);
  *result = made == NULL ? MPI_COMM_NULL : made->handle;
}

void simulate_comm_split(MPI_Comm comm, int color, int key, MPI_Comm* result) {
  if (color < 0 && color != MPI_UNDEFINED) refuse("MPI_Comm_split", "its color is negative");
  split_comm(SLK_OP_comm_split, comm, color == MPI_UNDEFINED ? -1 : color, key, result);
}

/* Ranks that share memory are those of one simulated host, which the simulator knows; what else is
 * inside of a host is not simulated, so each rank is alone there. */
void simulate_comm_split_type(MPI_Comm comm, int type, int key, MPI_Comm* result) {
  if (type != MPI_COMM_TYPE_SHARED) {
    const int color = type == MPI_UNDEFINED ? -1 : find_comm(comm)->rank;
    split_comm(SLK_OP_comm_split, comm, color, key, result);
  } else {
    split_comm(SLK_OP_comm_split_type, comm, 0, key, result);
  }
}

int simulate_comm_free(MPI_Comm* comm) {
  Comm* gone = find_comm(*comm);
  for (Comm** c = &first; *c != NULL; c = &(*c)->next) {
    if (*c != gone) continue;
    *c = gone->next;
    break;
  }
  const int status = PMPI_Comm_free(comm);
  /* It stays where it is, as requests that are not complete may still name it. */
  return status;
}

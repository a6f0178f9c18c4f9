/* Neighbourhood collectives: a message for each edge, under a tag of this library's own. In a grid
 * the tag tells the place, as both neighbours along a dimension may be the same rank. */
#include <stdlib.h>

#include "online.h"

/* One side of the exchange: where the part of each neighbour is. */
typedef struct {
  const void* buffer;
  int count;
  const int* counts;     /* null: `count` each */
  const int* places;     /* in elements */
  const MPI_Aint* bytes; /* or in bytes, with `types` */
  const MPI_Datatype* types;
  MPI_Datatype type;
  int is_same; /* all neighbours get the same */
} Side;

static MPI_Datatype type_at(const Side* side, int i) {
  return side->types != NULL ? side->types[i] : side->type;
}
static int count_at(const Side* side, int i) {
  return side->counts != NULL ? side->counts[i] : side->count;
}
static void* part_at(const Side* side, int i) {
  if (side->bytes != NULL) return (char*)(uintptr_t)side->buffer + side->bytes[i];
  const int64_t at = side->is_same          ? 0
                     : side->places != NULL ? side->places[i]
                                            : (int64_t)i * side->count;
  return element(side->buffer, at, side->type);
}

/* The arguments of a persistent one. */
typedef struct NeighbourArguments {
  Side out, in;
  MPI_Comm comm;
} NeighbourArguments;

static int exchange(const Side* sent, const Side* received, MPI_Comm comm, MPI_Request* request) {
  const Neighbours of = neighbours_of(comm);
  MPI_Request* each = malloc(sizeof *each * (size_t)(of.n_in + of.n_out + 1));
  if (each == NULL) refuse("a neighbourhood collective", "no memory is left");
  int n = 0;
  for (int i = 0; i < of.n_in; ++i) {
    if (of.in[i] == MPI_PROC_NULL) continue;
    each[n++] = start_receive(part_at(received, i), count_at(received, i), type_at(received, i),
                              of.in[i], kNeighbourTag + (of.is_grid ? i : 0), comm);
  }
  for (int i = 0; i < of.n_out; ++i) {
    if (of.out[i] == MPI_PROC_NULL) continue;
    each[n++] = start_send(SLK_OP_isend, part_at(sent, i), count_at(sent, i), type_at(sent, i),
                           of.out[i], kNeighbourTag + (of.is_grid ? (i ^ 1) : 0), comm);
  }
  if (of.is_grid) free((void*)(uintptr_t)of.in);
  if (request != NULL) {
    *request = together(n, each); /* owns the list */
    return MPI_SUCCESS;
  }
  MPI_Waitall(n, each, MPI_STATUSES_IGNORE);
  free(each);
  return MPI_SUCCESS;
}

MPI_Request start_neighbours_again(const NeighbourArguments* a) {
  MPI_Request request = MPI_REQUEST_NULL;
  exchange(&a->out, &a->in, a->comm, &request);
  return request;
}

static int keep(const Side* out, const Side* in, MPI_Comm comm, MPI_Request* request) {
  NeighbourArguments* kept = malloc(sizeof *kept);
  if (kept == NULL) refuse("a persistent collective", "no memory is left");
  *kept = (NeighbourArguments){*out, *in, comm};
  const uint32_t place = new_request();
  *pending(place) = (Pending){
      .kind = REQUEST_TOGETHER, .persistent = 1, .neighbours_again = kept, .main_part = -1};
  *request = handle_of(place);
  return MPI_SUCCESS;
}

#define UNWRAPPED(...) __VA_ARGS__

#define NEIGHBOUR(Name, Iname, parameters, sent_side, received_side)                          \
  MPI_FUNCTION(Name, parameters) {                                                            \
    enter_call();                                                                             \
    const Side out = {UNWRAPPED sent_side}, in = {UNWRAPPED received_side};                   \
    const int status = exchange(&out, &in, comm, NULL);                                       \
    leave_call();                                                                             \
    return status;                                                                            \
  }                                                                                           \
  MPI_FUNCTION(Iname, (UNWRAPPED parameters, MPI_Request * request)) {                        \
    enter_call();                                                                             \
    const Side out = {UNWRAPPED sent_side}, in = {UNWRAPPED received_side};                   \
    const int status = exchange(&out, &in, comm, request);                                    \
    leave_call();                                                                             \
    return status;                                                                            \
  }                                                                                           \
  MPI_4_FUNCTION(Name##_init, (UNWRAPPED parameters, MPI_Info info, MPI_Request * request)) { \
    const Side out = {UNWRAPPED sent_side}, in = {UNWRAPPED received_side};                   \
    return keep(&out, &in, comm, request);                                                    \
  }

NEIGHBOUR(Neighbor_allgather, Ineighbor_allgather,
          (const void* sent, int send_count, MPI_Datatype send_type, void* received, int count,
           MPI_Datatype type, MPI_Comm comm),
          (.buffer = sent, .count = send_count, .type = send_type, .is_same = 1),
          (.buffer = received, .count = count, .type = type))
NEIGHBOUR(Neighbor_allgatherv, Ineighbor_allgatherv,
          (const void* sent, int send_count, MPI_Datatype send_type, void* received,
           const int* counts, const int* places, MPI_Datatype type, MPI_Comm comm),
          (.buffer = sent, .count = send_count, .type = send_type, .is_same = 1),
          (.buffer = received, .counts = counts, .places = places, .type = type))
NEIGHBOUR(Neighbor_alltoall, Ineighbor_alltoall,
          (const void* sent, int send_count, MPI_Datatype send_type, void* received, int count,
           MPI_Datatype type, MPI_Comm comm),
          (.buffer = sent, .count = send_count, .type = send_type),
          (.buffer = received, .count = count, .type = type))
NEIGHBOUR(Neighbor_alltoallv, Ineighbor_alltoallv,
          (const void* sent, const int* send_counts, const int* send_places, MPI_Datatype send_type,
           void* received, const int* counts, const int* places, MPI_Datatype type, MPI_Comm comm),
          (.buffer = sent, .counts = send_counts, .places = send_places, .type = send_type),
          (.buffer = received, .counts = counts, .places = places, .type = type))
NEIGHBOUR(Neighbor_alltoallw, Ineighbor_alltoallw,
          (const void* sent, const int* send_counts, const MPI_Aint* send_places,
           const MPI_Datatype* send_types, void* received, const int* counts,
           const MPI_Aint* places, const MPI_Datatype* types, MPI_Comm comm),
          (.buffer = sent, .counts = send_counts, .bytes = send_places, .types = send_types),
          (.buffer = received, .counts = counts, .bytes = places, .types = types))

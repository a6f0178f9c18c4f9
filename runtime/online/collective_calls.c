/* The collective functions of MPI: blocking, nonblocking and (MPI 4) persistent. */
#include <stdlib.h>

#include "collectives.h"

static int call_collective(const CollectiveArguments* a, MPI_Request* request) {
  if (!find_comm(a->comm)->is_inter) return start_collective(a, request);
  const int status = inter_collective(a);
  if (request != NULL) *request = together(0, NULL);
  return status;
}

MPI_Request start_again(const CollectiveArguments* arguments) {
  MPI_Request request = MPI_REQUEST_NULL;
  call_collective(arguments, &request);
  return request;
}

static int keep(const CollectiveArguments* a, MPI_Request* request) {
  CollectiveArguments* kept = malloc(sizeof *kept);
  if (kept == NULL) refuse("a persistent collective", "no memory is left");
  *kept = *a;
  const uint32_t place = new_request();
  *pending(place) =
      (Pending){.kind = REQUEST_TOGETHER, .persistent = 1, .again = kept, .main_part = -1};
  *request = handle_of(place);
  return MPI_SUCCESS;
}

#define UNWRAPPED(...) __VA_ARGS__

#define COLLECTIVE(Name, Iname, parameters, given)                                            \
  MPI_FUNCTION(Name, parameters) {                                                            \
    enter_call();                                                                             \
    const CollectiveArguments a = {.comm = comm, UNWRAPPED given};                            \
    const int status = call_collective(&a, NULL);                                             \
    leave_call();                                                                             \
    return status;                                                                            \
  }                                                                                           \
  MPI_FUNCTION(Iname, (UNWRAPPED parameters, MPI_Request * request)) {                        \
    enter_call();                                                                             \
    const CollectiveArguments a = {.comm = comm, UNWRAPPED given};                            \
    const int status = call_collective(&a, request);                                          \
    leave_call();                                                                             \
    return status;                                                                            \
  }                                                                                           \
  MPI_4_FUNCTION(Name##_init, (UNWRAPPED parameters, MPI_Info info, MPI_Request * request)) { \
    const CollectiveArguments a = {.comm = comm, UNWRAPPED given};                            \
    return keep(&a, request);                                                                 \
  }

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (.operation = SLK_OP_barrier, .root = -1))
COLLECTIVE(Bcast, Ibcast, (void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (.operation = SLK_OP_bcast, .received = buffer, .count = count, .type = type,
            .root = root))
COLLECTIVE(Reduce, Ireduce,
           (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op, int root,
            MPI_Comm comm),
           (.operation = SLK_OP_reduce, .sent = sent, .received = received, .count = count,
            .type = type, .op = op, .root = root))
COLLECTIVE(Allreduce, Iallreduce,
           (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (.operation = SLK_OP_allreduce, .sent = sent, .received = received, .count = count,
            .type = type, .op = op, .root = -1))
COLLECTIVE(Scan, Iscan,
           (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (.operation = SLK_OP_scan, .sent = sent, .received = received, .count = count,
            .type = type, .op = op, .root = -1))
COLLECTIVE(Exscan, Iexscan,
           (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (.operation = SLK_OP_exscan, .sent = sent, .received = received, .count = count,
            .type = type, .op = op, .root = -1))
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block,
           (const void* sent, void* received, int count, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (.operation = SLK_OP_reduce_scatter_block, .sent = sent, .received = received,
            .count = count, .type = type, .op = op, .root = -1))
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void* sent, void* received, const int* counts, MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (.operation = SLK_OP_reduce_scatter, .sent = sent, .received = received,
            .counts = counts, .type = type, .op = op, .root = -1))
COLLECTIVE(Gather, Igather,
           (const void* sent, int send_count, MPI_Datatype send_type, void* received, int count,
            MPI_Datatype type, int root, MPI_Comm comm),
           (.operation = SLK_OP_gather, .sent = sent, .send_count = send_count,
            .send_type = send_type, .received = received, .count = count, .type = type,
            .root = root))
COLLECTIVE(Gatherv, Igatherv,
           (const void* sent, int send_count, MPI_Datatype send_type, void* received,
            const int* counts, const int* places, MPI_Datatype type, int root, MPI_Comm comm),
           (.operation = SLK_OP_gatherv, .sent = sent, .send_count = send_count,
            .send_type = send_type, .received = received, .counts = counts, .places = places,
            .type = type, .root = root))
COLLECTIVE(Allgather, Iallgather,
           (const void* sent, int send_count, MPI_Datatype send_type, void* received, int count,
            MPI_Datatype type, MPI_Comm comm),
           (.operation = SLK_OP_allgather, .sent = sent, .send_count = send_count,
            .send_type = send_type, .received = received, .count = count, .type = type, .root = -1))
COLLECTIVE(Allgatherv, Iallgatherv,
           (const void* sent, int send_count, MPI_Datatype send_type, void* received,
            const int* counts, const int* places, MPI_Datatype type, MPI_Comm comm),
           (.operation = SLK_OP_allgatherv, .sent = sent, .send_count = send_count,
            .send_type = send_type, .received = received, .counts = counts, .places = places,
            .type = type, .root = -1))
COLLECTIVE(Scatter, Iscatter,
           (const void* sent, int send_count, MPI_Datatype send_type, void* received, int count,
            MPI_Datatype type, int root, MPI_Comm comm),
           (.operation = SLK_OP_scatter, .sent = sent, .send_count = send_count,
            .send_type = send_type, .received = received, .count = count, .type = type,
            .root = root))
COLLECTIVE(Scatterv, Iscatterv,
           (const void* sent, const int* send_counts, const int* send_places,
            MPI_Datatype send_type, void* received, int count, MPI_Datatype type, int root,
            MPI_Comm comm),
           (.operation = SLK_OP_scatterv, .sent = sent, .send_counts = send_counts,
            .send_places = send_places, .send_type = send_type, .received = received,
            .count = count, .type = type, .root = root))
COLLECTIVE(Alltoall, Ialltoall,
           (const void* sent, int send_count, MPI_Datatype send_type, void* received, int count,
            MPI_Datatype type, MPI_Comm comm),
           (.operation = SLK_OP_alltoall, .sent = sent, .send_count = send_count,
            .send_type = send_type, .received = received, .count = count, .type = type, .root = -1))
COLLECTIVE(Alltoallv, Ialltoallv,
           (const void* sent, const int* send_counts, const int* send_places,
            MPI_Datatype send_type, void* received, const int* counts, const int* places,
            MPI_Datatype type, MPI_Comm comm),
           (.operation = SLK_OP_alltoallv, .sent = sent, .send_counts = send_counts,
            .send_places = send_places, .send_type = send_type, .received = received,
            .counts = counts, .places = places, .type = type, .root = -1))
COLLECTIVE(Alltoallw, Ialltoallw,
           (const void* sent, const int* send_counts, const int* send_places,
            const MPI_Datatype* send_types, void* received, const int* counts, const int* places,
            const MPI_Datatype* types, MPI_Comm comm),
           (.operation = SLK_OP_alltoallw, .sent = sent, .send_counts = send_counts,
            .send_places = send_places, .send_type = MPI_DATATYPE_NULL, .send_types = send_types,
            .received = received, .counts = counts, .places = places, .type = MPI_DATATYPE_NULL,
            .types = types, .root = -1))

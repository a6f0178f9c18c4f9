/* Collectives between the two groups of an intercommunicator: each group works by itself, and the
 * groups' first ranks, or a rank and all of the other group, exchange messages under a tag of this
 * library's own. */
#include <stdlib.h>
#include <string.h>

#include "collectives.h"

static void* room(uint64_t bytes) {
  void* of = malloc(bytes + 1);
  if (of == NULL) refuse("a collective", "no memory is left");
  return of;
}

static int receive_packed(char* to, uint64_t bytes, int from, MPI_Comm comm) {
  return MPI_Recv(to, (int)bytes, MPI_BYTE, from, kInterTag, comm, MPI_STATUS_IGNORE);
}

/* The first ranks of the groups swap these. */
static void swap(const void* sent, uint64_t n_sent, void* received, uint64_t n, MPI_Comm comm) {
  MPI_Sendrecv(sent, (int)n_sent, MPI_BYTE, 0, kInterTag, received, (int)n, MPI_BYTE, 0, kInterTag,
               comm, MPI_STATUS_IGNORE);
}

static int bcast(const CollectiveArguments* a, const Comm* inter) {
  if (a->root == MPI_PROC_NULL) return MPI_SUCCESS;
  if (a->root == MPI_ROOT) return MPI_Send(a->received, a->count, a->type, 0, kInterTag, a->comm);
  const uint64_t bytes = packed_bytes(a->count, a->type);
  char* packed = room(bytes);
  if (inter->rank == 0) receive_packed(packed, bytes, a->root, a->comm);
  MPI_Bcast(packed, (int)bytes, MPI_BYTE, 0, inter->local);
  unpack(packed, bytes, a->received, a->count, a->type);
  free(packed);
  return MPI_SUCCESS;
}

/* The reduction of the own group's vectors at its first rank, as packed bytes. */
static char* local_sum(const CollectiveArguments* a, const Comm* inter, int count) {
  const uint64_t bytes = packed_bytes(count, a->type);
  char* packed = room(bytes);
  MPI_Aint lower, extent, true_lower, true_extent;
  PMPI_Type_get_extent(a->type, &lower, &extent);
  PMPI_Type_get_true_extent(a->type, &true_lower, &true_extent);
  char* memory = room((uint64_t)(true_extent + (count > 0 ? count - 1 : 0) * extent));
  MPI_Reduce(a->sent, memory - true_lower, count, a->type, a->op, 0, inter->local);
  if (inter->rank == 0) pack(memory - true_lower, count, a->type, packed);
  free(memory);
  return packed;
}

static int reduce(const CollectiveArguments* a, const Comm* inter) {
  if (a->root == MPI_PROC_NULL) return MPI_SUCCESS;
  const uint64_t bytes = packed_bytes(a->count, a->type);
  if (a->root == MPI_ROOT) {
    char* packed = room(bytes);
    receive_packed(packed, bytes, 0, a->comm);
    unpack(packed, bytes, a->received, a->count, a->type);
    free(packed);
    return MPI_SUCCESS;
  }
  char* packed = local_sum(a, inter, a->count);
  if (inter->rank == 0) MPI_Send(packed, (int)bytes, MPI_BYTE, a->root, kInterTag, a->comm);
  free(packed);
  return MPI_SUCCESS;
}

static int allreduce(const CollectiveArguments* a, const Comm* inter) {
  const uint64_t bytes = packed_bytes(a->count, a->type);
  char* own = local_sum(a, inter, a->count);
  char* other = room(bytes);
  if (inter->rank == 0) swap(own, bytes, other, bytes, a->comm);
  MPI_Bcast(other, (int)bytes, MPI_BYTE, 0, inter->local);
  unpack(other, bytes, a->received, a->count, a->type);
  free(own);
  free(other);
  return MPI_SUCCESS;
}

static int reduce_scatter(const CollectiveArguments* a, const Comm* inter) {
  int* counts = room(sizeof(int) * 2 * (uint64_t)inter->size);
  int *places = counts + inter->size, total = 0, sum = 0;
  for (int r = 0; r < inter->size; ++r) {
    const int n = a->counts != NULL ? a->counts[r] : a->count;
    counts[r] = (int)packed_bytes(n, a->type);
    places[r] = sum;
    sum += counts[r];
    total += n;
  }
  const uint64_t bytes = (uint64_t)sum;
  char* own = local_sum(a, inter, total);
  char* other = room(bytes);
  if (inter->rank == 0) swap(own, bytes, other, bytes, a->comm);
  char* part = room((uint64_t)counts[inter->rank]);
  MPI_Scatterv(other, counts, places, MPI_BYTE, part, counts[inter->rank], MPI_BYTE, 0,
               inter->local);
  unpack(part, (uint64_t)counts[inter->rank], a->received,
         a->counts != NULL ? a->counts[inter->rank] : a->count, a->type);
  free(part);
  free(own);
  free(other);
  free(counts);
  return MPI_SUCCESS;
}

static const void* sent_to(const CollectiveArguments* a, int r, int same) {
  if (same) return a->sent;
  if (a->send_types != NULL) return (const char*)a->sent + a->send_places[r];
  return element(a->sent, a->send_places != NULL ? a->send_places[r] : (int64_t)r * a->send_count,
                 a->send_type);
}

static void* received_from(const CollectiveArguments* a, int r) {
  if (a->types != NULL) return (char*)a->received + a->places[r];
  return element(a->received, a->places != NULL ? a->places[r] : (int64_t)r * a->count, a->type);
}

/* Messages from each to all of the other group: `sends` to them, `receives` from them. */
static int exchange(const CollectiveArguments* a, const Comm* inter, int sends, int receives,
                    int same) {
  MPI_Request* each = room(sizeof *each * 2 * (uint64_t)inter->n_peers);
  int n = 0;
  for (int r = 0; r < inter->n_peers && receives; ++r) {
    each[n++] = start_receive(received_from(a, r), a->counts != NULL ? a->counts[r] : a->count,
                              a->types != NULL ? a->types[r] : a->type, r, kInterTag, a->comm);
  }
  for (int r = 0; r < inter->n_peers && sends; ++r) {
    each[n++] =
        start_send(SLK_OP_isend, sent_to(a, r, same),
                   a->send_counts != NULL ? a->send_counts[r] : a->send_count,
                   a->send_types != NULL ? a->send_types[r] : a->send_type, r, kInterTag, a->comm);
  }
  const int status = MPI_Waitall(n, each, MPI_STATUSES_IGNORE);
  free(each);
  return status;
}

static int with_root(const CollectiveArguments* a, const Comm* inter, int gathers) {
  if (a->root == MPI_PROC_NULL) return MPI_SUCCESS;
  if (a->root == MPI_ROOT) return exchange(a, inter, !gathers, gathers, 0);
  if (gathers) return MPI_Send(a->sent, a->send_count, a->send_type, a->root, kInterTag, a->comm);
  return MPI_Recv(a->received, a->count, a->type, a->root, kInterTag, a->comm, MPI_STATUS_IGNORE);
}

int inter_collective(const CollectiveArguments* a) {
  const Comm* inter = find_comm(a->comm);
  switch (a->operation) {
    case SLK_OP_barrier:
      return MPI_Barrier(inter->both);
    case SLK_OP_bcast:
      return bcast(a, inter);
    case SLK_OP_reduce:
      return reduce(a, inter);
    case SLK_OP_allreduce:
      return allreduce(a, inter);
    case SLK_OP_reduce_scatter:
    case SLK_OP_reduce_scatter_block:
      return reduce_scatter(a, inter);
    case SLK_OP_gather:
    case SLK_OP_gatherv:
      return with_root(a, inter, 1);
    case SLK_OP_scatter:
    case SLK_OP_scatterv:
      return with_root(a, inter, 0);
    case SLK_OP_allgather:
    case SLK_OP_allgatherv:
      return exchange(a, inter, 1, 1, 1);
    case SLK_OP_alltoall:
    case SLK_OP_alltoallv:
    case SLK_OP_alltoallw:
      return exchange(a, inter, 1, 1, 0);
    default:
      refuse("a collective", "MPI does not define it between two groups");
  }
}

/* Collectives between the two groups of an intercommunicator: each group works by itself, and the
 * groups' first ranks, or a rank and all of the other group, exchange messages under a tag of this
 * library's own. */
#include <stdlib.h>
#include <string.h>

#include "collectives.h"

static int receive_packed(char* to, uint64_t bytes, int from, MPI_Comm comm) {
  return MPI_Recv(to, (int)bytes, MPI_BYTE, from, kInterTag, comm, MPI_STATUS_IGNORE);
}

/* The first ranks of the groups swap these. */
static void swap(const void* sent, uint64_t n_sent, void* received, uint64_t n, MPI_Comm comm) {
  MPI_Sendrecv(sent, (int)n_sent, MPI_BYTE, 0, kInterTag, received, (int)n, MPI_BYTE, 0, kInterTag,
               comm, MPI_STATUS_IGNORE);
}

static int bcast(const Arguments* a, const Comm* inter) {
  if (a->root == MPI_PROC_NULL) return MPI_SUCCESS;
  if (a->root == MPI_ROOT) return MPI_Send(a->rbuf, a->rn, a->rtype, 0, kInterTag, a->c);
  const uint64_t bytes = packed_bytes(a->rn, a->rtype);
  char* packed = room("a collective", bytes);
  if (inter->rank == 0) receive_packed(packed, bytes, a->root, a->c);
  MPI_Bcast(packed, (int)bytes, MPI_BYTE, 0, inter->local);
  unpack(packed, bytes, a->rbuf, a->rn, a->rtype);
  free(packed);
  return MPI_SUCCESS;
}

/* The reduction of the own group's vectors at its first rank, as packed bytes. */
static char* local_sum(const Arguments* a, const Comm* inter, int count) {
  const uint64_t bytes = packed_bytes(count, a->rtype);
  char* packed = room("a collective", bytes);
  MPI_Aint lower, extent, true_lower, true_extent;
  PMPI_Type_get_extent(a->rtype, &lower, &extent);
  PMPI_Type_get_true_extent(a->rtype, &true_lower, &true_extent);
  char* memory =
      room("a collective", (uint64_t)(true_extent + (count > 0 ? count - 1 : 0) * extent));
  MPI_Reduce(a->sbuf, memory - true_lower, count, a->rtype, a->op, 0, inter->local);
  if (inter->rank == 0) pack(memory - true_lower, count, a->rtype, packed);
  free(memory);
  return packed;
}

static int reduce(const Arguments* a, const Comm* inter) {
  if (a->root == MPI_PROC_NULL) return MPI_SUCCESS;
  const uint64_t bytes = packed_bytes(a->rn, a->rtype);
  if (a->root == MPI_ROOT) {
    char* packed = room("a collective", bytes);
    receive_packed(packed, bytes, 0, a->c);
    unpack(packed, bytes, a->rbuf, a->rn, a->rtype);
    free(packed);
    return MPI_SUCCESS;
  }
  char* packed = local_sum(a, inter, a->rn);
  if (inter->rank == 0) MPI_Send(packed, (int)bytes, MPI_BYTE, a->root, kInterTag, a->c);
  free(packed);
  return MPI_SUCCESS;
}

static int allreduce(const Arguments* a, const Comm* inter) {
  const uint64_t bytes = packed_bytes(a->rn, a->rtype);
  char* own = local_sum(a, inter, a->rn);
  char* other = room("a collective", bytes);
  if (inter->rank == 0) swap(own, bytes, other, bytes, a->c);
  MPI_Bcast(other, (int)bytes, MPI_BYTE, 0, inter->local);
  unpack(other, bytes, a->rbuf, a->rn, a->rtype);
  free(own);
  free(other);
  return MPI_SUCCESS;
}

static int reduce_scatter(const Arguments* a, const Comm* inter) {
  int* counts = room("a collective", sizeof(int) * 2 * (uint64_t)inter->size);
  int *places = counts + inter->size, total = 0, sum = 0;
  for (int r = 0; r < inter->size; ++r) {
    const int n = a->rns != NULL ? a->rns[r] : a->rn;
    counts[r] = (int)packed_bytes(n, a->rtype);
    places[r] = sum;
    sum += counts[r];
    total += n;
  }
  const uint64_t bytes = (uint64_t)sum;
  char* own = local_sum(a, inter, total);
  char* other = room("a collective", bytes);
  if (inter->rank == 0) swap(own, bytes, other, bytes, a->c);
  char* part = room("a collective", (uint64_t)counts[inter->rank]);
  MPI_Scatterv(other, counts, places, MPI_BYTE, part, counts[inter->rank], MPI_BYTE, 0,
               inter->local);
  unpack(part, (uint64_t)counts[inter->rank], a->rbuf, a->rns != NULL ? a->rns[inter->rank] : a->rn,
         a->rtype);
  free(part);
  free(own);
  free(other);
  free(counts);
  return MPI_SUCCESS;
}

/* Messages from each to all of the other group: `sends` to them, `receives` from them. */
static int exchange(const Arguments* a, const Comm* inter, int sends, int receives, int same) {
  MPI_Request* each = room("a collective", sizeof *each * 2 * (uint64_t)inter->n_peers);
  const Side in = received_side(a);
  Side out = sent_side(a);
  out.is_same = same;
  int n = 0;
  for (int r = 0; r < inter->n_peers && receives; ++r) {
    each[n++] =
        start_receive(part_at(&in, r), count_at(&in, r), type_at(&in, r), r, kInterTag, a->c);
  }
  for (int r = 0; r < inter->n_peers && sends; ++r) {
    each[n++] = start_send(SLK_OP_isend, part_at(&out, r), count_at(&out, r), type_at(&out, r), r,
                           kInterTag, a->c);
  }
  const int status = MPI_Waitall(n, each, MPI_STATUSES_IGNORE);
  free(each);
  return status;
}

static int with_root(const Arguments* a, const Comm* inter, int gathers) {
  if (a->root == MPI_PROC_NULL) return MPI_SUCCESS;
  if (a->root == MPI_ROOT) return exchange(a, inter, !gathers, gathers, 0);
  if (gathers) return MPI_Send(a->sbuf, a->sn, a->stype, a->root, kInterTag, a->c);
  return MPI_Recv(a->rbuf, a->rn, a->rtype, a->root, kInterTag, a->c, MPI_STATUS_IGNORE);
}

int inter_collective(const Arguments* a) {
  const Comm* inter = find_comm(a->c);
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

/* The first call of a function costs tens of microseconds: the recorder looks for it, and its code
 * is not in memory. In the trace that lies before the first call of the program already, so it must
 * not be paid once more: each operation is called here, with nobody and of nothing. */
#include "replay.h"

static int has_simple_form(uint8_t op) {
  switch (op) {
    case SLK_OP_mprobe:
    case SLK_OP_improbe:
    case SLK_OP_mrecv:
    case SLK_OP_imrecv:
    case SLK_OP_request_free:
    case SLK_OP_cancel:
    case SLK_OP_request_get_status:
    case SLK_OP_gatherv:
    case SLK_OP_scatterv:
    case SLK_OP_allgatherv:
    case SLK_OP_reduce_scatter:
    case SLK_OP_igatherv:
    case SLK_OP_iscatterv:
    case SLK_OP_iallgatherv:
    case SLK_OP_ireduce_scatter:
      return 0;
    default:
      break;
  }
  const int persistent = op >= SLK_OP_send_init && op <= SLK_OP_startall;
  const int to_each = (op >= SLK_OP_alltoallv && op <= SLK_OP_alltoallw) ||
                      (op >= SLK_OP_ialltoallv && op <= SLK_OP_ialltoallw);
  const int neighbors = (op >= SLK_OP_neighbor_allgather && op <= SLK_OP_neighbor_alltoallw) ||
                        op >= SLK_OP_ineighbor_allgather;
  return op >= SLK_OP_send && !persistent && !to_each && !neighbors;
}

void warm_up(struct replay* r) {
  static const int64_t nobody[3] = {SLK_PEER_NULL, 0, 0};
  unsigned char seen[256] = {0};
  r->polls = 1;
  for (uint32_t i = 0; i < r->head.shapes; ++i) {
    struct shape s = r->shapes[i];
    if (seen[s.op] || !has_simple_form(s.op)) continue;
    seen[s.op] = 1;
    const int exchange = s.op == SLK_OP_sendrecv || s.op == SLK_OP_sendrecv_replace;
    s.comm = SLK_COMM_SELF;
    s.peer = s.op < SLK_OP_barrier ? SLK_PEER_NULL : 0;
    s.tag = 0;
    s.bytes = 0;
    s.flags = 0;
    s.request = 0;
    s.args = exchange ? nobody : NULL;
    s.n_args = exchange ? 3 : 0;
    s.make(r, &s);
    PMPI_Wait(&r->requests[0], MPI_STATUS_IGNORE);
  }
}

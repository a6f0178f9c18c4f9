/* What cannot be simulated yet ends the simulation with its name. These have no prototypes here, as
 * their arguments do not matter. */
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

_Noreturn void refuse(const char* name, const char* why);

/* Before MPI_Init, and outside of a simulation, none of these is called by a correct program. */
#define REFUSED(name)                         \
  EXPORT int name(void) {                     \
    refuse(#name, "it is not simulated yet"); \
  }

REFUSED(MPI_Cancel)
REFUSED(MPI_Request_get_status)
REFUSED(MPI_Mprobe)
REFUSED(MPI_Improbe)
REFUSED(MPI_Mrecv)
REFUSED(MPI_Imrecv)
REFUSED(MPI_Comm_create_group)
REFUSED(MPI_Comm_idup)
REFUSED(MPI_Intercomm_create)
REFUSED(MPI_Intercomm_merge)
REFUSED(MPI_Graph_create)
REFUSED(MPI_Dist_graph_create)
REFUSED(MPI_Dist_graph_create_adjacent)
REFUSED(MPI_Comm_spawn)
REFUSED(MPI_Comm_spawn_multiple)
REFUSED(MPI_Comm_accept)
REFUSED(MPI_Comm_connect)
REFUSED(MPI_Comm_join)
REFUSED(MPI_Neighbor_allgather)
REFUSED(MPI_Neighbor_allgatherv)
REFUSED(MPI_Neighbor_alltoall)
REFUSED(MPI_Neighbor_alltoallv)
REFUSED(MPI_Neighbor_alltoallw)
REFUSED(MPI_Ineighbor_allgather)
REFUSED(MPI_Ineighbor_allgatherv)
REFUSED(MPI_Ineighbor_alltoall)
REFUSED(MPI_Ineighbor_alltoallv)
REFUSED(MPI_Ineighbor_alltoallw)
REFUSED(MPI_Win_create)
REFUSED(MPI_Win_allocate)
REFUSED(MPI_Win_allocate_shared)
REFUSED(MPI_Win_create_dynamic)
REFUSED(MPI_Session_init)
REFUSED(MPI_Psend_init)
REFUSED(MPI_Precv_init)
REFUSED(MPI_Isendrecv)
REFUSED(MPI_Isendrecv_replace)
REFUSED(MPI_Barrier_init)
REFUSED(MPI_Bcast_init)
REFUSED(MPI_Reduce_init)
REFUSED(MPI_Allreduce_init)
REFUSED(MPI_Gather_init)
REFUSED(MPI_Gatherv_init)
REFUSED(MPI_Scatter_init)
REFUSED(MPI_Scatterv_init)
REFUSED(MPI_Allgather_init)
REFUSED(MPI_Allgatherv_init)
REFUSED(MPI_Alltoall_init)
REFUSED(MPI_Alltoallv_init)
REFUSED(MPI_Alltoallw_init)
REFUSED(MPI_Reduce_scatter_init)
REFUSED(MPI_Reduce_scatter_block_init)
REFUSED(MPI_Scan_init)
REFUSED(MPI_Exscan_init)

/* spawn: both ranks start two processes of the same program, talk to them over the
 * intercommunicator, merge it, and talk again in the larger communicator. */
#include <mpi.h>
#include <stdio.h>

static void talk(MPI_Comm parent) {
  int rank, size, remote, out, in = -1, sum = 0;
  MPI_Comm all;
  MPI_Comm_rank(parent, &rank);
  MPI_Comm_remote_size(parent, &remote);
  out = rank;
  MPI_Sendrecv(&out, 1, MPI_INT, rank % remote, 1, &in, 1, MPI_INT, rank % remote, 1, parent,
               MPI_STATUS_IGNORE);
  MPI_Barrier(parent);
  MPI_Comm self;
  MPI_Comm_get_parent(&self);
  MPI_Intercomm_merge(parent, self != MPI_COMM_NULL, &all);
  MPI_Comm_rank(all, &rank);
  MPI_Comm_size(all, &size);
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 2, &in, 1, MPI_INT, (rank + size - 1) % size,
               2, all, MPI_STATUS_IGNORE);
  MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Bcast(&sum, 1, MPI_INT, size - 1, all);
  if (sum != size * (size - 1) / 2) MPI_Abort(all, 1);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&parent);
}

int main(int argc, char** argv) {
  MPI_Comm parent;
  int rank, sum, one = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &parent,
                   MPI_ERRCODES_IGNORE);
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  talk(parent);
  MPI_Finalize();
  return 0;
}

// Collective and independent MPI-IO on one file of all processes.
#include <mpi.h>

#if MPI_VERSION >= 4 /* recorded as the same operations */
#define MPI_File_read_at MPI_File_read_at_c
#define MPI_File_write_ordered MPI_File_write_ordered_c
#endif

enum { kInts = 1000 };

int main(int argc, char** argv) {
  static int data[kInts];
  int rank;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Offset own = (MPI_Offset)(rank * sizeof data);
  MPI_File_open(MPI_COMM_WORLD, "files.out", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, own, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  for (int i = 0; i < 3; ++i) {
    const double until = MPI_Wtime() + 0.001 * rank;
    while (MPI_Wtime() < until) continue;
    MPI_File_write_all(file, data, kInts, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_File_write_at(file, 0, data, 10, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_File_sync(file);
  MPI_File_read_at_all(file, 0, data, kInts, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 0, data, 5, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_ordered(file, data, 20, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}

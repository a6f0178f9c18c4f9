/* A file that all ranks open; argv[1] is its name. Prints "ok" from rank 0. */
#include "online_checks.h"

static void places(const char* name) {
  MPI_File file;
  int got = -1, flag = 0;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_at_all(file, rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_read_at(file, (rank + 1) % size, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
  check(got == (rank + 1) % size, "MPI_File_read_at");
  MPI_Group group;
  MPI_File_get_group(file, &group);
  MPI_Group_size(group, &flag);
  check(flag == size, "MPI_File_get_group");
  MPI_Group_free(&group);
  MPI_File_close(&file);
}

static void shared_pointer(const char* name) {
  MPI_File file;
  MPI_Offset at = -1;
  int own[2] = {rank, rank}, got[2] = {-1, -1};
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_ordered(file, own, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 2 * rank + 1, got, 1, MPI_INT, MPI_STATUS_IGNORE);
  check(got[0] == rank, "MPI_File_write_ordered");
  MPI_File_write_shared(file, own, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &at);
  check(at == 4 * size, "MPI_File_get_position_shared");
  int* seen = calloc((size_t)size, sizeof *seen);
  for (int r = 0; r < size; ++r) {
    MPI_File_read_at(file, 2 * size + 2 * r, got, 2, MPI_INT, MPI_STATUS_IGNORE);
    check(got[0] == got[1] && got[0] >= 0 && got[0] < size, "MPI_File_write_shared");
    ++seen[got[0]];
  }
  for (int r = 0; r < size; ++r) check(seen[r] == 1, "all of MPI_File_write_shared");
  free(seen);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered(file, got, 2, MPI_INT, MPI_STATUS_IGNORE);
  check(got[0] == rank && got[1] == rank, "MPI_File_read_ordered");
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  places(argv[1]);
  shared_pointer(argv[1]);
  FILE* gone = fopen(argv[1], "r");
  check(gone == NULL, "MPI_MODE_DELETE_ON_CLOSE");
  return end();
}

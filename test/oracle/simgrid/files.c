/* Times accesses to a file in simulated time, to be run under SimGrid's smpirun and on line.

   usage: files FOLDER ACCESS:BYTES...   (ACCESS: write, write_at, write_all, write_at_all, and the
   same of read) Each rank has BYTES of its own, which writers of the same file do not share, and
   prints "ACCESS:BYTES RANK BEGIN END" for each, in seconds, after a barrier. "odd_write" and
   "odd_read" are accesses of the odd ranks, while the others do the opposite. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;
static char* buffer;

static void perform(MPI_File f, const char* what, int n) {
  const MPI_Datatype t = MPI_BYTE;
  const MPI_Offset at = (MPI_Offset)rank * n;
  MPI_Status* const s = MPI_STATUS_IGNORE;
  if (!strncmp(what, "odd_", 4)) {
    const int writes = (rank % 2 == 1) == !strcmp(what, "odd_write");
    what = writes ? "write_at" : "read_at";
  }
  if (!strcmp(what, "write")) MPI_File_write(f, buffer, n, t, s);
  if (!strcmp(what, "write_all")) MPI_File_write_all(f, buffer, n, t, s);
  if (!strcmp(what, "write_at")) MPI_File_write_at(f, at, buffer, n, t, s);
  if (!strcmp(what, "write_at_all")) MPI_File_write_at_all(f, at, buffer, n, t, s);
  if (!strcmp(what, "read")) MPI_File_read(f, buffer, n, t, s);
  if (!strcmp(what, "read_all")) MPI_File_read_all(f, buffer, n, t, s);
  if (!strcmp(what, "read_at")) MPI_File_read_at(f, at, buffer, n, t, s);
  if (!strcmp(what, "read_at_all")) MPI_File_read_at_all(f, at, buffer, n, t, s);
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0); /* ranks share it */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char path[4096];
  snprintf(path, sizeof path, "%s/file", argv[1]);
  MPI_File file;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  for (int i = 2; i < argc; ++i) {
    char what[64];
    int bytes = 0;
    if (sscanf(argv[i], "%63[^:]:%d", what, &bytes) != 2) return 2;
    buffer = calloc(1, (size_t)bytes);
    MPI_File_seek(file, (MPI_Offset)rank * bytes, MPI_SEEK_SET);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    perform(file, what, bytes);
    const double end = MPI_Wtime();
    printf("%s %d %.12f %.12f\n", argv[i], rank, begin, end);
    free(buffer);
  }
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}

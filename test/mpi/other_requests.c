/* Requests that are neither messages nor collectives: of file accesses and generalized ones; and
 * split collective file accesses. Writes how many calls it made of each kind (call_counts.h). */
#include <mpi.h>
#include <stdlib.h>

#include "call_counts.h"

enum { kInts = 1000, kRounds = 3 };

static int rank, ranks;
static MPI_File file;
static MPI_Status status;
static MPI_Request r[2];
static int out[kInts], in[kInts];

/* Where the rank's own part begins. Parts 0 to 2 are written through the shared pointer. */
static MPI_Offset own(int part) {
  return (MPI_Offset)sizeof out * (part * ranks + rank);
}

static void require(int holds) {
  if (!holds) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void nonblocking(void) {
  int flag = 0, i;
  for (i = 0; i < kInts; ++i) out[i] = rank + i;
  CALL(file_iwrite_at, MPI_File_iwrite_at(file, own(3), out, kInts, MPI_INT, &r[0]));
  CALL(file_iwrite_at, MPI_File_iwrite_at(file, own(4), out, kInts, MPI_INT, &r[1]));
  CALL(waitall, MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
  CALL(file_iread_at, MPI_File_iread_at(file, own(4), in, kInts, MPI_INT, &r[0]));
  while (!flag) MPI_Test(&r[0], &flag, &status);
  note("test");
  MPI_Get_count(&status, MPI_INT, &i);
  require(i == kInts && in[kInts - 1] == rank + kInts - 1);
  CALL(file_iwrite_at_all, MPI_File_iwrite_at_all(file, own(3), out, kInts, MPI_INT, &r[0]));
  CALL(wait, MPI_Wait(&r[0], &status));
  CALL(file_iread_at_all, MPI_File_iread_at_all(file, own(3), in, kInts, MPI_INT, &r[0]));
  CALL(wait, MPI_Wait(&r[0], &status));
  CALL(file_iwrite_shared, MPI_File_iwrite_shared(file, out, kInts, MPI_INT, &r[0]));
  CALL(wait, MPI_Wait(&r[0], &status));
  CALL(file_seek_shared, MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  CALL(file_iread_shared, MPI_File_iread_shared(file, in, kInts, MPI_INT, &r[0]));
  CALL(wait, MPI_Wait(&r[0], &status));
  CALL(barrier, MPI_Barrier(MPI_COMM_WORLD));
  MPI_File_seek(file, own(3), MPI_SEEK_SET);
  CALL(file_iwrite, MPI_File_iwrite(file, out, kInts, MPI_INT, &r[0]));
  CALL(wait, MPI_Wait(&r[0], &status));
  MPI_File_seek(file, own(3), MPI_SEEK_SET);
  CALL(file_iread, MPI_File_iread(file, in, kInts, MPI_INT, &r[0]));
  CALL(wait, MPI_Wait(&r[0], &status));
  require(in[1] == rank + 1);
}

static void split(void) {
  CALL(file_write_at_all_begin, MPI_File_write_at_all_begin(file, own(3), out, kInts, MPI_INT));
  CALL(file_write_at_all_end, MPI_File_write_at_all_end(file, out, &status));
  CALL(file_read_at_all_begin, MPI_File_read_at_all_begin(file, own(3), in, kInts, MPI_INT));
  CALL(file_read_at_all_end, MPI_File_read_at_all_end(file, in, &status));
  CALL(file_write_ordered_begin, MPI_File_write_ordered_begin(file, out, kInts, MPI_INT));
  CALL(file_write_ordered_end, MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE));
  CALL(file_seek_shared, MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  CALL(file_read_ordered_begin, MPI_File_read_ordered_begin(file, in, kInts, MPI_INT));
  CALL(file_read_ordered_end, MPI_File_read_ordered_end(file, in, &status));
  MPI_File_seek(file, own(3), MPI_SEEK_SET);
  CALL(file_write_all_begin, MPI_File_write_all_begin(file, out, kInts, MPI_INT));
  CALL(file_write_all_end, MPI_File_write_all_end(file, out, &status));
  MPI_File_seek(file, own(3), MPI_SEEK_SET);
  CALL(file_read_all_begin, MPI_File_read_all_begin(file, in, kInts, MPI_INT));
  CALL(file_read_all_end, MPI_File_read_all_end(file, in, &status));
  require(in[2] == rank + 2);
}

static int query(void* state, MPI_Status* of) {
  (void)state;
  MPI_Status_set_elements(of, MPI_INT, 0);
  MPI_Status_set_cancelled(of, 0);
  of->MPI_SOURCE = of->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void* state) {
  (void)state;
  return MPI_SUCCESS;
}
static int cancel(void* state, int complete) {
  (void)state;
  (void)complete;
  return MPI_SUCCESS;
}

static void generalized(void) {
  int flag;
  CALL(grequest_start, MPI_Grequest_start(query, release, cancel, NULL, &r[0]));
  CALL(request_get_status, MPI_Request_get_status(r[0], &flag, &status));
  require(!flag);
  MPI_Grequest_complete(r[0]);
  CALL(wait, MPI_Wait(&r[0], &status));
}

static void buffered(void) {
  int size, attached = (int)sizeof out + MPI_BSEND_OVERHEAD;
  void* buffer = malloc((size_t)attached);
  MPI_Buffer_attach(buffer, attached);
  CALL(buffer_detach, MPI_Buffer_detach(&buffer, &size));
  require(size == attached);
  free(buffer);
}

int main(int argc, char** argv) {
  CALL(init, MPI_Init(&argc, &argv));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CALL(file_open, MPI_File_open(MPI_COMM_WORLD, "other_requests.out",
                                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                                MPI_INFO_NULL, &file));
  for (int i = 0; i < kRounds; ++i) {
    nonblocking();
    split();
    generalized();
    buffered();
  }
  CALL(file_close, MPI_File_close(&file));
  note("finalize");
  if (!write_counts(rank)) return 1;
  MPI_Finalize();
  return 0;
}

/* MPI-IO. Each process opens the file for itself, as the only one: what the file holds is then the
 * system's. What the processes of a file have in common is here: who creates it and who deletes it,
 * the shared file pointer, and what reading and writing takes on the disks of the simulated
 * hosts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "online.h"

typedef struct File {
  struct File* next;
  MPI_File handle;
  MPI_Comm hidden;
  uint64_t pointer; /* offset of the shared file pointer, in elementary types */
  char* name;
  char* path;
  int is_deleted; /* when it is closed */
} File;

static File* first;

static File* find_file(MPI_File handle) {
  for (File* f = first; f != NULL; f = f->next) {
    if (f->handle == handle) return f;
  }
  refuse("a file", "its handle was not made by a function that is simulated");
}

static int64_t* pointer_of(const File* f) {
  return (int64_t*)(void*)block_data(f->pointer);
}

/* The path from the root, as mounts are: without ROMIO's prefix of a file system. */
static char* path_of(const char* name) {
  const size_t prefix = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789");
  if (prefix > 0 && name[prefix] == ':') name += prefix + 1;
  char* folder = name[0] == '/' ? NULL : getcwd(NULL, 0);
  if (folder == NULL) return strdup(name);
  char* path = room("a file's name", strlen(folder) + 1 + strlen(name));
  sprintf(path, "%s/%s", folder, name);
  free(folder);
  return path;
}

static void add_file(MPI_File handle, MPI_Comm comm, const char* name, int is_deleted) {
  File* f = calloc(1, sizeof *f);
  if (f == NULL) refuse("a file", "no memory is left");
  f->handle = handle;
  MPI_Comm_dup(comm, &f->hidden);
  if (find_comm(comm)->rank == 0) {
    f->pointer = new_block(sizeof(int64_t));
    *pointer_of(f) = 0;
  }
  MPI_Bcast(&f->pointer, (int)sizeof f->pointer, MPI_BYTE, 0, f->hidden);
  f->name = strdup(name);
  f->path = path_of(name);
  f->is_deleted = is_deleted;
  f->next = first;
  first = f;
}

/* The first rank creates the file, and the others find it. */
int simulate_file_open(MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* result) {
  const int own_mode = mode & ~MPI_MODE_DELETE_ON_CLOSE, at_first = find_comm(comm)->rank == 0;
  int status = MPI_SUCCESS, worst = MPI_SUCCESS;
  if (at_first) status = PMPI_File_open(MPI_COMM_SELF, name, own_mode, info, result);
  MPI_Bcast(&status, 1, MPI_INT, 0, comm);
  if (!at_first && status == MPI_SUCCESS) {
    status = PMPI_File_open(MPI_COMM_SELF, name, own_mode & ~(MPI_MODE_CREATE | MPI_MODE_EXCL),
                            info, result);
  }
  MPI_Allreduce(&status, &worst, 1, MPI_INT, MPI_MAX, comm);
  if (worst == MPI_SUCCESS) add_file(*result, comm, name, mode & MPI_MODE_DELETE_ON_CLOSE);
  return worst;
}

int simulate_file_close(MPI_File* handle) {
  File* f = find_file(*handle);
  const int status = PMPI_File_close(handle);
  MPI_Barrier(f->hidden);
  const int at_first = find_comm(f->hidden)->rank == 0;
  if (at_first && f->is_deleted) PMPI_File_delete(f->name, MPI_INFO_NULL);
  if (at_first) release_block(f->pointer);
  MPI_Comm_free(&f->hidden);
  for (File** at = &first; *at != NULL; at = &(*at)->next) {
    if (*at != f) continue;
    *at = f->next;
    break;
  }
  free(f->name);
  free(f->path);
  free(f);
  return status;
}

/* As in SimGrid (src/smpi/include/smpi_file.hpp, op_all), the members of a collective access
 * exchange where they begin and end, and each then has its own part. */
static void exchange_ranges(const File* f) {
  const int64_t own = 0;
  int64_t* all = room("a collective access", sizeof own * (size_t)find_comm(f->hidden)->size);
  for (int i = 0; i < 2; ++i) MPI_Allgather(&own, 1, MPI_INT64_T, all, 1, MPI_INT64_T, f->hidden);
  free(all);
}

/* The access is done, and now takes its simulated time. Returns `error`. */
static int access_file(enum slk_operation operation, MPI_File handle, int error, int count,
                       MPI_Datatype type) {
  const File* f = find_file(handle);
  struct slk_online_call* call = new_call(operation, find_comm(f->hidden));
  call->bytes = error == MPI_SUCCESS ? packed_bytes(count, type) : 0;
  snprintf(call->name, sizeof call->name, "%s", f->path);
  ask();
  return error;
}

static int read_from(enum slk_operation operation, MPI_File file, int at, MPI_Offset offset,
                     void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const got = status == MPI_STATUS_IGNORE ? &own : status;
  const int error = at ? PMPI_File_read_at(file, offset, buffer, count, type, got)
                       : PMPI_File_read(file, buffer, count, type, got);
  int read = 0;
  if (error == MPI_SUCCESS) PMPI_Get_count(got, type, &read);
  return access_file(operation, file, error, read == MPI_UNDEFINED ? count : read, type);
}

static int write_to(enum slk_operation operation, MPI_File file, int at, MPI_Offset offset,
                    const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  const int error = at ? PMPI_File_write_at(file, offset, buffer, count, type, status)
                       : PMPI_File_write(file, buffer, count, type, status);
  return access_file(operation, file, error, count, type);
}

int simulate_file_read(enum slk_operation operation, MPI_File file, void* buffer, int count,
                       MPI_Datatype type, MPI_Status* status) {
  if (operation == SLK_OP_file_read_all) exchange_ranges(find_file(file));
  return read_from(operation, file, 0, 0, buffer, count, type, status);
}
int simulate_file_read_at(enum slk_operation operation, MPI_File file, MPI_Offset offset,
                          void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  if (operation == SLK_OP_file_read_at_all) exchange_ranges(find_file(file));
  return read_from(operation, file, 1, offset, buffer, count, type, status);
}
int simulate_file_write(enum slk_operation operation, MPI_File file, const void* buffer, int count,
                        MPI_Datatype type, MPI_Status* status) {
  if (operation == SLK_OP_file_write_all) exchange_ranges(find_file(file));
  return write_to(operation, file, 0, 0, buffer, count, type, status);
}
int simulate_file_write_at(enum slk_operation operation, MPI_File file, MPI_Offset offset,
                           const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  if (operation == SLK_OP_file_write_at_all) exchange_ranges(find_file(file));
  return write_to(operation, file, 1, offset, buffer, count, type, status);
}

static int64_t elements_of(MPI_File handle, int count, MPI_Datatype type) {
  MPI_Offset begin;
  MPI_Datatype element, file_type;
  char representation[MPI_MAX_DATAREP_STRING];
  PMPI_File_get_view(handle, &begin, &element, &file_type, representation);
  const uint64_t size = packed_bytes(1, element);
  return size == 0 ? 0 : (int64_t)(packed_bytes(count, type) / size);
}

/* The first to ask in simulated time gets the first place. */
static MPI_Offset next_place(MPI_File handle, int count, MPI_Datatype type) {
  File* f = find_file(handle);
  pass(0);
  const int64_t at = *pointer_of(f);
  *pointer_of(f) = at + elements_of(handle, count, type);
  return (MPI_Offset)at;
}

/* In the order of ranks. */
static MPI_Offset ordered_place(MPI_File handle, int count, MPI_Datatype type) {
  File* f = find_file(handle);
  const int64_t own = elements_of(handle, count, type);
  int64_t before = 0, all = 0;
  MPI_Exscan(&own, &before, 1, MPI_INT64_T, MPI_SUM, f->hidden);
  MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, f->hidden);
  const int at_first = find_comm(f->hidden)->rank == 0;
  const int64_t begin = *pointer_of(f);
  MPI_Barrier(f->hidden);
  if (at_first) *pointer_of(f) = begin + all;
  MPI_Barrier(f->hidden);
  return (MPI_Offset)(begin + (at_first ? 0 : before));
}

int simulate_file_read_shared(MPI_File file, void* buffer, int count, MPI_Datatype type,
                              MPI_Status* status) {
  return read_from(SLK_OP_file_read_shared, file, 1, next_place(file, count, type), buffer, count,
                   type, status);
}
int simulate_file_write_shared(MPI_File file, const void* buffer, int count, MPI_Datatype type,
                               MPI_Status* status) {
  return write_to(SLK_OP_file_write_shared, file, 1, next_place(file, count, type), buffer, count,
                  type, status);
}
int simulate_file_read_ordered(MPI_File file, void* buffer, int count, MPI_Datatype type,
                               MPI_Status* status) {
  return read_from(SLK_OP_file_read_ordered, file, 1, ordered_place(file, count, type), buffer,
                   count, type, status);
}
int simulate_file_write_ordered(MPI_File file, const void* buffer, int count, MPI_Datatype type,
                                MPI_Status* status) {
  return write_to(SLK_OP_file_write_ordered, file, 1, ordered_place(file, count, type), buffer,
                  count, type, status);
}

void simulate_file_seek_shared(MPI_File handle, MPI_Offset offset, int whence) {
  const File* f = find_file(handle);
  int64_t begin = whence == MPI_SEEK_CUR ? *pointer_of(f) : 0;
  if (whence == MPI_SEEK_END) {
    MPI_Offset bytes;
    PMPI_File_get_size(handle, &bytes);
    begin = elements_of(handle, (int)bytes, MPI_BYTE);
  }
  MPI_Barrier(f->hidden);
  *pointer_of(f) = begin + (int64_t)offset;
  MPI_Barrier(f->hidden);
}

void simulate_file_get_position_shared(MPI_File handle, MPI_Offset* offset) {
  pass(0);
  *offset = (MPI_Offset)*pointer_of(find_file(handle));
}

int simulate_file_set_view(MPI_File handle, MPI_Offset begin, MPI_Datatype element,
                           MPI_Datatype type, const char* representation, MPI_Info info) {
  const int status = PMPI_File_set_view(handle, begin, element, type, representation, info);
  const File* f = find_file(handle);
  MPI_Barrier(f->hidden);
  *pointer_of(f) = 0;
  MPI_Barrier(f->hidden);
  return status;
}

void simulate_file_get_group(MPI_File handle, MPI_Group* group) {
  const Comm* comm = find_comm(find_file(handle)->hidden);
  *group = new_group_of(comm->size, comm->members);
}

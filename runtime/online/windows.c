/* Making and freeing windows. A window's memory is part of what all processes share, or the
 * program's own, which the kernel copies (one_sided.c). */
#include "windows.h"

#include "shared_process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static Window* first;

Window* find_window(MPI_Win handle) {
  for (Window* w = first; w != NULL; w = w->next) {
    if (w->handle == handle) return w;
  }
  refuse("a window", "its handle was not made by a function that is simulated");
}

/* All members know all parts from here on. */
static Window* new_window(int flavour, MPI_Comm comm, MPI_Info info, const Part* own) {
  Window* w = calloc(1, sizeof *w);
  if (w == NULL) refuse("a window", "no memory is left");
  w->flavour = flavour;
  w->model = MPI_WIN_UNIFIED;
  w->unit = (int)own->unit;
  w->bytes = (MPI_Aint)own->bytes;
  MPI_Comm_dup(comm, &w->hidden);
  w->comm = find_comm(w->hidden);
  w->parts = room("a window", sizeof *w->parts * (size_t)w->comm->size);
  MPI_Allgather(own, (int)sizeof *own, MPI_BYTE, w->parts, (int)sizeof *own, MPI_BYTE, w->hidden);
  void* unused;
  const MPI_Info given = flavour == MPI_WIN_FLAVOR_DYNAMIC ? MPI_INFO_NULL : info;
  PMPI_Win_allocate(1, 1, given, MPI_COMM_SELF, &unused, &w->handle);
  w->next = first;
  first = w;
  return w;
}

static Part own_part(const void* base, MPI_Aint bytes, int unit) {
  if (is_own_variable(base)) {
    refuse_to_share("others cannot reach the global variables that are a window's memory");
  }
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* the other ranks copy from and to here */
  return (Part){.base = (uintptr_t)base,
                .bytes = (uint64_t)bytes,
                .unit = unit,
                .process = (int64_t)getpid()};
}

void simulate_win_create(void* base, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                         MPI_Win* result) {
  const Part own = own_part(base, bytes, unit);
  *result = new_window(MPI_WIN_FLAVOR_CREATE, comm, info, &own)->handle;
}

void simulate_win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* result) {
  const Part own = own_part(NULL, 0, 1);
  *result = new_window(MPI_WIN_FLAVOR_DYNAMIC, comm, info, &own)->handle;
}

static Part shared_part(uint64_t at, MPI_Aint bytes, int unit) {
  return (Part){
      .base = (uintptr_t)shared_at(at), .bytes = (uint64_t)bytes, .shared = at, .unit = unit};
}

void simulate_win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base,
                           MPI_Win* result) {
  const uint64_t block = new_block((uint64_t)bytes);
  const Part own = shared_part((uint64_t)(block_data(block) - shared_at(0)), bytes, unit);
  Window* w = new_window(MPI_WIN_FLAVOR_ALLOCATE, comm, info, &own);
  w->block = block;
  *(void**)base = block_data(block);
  *result = w->handle;
}

/* One block of the first rank, in which the parts stand one after the other. */
void simulate_win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                                  void* base, MPI_Win* result) {
  const int64_t own_bytes = (int64_t)bytes;
  int64_t before = 0, all = 0;
  MPI_Exscan(&own_bytes, &before, 1, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(&own_bytes, &all, 1, MPI_INT64_T, MPI_SUM, comm);
  const int at_first = find_comm(comm)->rank == 0;
  if (at_first) before = 0;
  uint64_t block = at_first ? new_block((uint64_t)all) : 0;
  uint64_t begin = at_first ? (uint64_t)(block_data(block) - shared_at(0)) : 0;
  MPI_Bcast(&begin, (int)sizeof begin, MPI_BYTE, 0, comm);
  const Part own = shared_part(begin + (uint64_t)before, bytes, unit);
  Window* w = new_window(MPI_WIN_FLAVOR_SHARED, comm, info, &own);
  w->block = block;
  *(void**)base = shared_at(own.shared);
  *result = w->handle;
}

void simulate_win_shared_query(MPI_Win handle, int rank, MPI_Aint* bytes, int* unit, void* base) {
  const Window* w = find_window(handle);
  int of = rank == MPI_PROC_NULL ? 0 : rank;
  while (rank == MPI_PROC_NULL && of + 1 < w->comm->size && w->parts[of].bytes == 0) ++of;
  const Part* part = &w->parts[of];
  *bytes = (MPI_Aint)part->bytes;
  *unit = (int)part->unit;
  *(void**)base = part->shared != 0 ? shared_at(part->shared) : NULL;
}

int simulate_win_free(MPI_Win* handle) {
  Window* w = find_window(*handle);
  MPI_Barrier(w->hidden);
  for (Window** at = &first; *at != NULL; at = &(*at)->next) {
    if (*at != w) continue;
    *at = w->next;
    break;
  }
  const int status = PMPI_Win_free(handle);
  MPI_Comm_free(&w->hidden);
  if (w->block != 0) release_block(w->block);
  free(w->parts);
  free(w->targets);
  free(w->origins);
  free(w->completions);
  free(w);
  return status;
}

void simulate_win_get_group(MPI_Win handle, MPI_Group* group) {
  const Comm* comm = find_window(handle)->comm;
  *group = new_group_of(comm->size, comm->members);
}

int simulate_win_get_attr(MPI_Win handle, int key, void* value, int* flag) {
  Window* w = find_window(handle);
  void* found = NULL;
  if (key == MPI_WIN_BASE)
    found = (void*)(uintptr_t)w->parts[w->comm->rank].base;
  else if (key == MPI_WIN_SIZE)
    found = &w->bytes;
  else if (key == MPI_WIN_DISP_UNIT)
    found = &w->unit;
  else if (key == MPI_WIN_CREATE_FLAVOR)
    found = &w->flavour;
  else if (key == MPI_WIN_MODEL)
    found = &w->model;
  else
    return PMPI_Win_get_attr(handle, key, value, flag);
  *(void**)value = found;
  *flag = 1;
  return MPI_SUCCESS;
}

/* What the program calls: calls/online.py generates the functions of MPI, and their interfaces of
 * Fortran but for those here. */
#include <dlfcn.h>
#include <stdlib.h>

#include "calls.h"
#include "online.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* MPI_Attr_get */
/* Simulation needs neither assertions nor hints. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "functions.inc"

static const void* address_of(const char* name) {
  return dlsym(RTLD_DEFAULT, name);
}

/* Fortran's constants are variables, known by their addresses. */
static int is_constant(const void* given, const char* const* names) {
  for (; *names != NULL; ++names) {
    const void* at = address_of(*names);
    if (at != NULL && at == given) return 1;
  }
  return 0;
}

static int is_ignored(const MPI_Fint* status) {
  static const char* const ignored[] = {
      "mpi_fortran_status_ignore_", "mpi_fortran_statuses_ignore_",
      "MPIR_F08_MPI_STATUS_IGNORE_OBJ", "MPIR_F08_MPI_STATUSES_IGNORE_OBJ", NULL};
  return status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE ||
         is_constant(status, ignored);
}

/* A negative count is MPI's error to report. */
static uint64_t bytes_of(int n, size_t each) {
  return n > 0 ? (uint64_t)n * each : each;
}

static MPI_Status* statuses_for(const MPI_Fint* given, int n) {
  return is_ignored(given) ? MPI_STATUSES_IGNORE
                           : room("a Fortran interface", bytes_of(n, sizeof(MPI_Status)));
}

static void store_statuses(MPI_Status* statuses, MPI_Fint* to, int n) {
  if (statuses == MPI_STATUSES_IGNORE) return;
  const int words = (int)(sizeof(MPI_Status) / sizeof(MPI_Fint));
  for (int i = 0; i < n; ++i) PMPI_Status_c2f(&statuses[i], to + i * words);
  free(statuses);
}

/* Requests have the same number in Fortran. */
static MPI_Request request_of(MPI_Fint number) {
  if (number == PMPI_Request_c2f(MPI_REQUEST_NULL)) return MPI_REQUEST_NULL;
  const MPI_Request ours = handle_of((uint32_t)(number - number_of_request(handle_of(0))));
  return is_ours(ours) ? ours : PMPI_Request_f2c(number);
}

static MPI_Request* requests_of(const MPI_Fint* numbers, int n) {
  MPI_Request* requests = room("a Fortran interface", bytes_of(n, sizeof *requests));
  for (int i = 0; i < n; ++i) requests[i] = request_of(numbers[i]);
  return requests;
}

static void store_requests(MPI_Request* requests, MPI_Fint* to, int n) {
  for (int i = 0; i < n; ++i) to[i] = number_of_request(requests[i]);
  free(requests);
}

#if SLK_OPENMPI /* MPICH reaches the C functions wherever there are buffers */
static void* buffer_of(void* given) {
  static const char* const in_place[] = {"mpi_fortran_in_place_", "mpi_fortran_in_place", NULL};
  static const char* const bottom[] = {"mpi_fortran_bottom_", "mpi_fortran_bottom", NULL};
  if (is_constant(given, in_place)) return MPI_IN_PLACE;
  return is_constant(given, bottom) ? MPI_BOTTOM : given;
}

static MPI_Datatype* types_of(const MPI_Fint* types, int n) {
  MPI_Datatype* of = room("a Fortran interface", bytes_of(n, sizeof *of));
  for (int i = 0; i < n; ++i) of[i] = PMPI_Type_f2c(types[i]);
  return of;
}

static int comm_members(MPI_Comm comm) {
  int n = 0;
  MPI_Comm_size(comm, &n);
  return n;
}
#endif

#include "fortran.inc"

static void begin(int required, MPI_Fint* provided, MPI_Fint* error_f) {
  int level = required;
  const int error =
      provided != NULL ? MPI_Init_thread(NULL, NULL, required, &level) : MPI_Init(NULL, NULL);
  if (provided != NULL) *provided = level;
  if (error_f != NULL) *error_f = error;
}

#define BOTH_INITS(init, init_thread)                                                \
  EXPORT void init(MPI_Fint* error);                                                 \
  EXPORT void init(MPI_Fint* error) {                                                \
    begin(0, NULL, error);                                                           \
  }                                                                                  \
  EXPORT void init_thread(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error);  \
  EXPORT void init_thread(MPI_Fint* required, MPI_Fint* provided, MPI_Fint* error) { \
    begin(*required, provided, error);                                               \
  }
#define TIME(name)           \
  EXPORT double name(void);  \
  EXPORT double name(void) { \
    return MPI_Wtime();      \
  }

#if SLK_OPENMPI
BOTH_INITS(mpi_init_, mpi_init_thread_)
BOTH_INITS(ompi_init_f, ompi_init_thread_f)
TIME(mpi_wtime_)
TIME(ompi_wtime_f)
#else
BOTH_INITS(mpi_init_f08_, mpi_init_thread_f08_)
TIME(mpi_wtime_f08_)
#endif

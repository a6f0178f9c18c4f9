/* Makes MPI libraries use messages, which are the only thing that can be delayed, by environment
 * variables that MPI_Init reads. Open MPI's component pt2pt does one-sided communication with them,
 * but refuses windows of MPI_THREAD_MULTIPLE, and has left Open MPI with version 5. MPICH over
 * libfabric, and what is derived from it, is kept from shared memory and from remote access. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "next.h"

enum { kThreadMultiple = 3 }; /* of both Open MPI and MPICH */

/* The MPI library's version text. */
static const char* own_version(void) {
  static char text[8192]; /* MPI_MAX_LIBRARY_VERSION_STRING of MPICH */
  int length = 0;
  typedef int (*version_function)(char*, int*);
  ((version_function)(uintptr_t)next_in(kMpi, "MPI_Get_library_version"))(text, &length);
  return text;
}

static void use_fabric(void) {
  setenv("MPIR_CVAR_CH4_OFI_ENABLE_RMA", "0", 1);
  setenv("MPIR_CVAR_CH4_OFI_ENABLE_ATOMICS", "0", 1);
  if (!inject_settings()->has_intra) return;
  setenv("MPIR_CVAR_NOLOCAL", "1", 1);
  setenv("I_MPI_FABRICS", "ofi", 1);
}

static void use_messages(int threads) {
  if (!inject_settings()->on) return;
  const char* text = own_version();
  const char* open_mpi = strstr(text, "Open MPI v");
  if (open_mpi == NULL) {
    if (strstr(text, "ch4:ofi") || strstr(text, "Intel") || strstr(text, "CRAY")) use_fabric();
  } else if (atoi(open_mpi + strlen("Open MPI v")) < 5 && threads < kThreadMultiple) {
    setenv("OMPI_MCA_osc", "^ucx,sm,rdma", 1);
  } else {
    inject_counts.not_one_sided = 1;
  }
}

/* What programs call, and what wrappers of programs call. */
#define DEFINE_INIT(NAME)                                                    \
  __attribute__((visibility("default"))) int NAME(int* argc, char*** argv) { \
    typedef int (*init_function)(int*, char***);                             \
    use_messages(0);                                                         \
    return ((init_function)(uintptr_t)next_in(kMpi, #NAME))(argc, argv);     \
  }
#define DEFINE_INIT_THREAD(NAME)                                                             \
  __attribute__((visibility("default"))) int NAME(int* argc, char*** argv, int required,     \
                                                  int* provided) {                           \
    typedef int (*init_function)(int*, char***, int, int*);                                  \
    use_messages(required);                                                                  \
    return ((init_function)(uintptr_t)next_in(kMpi, #NAME))(argc, argv, required, provided); \
  }
int MPI_Init(int* argc, char*** argv);
int PMPI_Init(int* argc, char*** argv);
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided);
DEFINE_INIT(MPI_Init)
DEFINE_INIT(PMPI_Init)
DEFINE_INIT_THREAD(MPI_Init_thread)
DEFINE_INIT_THREAD(PMPI_Init_thread)

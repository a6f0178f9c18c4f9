/* Makes Open MPI's one-sided communication use messages, which are the only thing that can be
 * delayed: its component pt2pt does, but refuses windows of MPI_THREAD_MULTIPLE, and has left Open
 * MPI with version 5. The choice is an environment variable that MPI_Init reads. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

enum { kThreadMultiple = 3 }; /* of both Open MPI and MPICH */

/* Programs that open their MPI privately are not searched by RTLD_NEXT. */
static void* next_in_mpi(const char* name) {
  static const char* const libraries[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12",
                                          "libmpi_abi.so.1", "libmpi_abi.so.0"};
  void* found = dlsym(RTLD_NEXT, name);
  for (size_t i = 0; found == NULL && i < sizeof libraries / sizeof *libraries; ++i) {
    void* library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) continue;
    found = dlsym(library, name);
    dlclose(library);
  }
  if (found != NULL) return found;
  fprintf(stderr, "slackline: the job's MPI has no %s\n", name);
  abort();
}

/* The major version of Open MPI; 0: another MPI. */
static int open_mpi_version(void) {
  char text[8192] = ""; /* MPI_MAX_LIBRARY_VERSION_STRING of MPICH */
  int length = 0;
  typedef int (*version_function)(char*, int*);
  ((version_function)(uintptr_t)next_in_mpi("MPI_Get_library_version"))(text, &length);
  const char* version = strstr(text, "Open MPI v");
  return version == NULL ? 0 : atoi(version + strlen("Open MPI v"));
}

static void use_messages(int threads) {
  if (!inject_settings()->on) return;
  const int version = open_mpi_version();
  if (version == 0) return;
  if (version < 5 && threads < kThreadMultiple) {
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
    return ((init_function)(uintptr_t)next_in_mpi(#NAME))(argc, argv);       \
  }
#define DEFINE_INIT_THREAD(NAME)                                                           \
  __attribute__((visibility("default"))) int NAME(int* argc, char*** argv, int required,   \
                                                  int* provided) {                         \
    typedef int (*init_function)(int*, char***, int, int*);                                \
    use_messages(required);                                                                \
    return ((init_function)(uintptr_t)next_in_mpi(#NAME))(argc, argv, required, provided); \
  }
int MPI_Init(int* argc, char*** argv);
int PMPI_Init(int* argc, char*** argv);
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);
int PMPI_Init_thread(int* argc, char*** argv, int required, int* provided);
DEFINE_INIT(MPI_Init)
DEFINE_INIT(PMPI_Init)
DEFINE_INIT_THREAD(MPI_Init_thread)
DEFINE_INIT_THREAD(PMPI_Init_thread)

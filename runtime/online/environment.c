/* Beginning and end: the process is a singleton of its own MPI, and a rank of the simulated world.
 */
#include <string.h>

#include "online.h"
#include "shared_process.h"

static int level = MPI_THREAD_SINGLE;
static int finalized;

static int begin(enum slk_operation operation, int status, const void* frame) {
  attach();
  if (!simulated()) return status;
  enter_call("MPI_Init", frame);
  new_call(operation, NULL);
  ask();
  leave_call();
  return status;
}

EXPORT int MPI_Init(int* argc, char*** argv) {
  begin_mpi();
  const int status = is_first_to_begin() ? PMPI_Init(argc, argv) : MPI_SUCCESS;
  end_mpi();
  return begin(SLK_OP_init, status, __builtin_frame_address(0));
}

EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  begin_mpi();
  const int status = is_first_to_begin() ? PMPI_Init_thread(argc, argv, required, provided)
                                         : PMPI_Query_thread(provided);
  end_mpi();
  const int attached = begin(SLK_OP_init_thread, status, __builtin_frame_address(0));
  /* One thread of a process talks to the simulator. */
  if (simulated() && *provided > MPI_THREAD_SERIALIZED) *provided = MPI_THREAD_SERIALIZED;
  level = *provided;
  return attached;
}

#if MPI_VERSION >= 4
/* A program of sessions begins with this. */
EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler errors, MPI_Session* session) {
  attach();
  if (simulated()) refuse("MPI_Session_init", "it is not simulated");
  return PMPI_Session_init(info, errors, session);
}
#endif

void simulate_query_thread(int* provided) {
  *provided = level;
}

EXPORT int MPI_Finalize(void) {
  if (simulated()) {
    enter_call("MPI_Finalize", __builtin_frame_address(0));
    tell_threads();
    new_call(SLK_OP_finalize, NULL);
    ask();
    leave_call();
    detach();
  }
  finalized = 1;
  begin_mpi();
  const int status = is_last_to_end() ? PMPI_Finalize() : MPI_SUCCESS;
  end_mpi();
  return status;
}

/* Of the rank: another one of its process may have begun before it. */
EXPORT int MPI_Initialized(int* flag) {
  if (!shares_process()) return PMPI_Initialized(flag);
  *flag = simulated() || finalized;
  return MPI_SUCCESS;
}

EXPORT int MPI_Finalized(int* flag) {
  if (!shares_process()) return PMPI_Finalized(flag);
  *flag = finalized;
  return MPI_SUCCESS;
}

void simulate_abort(int code) {
  struct slk_online_call* call = new_call(SLK_OP_abort, NULL);
  call->kind = SLK_ONLINE_ABORT;
  call->peer = code;
  ask();
  PMPI_Abort(MPI_COMM_SELF, code);
}

void simulate_get_processor_name(char* name, int* length) {
  strncpy(name, host_name(), MPI_MAX_PROCESSOR_NAME - 1);
  name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
  *length = (int)strlen(name);
}

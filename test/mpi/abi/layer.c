/* A library with the standard ABI of MPI 5 that hands every call over to MPICH's (REAL_LIBRARY),
 * as layers between ABIs do: it opens that privately. Predefined handles are converted by tables;
 * MPICH's integers of others are no values of predefined ones in the ABI, which are below 0x400. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* real_function(const char* name) {
  static void* library;
  if (library == NULL) library = dlopen(REAL_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  void* found = library == NULL ? NULL : dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "layer: no %s\n", name);
    abort();
  }
  return found;
}

#define FUNCTION(NAME, PARAMETERS)                      \
  int abi_##NAME PARAMETERS __asm__("PMPI_" #NAME);     \
  int abi_plain_##NAME PARAMETERS __asm__("MPI_" #NAME) \
      __attribute__((weak, alias("PMPI_" #NAME)));      \
  int abi_##NAME PARAMETERS
#define REAL(NAME)                     \
  static __typeof__(&MPI_##NAME) real; \
  if (real == NULL) real = (__typeof__(&MPI_##NAME))(uintptr_t)real_function("PMPI_" #NAME)

#define CONVERSIONS(KIND, ...)                                                             \
  static const struct {                                                                    \
    uintptr_t abi;                                                                         \
    MPI_##KIND real;                                                                       \
  } predefined_##KIND[] = {__VA_ARGS__};                                                   \
  static MPI_##KIND in_##KIND(void* handle) {                                              \
    for (size_t i = 0; i < sizeof predefined_##KIND / sizeof *predefined_##KIND; ++i)      \
      if ((uintptr_t)handle == predefined_##KIND[i].abi) return predefined_##KIND[i].real; \
    MPI_##KIND own;                                                                        \
    memcpy(&own, &handle, sizeof own);                                                     \
    return own;                                                                            \
  }                                                                                        \
  __attribute__((unused)) static void* out_##KIND(MPI_##KIND own) {                        \
    for (size_t i = 0; i < sizeof predefined_##KIND / sizeof *predefined_##KIND; ++i)      \
      if (own == predefined_##KIND[i].real) return (void*)predefined_##KIND[i].abi;        \
    void* handle = NULL;                                                                   \
    memcpy(&handle, &own, sizeof own);                                                     \
    return handle;                                                                         \
  }

CONVERSIONS(Op, {0x20, MPI_OP_NULL}, {0x21, MPI_SUM}, {0x22, MPI_MIN}, {0x23, MPI_MAX},
            {0x29, MPI_BOR})
CONVERSIONS(Comm, {0x100, MPI_COMM_NULL}, {0x101, MPI_COMM_WORLD}, {0x102, MPI_COMM_SELF})
CONVERSIONS(Group, {0x108, MPI_GROUP_NULL}, {0x109, MPI_GROUP_EMPTY})
CONVERSIONS(Win, {0x110, MPI_WIN_NULL})
CONVERSIONS(File, {0x118, MPI_FILE_NULL})
CONVERSIONS(Message, {0x128, MPI_MESSAGE_NULL}, {0x129, MPI_MESSAGE_NO_PROC})
CONVERSIONS(Info, {0x130, MPI_INFO_NULL})
CONVERSIONS(Errhandler, {0x140, MPI_ERRHANDLER_NULL}, {0x141, MPI_ERRORS_ARE_FATAL},
            {0x143, MPI_ERRORS_RETURN})
CONVERSIONS(Request, {0x180, MPI_REQUEST_NULL})
CONVERSIONS(Datatype, {0x200, MPI_DATATYPE_NULL}, {0x209, MPI_INT}, {0x20a, MPI_LONG},
            {0x214, MPI_DOUBLE}, {0x243, MPI_CHAR}, {0x247, MPI_BYTE}, {0x258, MPI_INT64_T},
            {0x259, MPI_UINT64_T})
#if MPI_VERSION >= 4
CONVERSIONS(Session, {0x120, MPI_SESSION_NULL})
#endif

struct abi_status {
  int source, tag, error, internal[5];
};

static int rank(int r) {
  return r == -1 ? MPI_ANY_SOURCE : r == -3 ? MPI_PROC_NULL : r == -4 ? MPI_ROOT : r;
}
static int out_rank(int r) {
  return r == MPI_ANY_SOURCE ? -1 : r == MPI_PROC_NULL ? -3 : r;
}
static int tag(int t) {
  return t == -2 ? MPI_ANY_TAG : t;
}
static int split(int kind) {
  return kind == 221 ? MPI_COMM_TYPE_SHARED : kind;
}
static int lock(int kind) {
  return kind == 302 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
}
static int level(int wanted) {
  return wanted == 4096 ? MPI_THREAD_MULTIPLE : wanted / 1024;
}
static int out_level(int provided) {
  return provided == MPI_THREAD_MULTIPLE ? 4096 : 1024 * provided;
}
static int out_topology(int t) {
  return t == MPI_CART ? 211 : t == MPI_GRAPH ? 212 : t == MPI_DIST_GRAPH ? 213 : t;
}
static int file_mode(int m) {
  return (m & 2 ? MPI_MODE_CREATE : 0) | (m & 4 ? MPI_MODE_DELETE_ON_CLOSE : 0) |
         (m & 16 ? MPI_MODE_RDONLY : 0) | (m & 32 ? MPI_MODE_RDWR : 0) |
         (m & 256 ? MPI_MODE_WRONLY : 0);
}
/* Assertions are hints. */
static int hint(int assertion) {
  return assertion & 0;
}
static void* in_buffer(const void* buffer) {
  return (uintptr_t)buffer == 1 ? MPI_IN_PLACE : (void*)(uintptr_t)buffer;
}
static const int* in_weights(const int* weights) {
  if ((uintptr_t)weights == 10) return *(int**)real_function("MPI_UNWEIGHTED");
  return (uintptr_t)weights == 11 ? *(int**)real_function("MPI_WEIGHTS_EMPTY") : weights;
}

/* Arrays are kept: tests are short. */
static MPI_Request* in_requests(int n, void* abi) {
  MPI_Request* own = calloc((size_t)n + 1, sizeof *own);
  for (int i = 0; i < n; ++i) own[i] = in_Request(((void**)abi)[i]);
  return own;
}
static void out_requests(int n, const MPI_Request* own, void* abi) {
  for (int i = 0; i < n; ++i) ((void**)abi)[i] = out_Request(own[i]);
}
static void out_statuses(int n, const MPI_Status* own, void* abi) {
  struct abi_status* to = abi;
  for (int i = 0; to != NULL && i < n; ++i) {
    to[i] = (struct abi_status){out_rank(own[i].MPI_SOURCE),
                                own[i].MPI_TAG == MPI_ANY_TAG ? -2 : own[i].MPI_TAG,
                                own[i].MPI_ERROR,
                                {0}};
    memcpy(to[i].internal, &own[i], sizeof to[i].internal);
  }
}
static MPI_Status in_status(const void* abi) {
  MPI_Status own;
  _Static_assert(sizeof own <= sizeof((struct abi_status*)0)->internal, "MPICH's status fits");
  memcpy(&own, ((const struct abi_status*)abi)->internal, sizeof own);
  return own;
}

static int peers(MPI_Comm c) {
  int n = 0, inter = 0;
  REAL(Comm_test_inter);
  real(c, &inter);
  if (inter) {
    REAL(Comm_remote_size);
    real(c, &n);
  } else {
    REAL(Comm_size);
    real(c, &n);
  }
  return n;
}
/* Neighbours in a distributed graph, which is the only topology that tests have with several types.
 */
static int neighbours(MPI_Comm c) {
  int in = 0, out = 0, weighted = 0;
  REAL(Dist_graph_neighbors_count);
  real(c, &in, &out, &weighted);
  return in < out ? in : out;
}
static MPI_Datatype* in_types(int n, const void* abi) {
  if (abi == NULL) return NULL;
  MPI_Datatype* own = calloc((size_t)n + 1, sizeof *own);
  for (int i = 0; i < n; ++i) own[i] = in_Datatype(((void* const*)abi)[i]);
  return own;
}

#include "abi_functions.inc"

FUNCTION(Abi_get_version, (int* major, int* minor)) {
  *major = 1;
  *minor = 0;
  return MPI_SUCCESS;
}
FUNCTION(Pcontrol, (const int what, ...)) {
  REAL(Pcontrol);
  return real(what);
}
FUNCTION(Error_class, (int code, int* class)) {
  static const int classes[] = {0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  REAL(Error_class);
  const int rc = real(code, class);
  if (*class >= 0 && *class < 16) *class = classes[*class];
  return rc;
}
FUNCTION(Get_library_version, (char* version, int* length)) {
  REAL(Get_library_version);
  return real(version, length);
}
FUNCTION(Comm_get_parent, (void* parent)) {
  MPI_Comm own;
  REAL(Comm_get_parent);
  const int rc = real(&own);
  *(void**)parent = out_Comm(own);
  return rc;
}
FUNCTION(Get_count_c, (const void* abi, void* type, int64_t* n)) {
  int size = 1;
  const MPI_Status own = in_status(abi);
  REAL(Type_size);
  real(in_Datatype(type), &size);
  MPI_Count bytes = 0;
  {
    REAL(Get_elements_x);
    real(&own, MPI_BYTE, &bytes);
  }
  *n = bytes / size;
  return MPI_SUCCESS;
}
FUNCTION(Test_cancelled, (const void* abi, int* cancelled)) {
  const MPI_Status own = in_status(abi);
  REAL(Test_cancelled);
  return real(&own, cancelled);
}
FUNCTION(Op_commutative, (void* op, int* commutes)) {
  REAL(Op_commutative);
  return real(in_Op(op), commutes);
}
FUNCTION(Type_size, (void* type, int* size)) {
  REAL(Type_size);
  return real(in_Datatype(type), size);
}
FUNCTION(Type_size_x, (void* type, MPI_Count* size)) {
  REAL(Type_size_x);
  return real(in_Datatype(type), size);
}
FUNCTION(Type_commit, (void* type)) {
  MPI_Datatype own = in_Datatype(*(void**)type);
  REAL(Type_commit);
  return real(&own);
}
FUNCTION(Type_free, (void* type)) {
  MPI_Datatype own = in_Datatype(*(void**)type);
  REAL(Type_free);
  const int rc = real(&own);
  *(void**)type = out_Datatype(own);
  return rc;
}
FUNCTION(Type_contiguous, (int n, void* of, void* type)) {
  MPI_Datatype own;
  REAL(Type_contiguous);
  const int rc = real(n, in_Datatype(of), &own);
  *(void**)type = out_Datatype(own);
  return rc;
}
FUNCTION(Buffer_attach, (void* buffer, int size)) {
  REAL(Buffer_attach);
  return real(buffer, size);
}
FUNCTION(Buffer_detach, (void* buffer, int* size)) {
  REAL(Buffer_detach);
  return real(buffer, size);
}
FUNCTION(Comm_set_errhandler, (void* c, void* handler)) {
  REAL(Comm_set_errhandler);
  return real(in_Comm(c), in_Errhandler(handler));
}
/* Functions of tests do not look at the communicators that they are given. */
FUNCTION(Comm_create_errhandler, (MPI_Comm_errhandler_function * function, void* handler)) {
  MPI_Errhandler own;
  REAL(Comm_create_errhandler);
  const int rc = real(function, &own);
  *(void**)handler = out_Errhandler(own);
  return rc;
}
/* Tests have one. */
static int (*copy_function)(void*, int, void*, void*, void*, int*);
static int copy_attribute(MPI_Comm c, int key, void* extra, void* in, void* out, int* flag) {
  return copy_function(out_Comm(c), key, extra, in, out, flag);
}
FUNCTION(Comm_create_keyval, (void* copy, void* remove, int* key, void* extra)) {
  (void)remove;
  memcpy(&copy_function, &copy, sizeof copy);
  REAL(Comm_create_keyval);
  return real(copy_attribute, MPI_COMM_NULL_DELETE_FN, key, extra);
}
FUNCTION(Comm_set_attr, (void* c, int key, void* value)) {
  REAL(Comm_set_attr);
  return real(in_Comm(c), key, value);
}
FUNCTION(Open_port, (void* info, char* port)) {
  REAL(Open_port);
  return real(in_Info(info), port);
}
FUNCTION(Close_port, (const char* port)) {
  REAL(Close_port);
  return real(port);
}
FUNCTION(Initialized, (int* flag)) {
  REAL(Initialized);
  return real(flag);
}
FUNCTION(Finalized, (int* flag)) {
  REAL(Finalized);
  return real(flag);
}
#if MPI_VERSION >= 4
FUNCTION(Group_from_session_pset, (void* session, const char* name, void* group)) {
  MPI_Group own;
  REAL(Group_from_session_pset);
  const int rc = real(in_Session(session), name, &own);
  *(void**)group = out_Group(own);
  return rc;
}
#endif
double abi_Wtime(void) __asm__("MPI_Wtime");
double abi_Wtime(void) {
  REAL(Wtime);
  return real();
}

/* What the recorder needs of the standard ABI of MPI 5 (MPI 5.0, chapter 20 and annex A): it is
 * built without an MPI library, for every library that has this ABI. Functions are weak, so that
 * one which a library lacks is null, and does not keep the recorder from being loaded. */
#ifndef SLACKLINE_RUNTIME_ABI_MPI_H
#define SLACKLINE_RUNTIME_ABI_MPI_H

#include <stdint.h>

#define MPI_VERSION 5

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;

/* Handles are pointers; predefined ones have values that no object's address has. */
typedef struct MPI_ABI_Comm* MPI_Comm;
typedef struct MPI_ABI_Datatype* MPI_Datatype;
typedef struct MPI_ABI_Errhandler* MPI_Errhandler;
typedef struct MPI_ABI_File* MPI_File;
typedef struct MPI_ABI_Group* MPI_Group;
typedef struct MPI_ABI_Info* MPI_Info;
typedef struct MPI_ABI_Message* MPI_Message;
typedef struct MPI_ABI_Op* MPI_Op;
typedef struct MPI_ABI_Request* MPI_Request;
typedef struct MPI_ABI_Session* MPI_Session;
typedef struct MPI_ABI_Win* MPI_Win;

typedef int MPI_Grequest_query_function(void* state, MPI_Status* status);
typedef int MPI_Grequest_free_function(void* state);
typedef int MPI_Grequest_cancel_function(void* state, int complete);

#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MIN ((MPI_Op)0x22)
#define MPI_BOR ((MPI_Op)0x29)
#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_GROUP_NULL ((MPI_Group)0x108)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)
#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_INT64_T ((MPI_Datatype)0x258)
#define MPI_UINT64_T ((MPI_Datatype)0x259)

#define MPI_IN_PLACE ((void*)1)
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)
#define MPI_MAX_LIBRARY_VERSION_STRING 8192

enum {
  MPI_ANY_SOURCE = -1,
  MPI_ANY_TAG = -2,
  MPI_PROC_NULL = -3,
  MPI_ROOT = -4,
  MPI_UNDEFINED = -32766
};
enum {
  MPI_THREAD_SINGLE = 0,
  MPI_THREAD_FUNNELED = 1024,
  MPI_THREAD_SERIALIZED = 2048,
  MPI_THREAD_MULTIPLE = 4096
};
enum { MPI_CART = 211, MPI_GRAPH = 212, MPI_DIST_GRAPH = 213 };
enum { MPI_COMM_TYPE_SHARED = 221 };
enum { MPI_LOCK_SHARED = 302 };
/* Classes of errors. */
enum {
  MPI_SUCCESS = 0,
  MPI_ERR_BUFFER,
  MPI_ERR_COUNT,
  MPI_ERR_TYPE,
  MPI_ERR_TAG,
  MPI_ERR_COMM,
  MPI_ERR_RANK,
  MPI_ERR_REQUEST,
  MPI_ERR_ROOT,
  MPI_ERR_GROUP,
  MPI_ERR_OP,
  MPI_ERR_TOPOLOGY,
  MPI_ERR_DIMS,
  MPI_ERR_ARG,
  MPI_ERR_OTHER = 16
};

#ifdef __cplusplus
extern "C" {
#endif

#define SLK_WEAK __attribute__((weak))

#include "prototypes.inc"

SLK_WEAK int PMPI_Comm_get_parent(MPI_Comm* parent);
SLK_WEAK int PMPI_Error_class(int code, int* error_class);
SLK_WEAK int PMPI_Get_count_c(const MPI_Status* s, MPI_Datatype type, MPI_Count* n);
SLK_WEAK int PMPI_Get_library_version(char* version, int* length);
SLK_WEAK int PMPI_Group_from_session_pset(MPI_Session session, const char* name, MPI_Group* group);
SLK_WEAK int PMPI_Op_commutative(MPI_Op op, int* commutes);
SLK_WEAK int PMPI_Test_cancelled(const MPI_Status* s, int* cancelled);
SLK_WEAK int PMPI_Type_size(MPI_Datatype type, int* size);
SLK_WEAK int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size);
/* Used by inline functions of slackline.h. */
int MPI_Initialized(int* flag);
int MPI_Finalized(int* flag);
int MPI_Pcontrol(const int level, ...);

/* The ABI is that of C. Handles of Fortran are default integers, which have functions of their own.
 */
typedef int MPI_Fint;
#define SLK_F2C(KIND, NAME)                        \
  SLK_WEAK KIND NAME##_fromint(int);               \
  static inline KIND NAME##_f2c(MPI_Fint handle) { \
    return NAME##_fromint(handle);                 \
  }
SLK_F2C(MPI_Comm, PMPI_Comm)
SLK_F2C(MPI_Datatype, PMPI_Type)
SLK_F2C(MPI_File, PMPI_File)
SLK_F2C(MPI_Message, PMPI_Message)
SLK_F2C(MPI_Request, PMPI_Request)
SLK_F2C(MPI_Session, PMPI_Session)
SLK_F2C(MPI_Win, PMPI_Win)

#ifdef __cplusplus
}
#endif

#endif

/* The header of a small MPI with the standard ABI of MPI 5 (layer.c): what the recorder's own
 * header has, and what programs of tests need beside it. */
#ifndef SLACKLINE_TEST_MPI_ABI_MPI_H
#define SLACKLINE_TEST_MPI_ABI_MPI_H

#include "../../../runtime/abi/mpi.h"

#define MPI_MAX ((MPI_Op)0x23)
#define MPI_LONG ((MPI_Datatype)0x20a)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x143)
#define MPI_MAX_PORT_NAME 1024
enum { MPI_MODE_CREATE = 2, MPI_MODE_RDWR = 32 };

typedef void MPI_Comm_errhandler_function(MPI_Comm*, int*, ...);
typedef int MPI_Comm_copy_attr_function(MPI_Comm, int, void*, void*, void*, int*);
typedef int MPI_Comm_delete_attr_function(MPI_Comm, int, void*, void*);
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function*)0)

#include "abi_prototypes.inc"

int MPI_Abi_get_version(int* major, int* minor);
int MPI_Buffer_attach(void* buffer, int size);
int MPI_Buffer_detach(void* buffer, int* size);
int MPI_Close_port(const char* port);
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* handler);
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
                           int* key, void* extra);
int MPI_Comm_set_attr(MPI_Comm c, int key, void* value);
int MPI_Comm_set_errhandler(MPI_Comm c, MPI_Errhandler handler);
int MPI_Group_from_session_pset(MPI_Session session, const char* name, MPI_Group* group);
int MPI_Open_port(MPI_Info info, char* port);
int MPI_Test_cancelled(const MPI_Status* s, int* cancelled);
int MPI_Type_commit(MPI_Datatype* type);
int MPI_Type_contiguous(int n, MPI_Datatype of, MPI_Datatype* type);
int MPI_Type_free(MPI_Datatype* type);
double MPI_Wtime(void);

#endif

/* The functions of MPI, which are generated: MPI_FUNCTION(Send, (parameters)) { what a rank does }.
 *
 * What the program calls, MPI_Send, is a jump that leaves all arguments where they are: to
 * PMPI_Send in a process that is no rank, to what is written here from attach() until detach(). So
 * no function can be entered without a simulator, and a process that is no rank (a forked child, a
 * program that the rank starts, a rank before MPI_Init and after MPI_Finalize) has its MPI as it
 * is. */
#ifndef SLACKLINE_RUNTIME_ONLINE_CALLS_H
#define SLACKLINE_RUNTIME_ONLINE_CALLS_H

#include "record/entry_points.h"

/* In the section slk_calls, one for each function. */
typedef struct {
  void* current; /* where the jump goes */
  void* real;    /* null in a library that lacks it, whose programs do not call it */
  void* simulated;
} InterposedCall;

#define ENTRY_OF(Name)                                                                      \
  __asm__(".weak PMPI_" #Name "\n" SLK_EXPORTED("MPI_" #Name) SLK_LANDING SLK_JUMP_THROUGH( \
      ".Lcall_" #Name) ".size MPI_" #Name ",.-MPI_" #Name                                   \
                       "\n.section slk_calls,\"aw\",@progbits\n.p2align 3\n.Lcall_" #Name   \
                       ":\n  .quad PMPI_" #Name ", PMPI_" #Name ", simulated_" #Name "\n.text\n");

#define MPI_FUNCTION_OF(type, Name, parameters)    \
  extern __typeof__(PMPI_##Name) simulated_##Name; \
  ENTRY_OF(Name)                                   \
  type simulated_##Name parameters

#define MPI_FUNCTION(Name, parameters) MPI_FUNCTION_OF(int, Name, parameters)

/* One of MPI 4, which the header may lack. */
#if MPI_VERSION >= 4
#define MPI_4_FUNCTION MPI_FUNCTION
#else
#define MPI_4_FUNCTION(Name, parameters) \
  int simulated_##Name parameters;       \
  ENTRY_OF(Name)                         \
  int simulated_##Name parameters
#endif

/* What cannot be simulated ends the simulation with its name. */
#define REFUSED(Name)                            \
  void simulated_##Name(void);                   \
  ENTRY_OF(Name)                                 \
  void simulated_##Name(void) {                  \
    refuse("MPI_" #Name, "it is not simulated"); \
  }

#endif

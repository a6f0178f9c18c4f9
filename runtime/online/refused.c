/* What cannot be simulated yet ends the simulation with its name. These have no prototypes here, as
 * their arguments do not matter. */
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

_Noreturn void refuse(const char* name, const char* why);

/* Before MPI_Init, and outside of a simulation, none of these is called by a correct program. */
#define REFUSED(name)                     \
  EXPORT int name(void) {                 \
    refuse(#name, "it is not simulated"); \
  }

REFUSED(MPI_Comm_spawn)
REFUSED(MPI_Comm_spawn_multiple)
REFUSED(MPI_Comm_accept)
REFUSED(MPI_Comm_connect)
REFUSED(MPI_Comm_join)
REFUSED(MPI_Session_init)
REFUSED(MPI_Psend_init)
REFUSED(MPI_Precv_init)

/* Where the program calls MPI. C and C++. */
#ifndef SLACKLINE_RUNTIME_ONLINE_CALL_PATH_H
#define SLACKLINE_RUNTIME_ONLINE_CALL_PATH_H

#include <stdint.h>

#include "trace/online_wire.h"

#ifdef __cplusplus
extern "C" {
#endif
/* The number of the path of the call whose function has the frame `frame` (the saved frame pointer,
 * then the address of the call), in the calling thread; what is new about it goes to `rank`. 0: not
 * known. By one thread at a time, as calls are. */
uint32_t slackline_call_path(const void* frame, struct slk_online_rank* rank);
#ifdef __cplusplus
}
#endif

#endif

/* Functions of the program that are sampled without a mark. */
#ifndef SLACKLINE_RUNTIME_ONLINE_FUNCTIONS_H
#define SLACKLINE_RUNTIME_ONLINE_FUNCTIONS_H

#include "trace/online_wire.h"

/* From here on those that `file` names are watched, and skipped when their time is known. Once, in
 * the thread that calls MPI. Cost: two
 * signals an execution; where it is skipped, saving and restoring all registers, some 1 us. */
enum slk_online_watched watch_functions(const struct slk_online_file* file);

#endif

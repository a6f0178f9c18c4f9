/* Several ranks in one process (doc/online-simulation.md). By a process of one rank nothing here
 * does anything. */
#ifndef SLACKLINE_RUNTIME_ONLINE_SHARED_PROCESS_H
#define SLACKLINE_RUNTIME_ONLINE_SHARED_PROCESS_H

#include "trace/online_wire.h"

/* Whether other ranks are in it, or will be. */
int shares_process(void);
/* The place among them of the rank whose memory is there; 0 where it is alone. */
int place_in_process(void);
/* Whether that is a variable of which each rank of the process has its own. */
int is_own_variable(const void* at);
/* Ends the process with that reason. */
_Noreturn void refuse_to_share(const char* why);
/* This rank waits from here on, and others may compute: nothing of the program's memory and this
 * library's may be used until resume_rank() with its place. */
void yield_process(void);
void resume_rank(int place);
/* The simulator's memory as the first rank has mapped it; null: none has. */
struct slk_online_file* file_of_process(void);
void keep_file_of_process(struct slk_online_file* file);
/* MPI itself begins with the first and ends with the last of them. */
int is_first_to_begin(void);
int is_last_to_end(void);

#endif

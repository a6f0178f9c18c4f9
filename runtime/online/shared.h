/* The memory shared with the simulator, for heap.c and what tells of blocks. */
#ifndef SLACKLINE_RUNTIME_ONLINE_SHARED_H
#define SLACKLINE_RUNTIME_ONLINE_SHARED_H

#include <stdlib.h>

#include "online.h"

char* shared_at(uint64_t offset);
uint64_t heap_begin(void); /* of this process's part of the heap */
uint64_t heap_end(void);
/* The block with the result of the collective that was answered last goes with the next call. */
void tell_result(uint64_t block);

#endif

/* Folded memory: large allocations of all ranks on one copy in memory, whose contents are of no
 * use. */
#ifndef SLACKLINE_RUNTIME_ONLINE_FOLD_H
#define SLACKLINE_RUNTIME_ONLINE_FOLD_H

#include <stdint.h>

/* Finds the simulator's file, by SLK_FOLD_VARIABLE; without it nothing is ever folded. */
void fold_open(void);
/* From how many bytes on to fold all allocations; UINT64_MAX: none. */
uint64_t fold_threshold(void);
/* Null where it cannot be folded: there is no file, or no address space or mapping is left.
 * `alignment`: a power of two. With `cleared` it holds zeros until the next one writes. */
void* fold_allocate(uint64_t bytes, uint64_t alignment, int cleared);
int is_folded(const void* at);
uint64_t folded_bytes(const void* at); /* that may be used */
void fold_free(void* at);

#endif

/* Folded memory: large allocations of all ranks on one copy in memory, whose contents are of no
 * use. By all threads. In a forked child it goes on, uncounted. */
#ifndef SLACKLINE_RUNTIME_ONLINE_FOLD_H
#define SLACKLINE_RUNTIME_ONLINE_FOLD_H

#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* Finds the simulator's file, by SLK_FOLD_VARIABLE; without it nothing is ever folded. */
void slackline_fold_open(void);
/* Whether an allocation of this thread is to be folded though it was not asked for. */
int slackline_folds(uint64_t bytes);
/* An allocation is the process's own: `bytes` more or less. */
void slackline_fold_add_own(int64_t bytes);
void slackline_fold_pause(int by); /* 1: not in this thread until -1 */
/* Null where it cannot be folded: there is no file, or no address space or mapping is left.
 * `alignment`: a power of two. With `cleared` it holds zeros until the next one writes. */
void* slackline_fold_allocate(uint64_t bytes, uint64_t alignment, int cleared);
int slackline_is_folded(const void* at);
uint64_t slackline_folded_bytes(const void* at); /* that may be used */
/* Whether as many may be used now, at the same place. */
int slackline_fold_resize(void* at, uint64_t bytes);
void slackline_fold_free(void* at);

#endif

#ifndef SLACKLINE_RUNTIME_RECORD_BLOCKING_H
#define SLACKLINE_RUNTIME_RECORD_BLOCKING_H

#include <stdint.h>

/* From now on `begin` is asked before each function that may block, and `end` after it, if what
 * begin returned is not 0. `frame`: the caller's saved frame pointer, then the address of the call.
 */
__attribute__((visibility("hidden"))) void slk_use_blocking(uint64_t (*begin)(void),
                                                            void (*end)(uint64_t token,
                                                                        const uint64_t* frame));

/* What stands behind this library under that name. */
__attribute__((visibility("hidden"))) void* slk_find_next(const char* name);
/* The same in one library, of dlopen(). */
__attribute__((visibility("hidden"))) void* slk_find_in(void* library, const char* name);
/* Where the object that holds `address` is loaded; null if there is none. */
__attribute__((visibility("hidden"))) const void* slk_object_of(const void* address);

#endif

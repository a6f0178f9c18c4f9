/* The parts of preloaded libraries that know OpenMP's runtimes: the recorder's, and that of on-line
 * simulation. */
#ifndef SLACKLINE_RUNTIME_RECORD_OPENMP_ENTRY_H
#define SLACKLINE_RUNTIME_RECORD_OPENMP_ENTRY_H

#include "openmp.h"

/* The recorder's, once it is loaded; null before. */
extern __attribute__((visibility("hidden"))) const slk_openmp_hooks* slk_openmp;

extern __attribute__((visibility("hidden"))) slk_openmp_state slk_openmp_seen;

/* Whether runtimes that start now are to tell of their regions. */
__attribute__((visibility("hidden"))) int slk_follows_openmp(void);

/* The runtime's function of that name. Ends the program if there is none: then it could not have
 * called it. */
__attribute__((visibility("hidden"))) void* slk_find_entry_of_openmp(const char* name);

/* Where the runtime is loaded that calls back by the tool interface: its entry points say nothing
 * more. Null: there is none. */
extern __attribute__((visibility("hidden"))) const void* slk_openmp_tool_runtime;

#endif

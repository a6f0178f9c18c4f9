/* The parts of the preloaded library that know OpenMP's runtimes. */
#ifndef SLACKLINE_RUNTIME_RECORD_OPENMP_ENTRY_H
#define SLACKLINE_RUNTIME_RECORD_OPENMP_ENTRY_H

#include "openmp.h"

/* The recorder's, once it is loaded; null before. */
extern __attribute__((visibility("hidden"))) const slk_openmp_hooks* slk_openmp;

/* Whether the runtime that is in use calls back by the tool interface: then its entry points say
 * nothing more. */
extern __attribute__((visibility("hidden"))) int slk_openmp_tool_is_active;

#endif

/* What the preloaded library tells a recorder of OpenMP: where a thread is in a parallel region.
 * Entry points of GCC's runtime (openmp_gnu.c) and the callbacks of the tool interface that others
 * have (openmp_tool.c) come down to these. C and C++. */
#ifndef SLACKLINE_RUNTIME_RECORD_OPENMP_H
#define SLACKLINE_RUNTIME_RECORD_OPENMP_H

#include <stdint.h>

/* What is done about a region that begins. */
enum slk_region {
  SLK_REGION_IGNORED = 0, /* nothing */
  SLK_REGION_FOLLOWED,    /* end_region() is called after it */
  SLK_REGION_NESTED       /* end_nested() is called after it; it counts as work of its thread */
};

/* What the preloaded library has seen of OpenMP's runtimes, since the process began. */
struct slk_openmp_state {
  uint32_t threads;  /* that they have started */
  uint32_t observed; /* enum slk_openmp: which of them tells of its regions */
};

struct slk_openmp_hooks {
  /* The calling thread begins a region; `frame`: the saved frame pointer, then the address of the
   * call; `runtime`: enum slk_openmp. */
  enum slk_region (*begin_region)(const uint64_t* frame, uint32_t runtime);
  void (*end_region)(void);
  void (*end_nested)(void);
  /* A nested region has a team of this many threads; told by one of them. */
  void (*note_nested_team)(uint32_t team);
  /* The number of the region that is followed now; 0: none. */
  uint64_t (*followed_region)(void);
  /* The calling thread is the `number`-th of `team` in the region followed. */
  void (*begin_thread)(uint32_t number, uint32_t team);
  /* It has done its part: from now until the region ends it waits. */
  void (*end_thread)(void);
  /* Is it in a followed region, and not in a nested one? */
  int (*in_region)(void);
  /* At a barrier, or waiting for tasks; those that it executes meanwhile are no waiting, unless
   * they wait for tasks themselves. */
  void (*begin_wait)(void);
  void (*end_wait)(void);
  /* It executes a task. Was it waiting? end_task() is to be told. */
  int (*begin_task)(void);
  void (*end_task)(int was_waiting);
};
#ifdef __cplusplus
using slk_openmp_hooks = struct slk_openmp_hooks;
using slk_openmp_state = struct slk_openmp_state;
#else
typedef struct slk_openmp_state slk_openmp_state;
typedef struct slk_openmp_hooks slk_openmp_hooks;
typedef enum slk_region slk_region;
#endif

#endif

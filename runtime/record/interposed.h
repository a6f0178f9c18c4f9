/* What the preloaded library learns from a recorder: one entry per interposed symbol, in the
 * order of slk_symbol_names. C and C++. */
#ifndef SLACKLINE_RUNTIME_RECORD_INTERPOSED_H
#define SLACKLINE_RUNTIME_RECORD_INTERPOSED_H

struct Interposed {
  void* wrapper;    /* null: this MPI library needs none, the call goes straight on */
  const char* name; /* what the wrapper calls in turn, unless another tool wraps the same symbol;
                     * without a wrapper: which call of MPI is not recorded, or null */
  void** next;      /* where the address of what it calls goes */
};
#ifndef __cplusplus
typedef struct Interposed Interposed;
#endif

#endif

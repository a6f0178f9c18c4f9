/* What the program says by slackline.h. */
#include <stdarg.h>
#include <stdio.h>

#include "fold.h"
#include "online.h"
#include "record/slackline.h"

static void begin_sample(int of_all_ranks, va_list rest) {
  const char* name = va_arg(rest, const char*);
  const int n = va_arg(rest, int);
  const double* precision = va_arg(rest, const double*);
  int* run = va_arg(rest, int*);
  *run = sample_begin(of_all_ranks, name, n, *precision);
}

static void share(va_list rest) {
  (void)va_arg(rest, const char*);
  const size_t bytes = va_arg(rest, size_t);
  enum { kAlignment = 16 };
  *va_arg(rest, void**) = slackline_fold_allocate(bytes, kAlignment, 0);
}

static void free_shared(va_list rest) {
  (void)va_arg(rest, const char*);
  void* at = va_arg(rest, void*);
  int* freed = va_arg(rest, int*);
  *freed = slackline_is_folded(at);
  if (*freed) slackline_fold_free(at);
}

/* Handed over with the next call, which has the computation before it. */
static void mark_region(enum slk_online_kind kind, const char* name) {
  if (name == NULL || !try_enter_call("MPI_Pcontrol")) return;
  struct slk_online_call* call = new_call(SLK_OP_none, NULL);
  call->kind = kind;
  snprintf(call->name, sizeof call->name, "%s", name);
  defer();
  leave_call();
}

/* MPI_Pcontrol(k) begins a region, MPI_Pcontrol(-k) ends it; 0 and 1 are for a recorder. */
static void mark_number(int level) {
  if (level >= -1 && level <= 1) return;
  char name[32];
  snprintf(name, sizeof name, "pcontrol %d", level > 0 ? level : -level);
  mark_region(level > 0 ? SLK_ONLINE_ENTER : SLK_ONLINE_LEAVE, name);
}

/* What only a rank's own computation may say. */
static void mark(int level, va_list rest) {
  switch (level) {
    case SLACKLINE_REGION_BEGIN:
      mark_region(SLK_ONLINE_ENTER, va_arg(rest, const char*));
      break;
    case SLACKLINE_REGION_END:
      mark_region(SLK_ONLINE_LEAVE, va_arg(rest, const char*));
      break;
    case SLACKLINE_SAMPLE_BEGIN_LOCAL:
    case SLACKLINE_SAMPLE_BEGIN_GLOBAL:
      begin_sample(level == SLACKLINE_SAMPLE_BEGIN_GLOBAL, rest);
      break;
    case SLACKLINE_SAMPLE_END:
      sample_end(va_arg(rest, const char*));
      break;
    case SLACKLINE_SHARED_MALLOC:
      share(rest);
      break;
    default:
      mark_number(level);
  }
}

EXPORT int MPI_Pcontrol(const int level, ...) {
  va_list rest;
  va_start(rest, level);
  if (level == SLACKLINE_SHARED_FREE) {
    free_shared(rest);
  } else if (is_computing()) {
    mark(level, rest);
  }
  va_end(rest);
  return MPI_SUCCESS;
}

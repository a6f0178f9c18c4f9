/* What the synthetic examples share: work that takes a given time, and named regions. */
#ifndef SLACKLINE_EXAMPLE_WORK_H
#define SLACKLINE_EXAMPLE_WORK_H

#include <threads.h>
#include <time.h>

/* Regions need nothing but this header; without it (a copy of this file elsewhere) they vanish. */
#ifdef __has_include
#if __has_include("slackline.h")
#include "slackline.h"
#endif
#endif
#ifndef SLACKLINE_H
#define slackline_region_begin(name) ((void)0)
#define slackline_region_end(name) ((void)0)
#endif

/* A sleep: ranks that share a processor do not make each other's work longer. */
static void work_us(double us) {
  const long ns = (long)(us * 1000);
  const struct timespec time = {ns / 1000000000L, ns % 1000000000L};
  thrd_sleep(&time, 0);
}

#endif

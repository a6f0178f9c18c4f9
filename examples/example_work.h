/* What the synthetic examples share: work that takes a given time, and named regions. */
#ifndef SLACKLINE_EXAMPLE_WORK_H
#define SLACKLINE_EXAMPLE_WORK_H

#include <stdlib.h>
#include <string.h>
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

/* CPU time, so that the work of a rank is the same on a crowded machine. With EXAMPLE_WORK=pause in
 * the environment it is a pause, as if a device did the work: then ranks that share a processor do
 * not make each other's work longer. */
static void work_us(double us) {
  const char* const kind = getenv("EXAMPLE_WORK");
  if (kind != NULL && strcmp(kind, "pause") == 0) {
    const long ns = (long)(us * 1000);
    const struct timespec time = {ns / 1000000000L, ns % 1000000000L};
    thrd_sleep(&time, 0);
    return;
  }
  volatile double x = 0.5;
  const double end = (double)clock() + us * 1e-6 * (double)CLOCKS_PER_SEC;
  while ((double)clock() < end) {
    for (int i = 0; i < 500; ++i) x = 3.9 * x * (1 - x); /* the logistic map */
  }
}

#endif

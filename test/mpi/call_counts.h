/* Counts the calls that a program makes of each kind, to be compared with its recording. */
#ifndef SLACKLINE_TEST_MPI_CALL_COUNTS_H
#define SLACKLINE_TEST_MPI_CALL_COUNTS_H

#include <stdio.h>
#include <string.h>

static struct {
  const char* name;
  long n;
} counts[256];
static int kinds;

/* Counts one call. */
static void note(const char* name) {
  for (int i = 0; i < kinds; ++i) {
    if (strcmp(counts[i].name, name) == 0) {
      ++counts[i].n;
      return;
    }
  }
  counts[kinds].name = name;
  counts[kinds++].n = 1;
}
/* Counts it and makes it. */
#define CALL(name, ...) (note(#name), __VA_ARGS__)

/* Writes the file counts-<rank>: on standard output the ranks' lines would mix. Returns 0 when it
 * cannot. */
static int write_counts(int rank) {
  char name[32];
  snprintf(name, sizeof name, "counts-%d", rank);
  FILE* out = fopen(name, "w");
  if (out == NULL) return 0;
  for (int i = 0; i < kinds; ++i)
    fprintf(out, "count %d %s %ld\n", rank, counts[i].name, counts[i].n);
  fclose(out);
  return 1;
}

#endif

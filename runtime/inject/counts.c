#include "counts.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct inject_counts inject_counts;

static const char* obstacle = "";

void write_counts(int ended) {
  const char* folder = getenv("SLACKLINE_INJECT_DIR");
  if (folder == NULL || *folder == '\0') return;
  char host[64] = "";
  char path[PATH_MAX];
  gethostname(host, sizeof host - 1);
  snprintf(path, sizeof path, "%s/%s-%d.counts", folder, host, (int)getpid());
  FILE* file = fopen(path, "we");
  if (file == NULL) return;
  const struct inject_counts* c = &inject_counts;
  fprintf(file,
          "interfaces %" PRIu64 "\nsent %" PRIu64 "\ndelayed %" PRIu64 "\nlate %" PRIu64
          "\nlate_ns %" PRIu64 "\nyields %" PRIu64 "\nforeign %" PRIu64
          "\nnot_one_sided %d\nended %d\n",
          c->interfaces, c->sent, c->delayed, c->late, c->late_ns, c->yields, c->foreign,
          c->not_one_sided, ended);
  if (*obstacle != '\0') fprintf(file, "obstacle %s\n", obstacle);
  fclose(file);
}

void write_obstacle(const char* why) {
  obstacle = why;
  write_counts(0);
}

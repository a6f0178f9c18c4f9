#include "command.h"

#include <ctype.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "next.h"

static int read_link(const char* name, struct link_settings* link) {
  const char* text = getenv(name);
  if (text == NULL || *text == '\0') return 0;
  char* end = NULL;
  double bytes_per_second = 0;
  link->latency_ns = strtoull(text, &end, 10);
  if (*end == ',') bytes_per_second = strtod(end + 1, &end);
  if (*end == ',') link->jitter_ns = strtoull(end + 1, &end, 10);
  link->ns_per_byte = bytes_per_second > 0 ? 1e9 / bytes_per_second : 0;
  return 1;
}

const struct inject_settings* inject_settings(void) {
  static struct inject_settings settings;
  static int read;
  if (!read) {
    settings.has_intra = read_link("SLACKLINE_INJECT_INTRA", &settings.intra);
    settings.has_inter = read_link("SLACKLINE_INJECT_INTER", &settings.inter);
    const char* limit = getenv("SLACKLINE_INJECT_EAGER");
    settings.eager_limit = limit == NULL ? UINT64_MAX : strtoull(limit, NULL, 10);
    settings.on = settings.has_intra || settings.has_inter;
    read = 1;
  }
  return &settings;
}

int is_shared_memory(const char* transport) {
  static const char* const kinds[] = {"posix", "sysv", "xpmem", "cma", "knem"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (strcmp(transport, kinds[i]) == 0) return 1;
  }
  return 0;
}

struct inject_counts inject_counts;

enum { kMaxTransports = 16 };

static struct transport_counts transports[kMaxTransports];

/* One word, and not an empty one: a line of counts has several. */
static void copy_word(char word[kNameBytes], const char* name) {
  snprintf(word, kNameBytes, "%s", name == NULL || *name == '\0' ? "-" : name);
  for (char* c = word; *c != '\0'; ++c) {
    if (isspace((unsigned char)*c)) *c = '_';
  }
}

struct transport_counts* transport_counts(const char* transport, const char* device) {
  struct transport_counts wanted = {.messages = {0}};
  copy_word(wanted.name, transport);
  copy_word(wanted.device, device);
  struct transport_counts* t = transports;
  while (t->name[0] != '\0' &&
         (strcmp(t->name, wanted.name) != 0 || strcmp(t->device, wanted.device) != 0)) {
    if (t == &transports[kMaxTransports - 1]) return t;
    ++t;
  }
  if (t->name[0] == '\0') *t = wanted;
  return t;
}

void count_message(struct transport_counts* counts, int rendezvous, size_t bytes) {
  ++counts->messages[rendezvous];
  counts->bytes[rendezvous] += bytes;
}

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
  for (const struct transport_counts* t = transports; t < &transports[kMaxTransports]; ++t) {
    if (t->messages[0] + t->messages[1] == 0) continue;
    fprintf(file, "transport %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", t->name,
            t->device, t->messages[0], t->bytes[0], t->messages[1], t->bytes[1]);
  }
  if (*obstacle != '\0') fprintf(file, "obstacle %s\n", obstacle);
  fclose(file);
}

void write_obstacle(const char* why) {
  obstacle = why;
  write_counts(0);
}

static int is_rank(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    if (getenv(names[i]) != NULL) return 1;
  }
  return 0;
}

static int has_mpi(void) {
  for (const char* const* library = kMpi; *library != NULL; ++library) {
    if (dlopen(*library, RTLD_LAZY | RTLD_NOLOAD) != NULL) return 1;
  }
  return 0;
}

/* A rank whose messages went another way says so by its zeros. */
__attribute__((destructor)) static void at_exit(void) {
  if (!inject_settings()->on) return;
  if (inject_counts.interfaces > 0 || (is_rank() && has_mpi())) write_counts(1);
}

#include "settings.h"

#include <stdlib.h>
#include <string.h>

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

#include "stamp.h"

#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

enum { kEmptyPollsToYield = 10 };

uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint32_t own_host(void) {
  static uint32_t host;
  if (host == 0) {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    host = 2166136261u; /* FNV-1a */
    for (const char* c = name; *c != '\0'; ++c) host = (host ^ (unsigned char)*c) * 16777619u;
    if (host == 0) host = 1;
  }
  return host;
}

struct departure depart(struct links* links, const void* peer, const struct link_settings* settings,
                        size_t bytes) {
  static uint64_t random_state;
  if (random_state == 0) random_state = 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
  const uint64_t now = now_ns();
  struct departure d;
  d.link = link_after(links_find(links, peer), settings, now, bytes, &random_state);
  d.stamp.due_ns = d.link.due_ns;
  const uint64_t delay = d.link.due_ns - now;
  d.stamp.delay_ns = delay > UINT32_MAX ? UINT32_MAX : (uint32_t)delay;
  d.stamp.host = own_host();
  return d;
}

void departed(struct links* links, const void* peer, const struct departure* departure) {
  *links_find(links, peer) = departure->link;
  ++inject_counts.sent;
}

static uint64_t due_by_clock(struct receiver* receiver, const struct link_settings* settings,
                             const struct stamp* stamp, size_t length, uint64_t now) {
  const uint64_t latency = settings->latency_ns;
  if (latency == 0 || stamp->delay_ns == UINT32_MAX) return stamp->due_ns;
  const uint64_t sent = stamp->due_ns - stamp->delay_ns;
  const uint64_t taken = receiver_takes(receiver, length, sent, now);
  return taken + latency > stamp->due_ns ? taken + latency : stamp->due_ns;
}

uint64_t due_here(struct receiver* receiver, const struct link_settings* settings,
                  const struct stamp* stamp, size_t length, uint64_t now) {
  if (stamp->host != own_host()) {
    ++inject_counts.foreign;
    return now + stamp->delay_ns;
  }
  return due_by_clock(receiver, settings, stamp, length, now);
}

void count_if_late(uint64_t due, uint64_t now) {
  if (due >= now) return;
  ++inject_counts.late;
  inject_counts.late_ns += now - due;
}

static int local_ranks(void) {
  static const char* const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS",
                                      "SLURM_NTASKS_PER_NODE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char* text = getenv(names[i]);
    if (text != NULL) return atoi(text);
  }
  return 1;
}

/* Whether this host runs more ranks of the job than it has processors for them, as far as the
 * launcher says how many there are. Found out once. */
static int has_too_few_processors(void) {
  static int known;
  if (known == 0) known = local_ranks() > sysconf(_SC_NPROCESSORS_ONLN) ? 2 : 1;
  return known == 2;
}

void yield_when_idle(int* empty_polls) {
  if (++*empty_polls <= kEmptyPollsToYield || !has_too_few_processors()) return;
  ++inject_counts.yields;
  sched_yield();
}

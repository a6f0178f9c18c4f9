/* One block of a file in memory is mapped again and again behind each other until it covers the
 * allocation, as SMPI's shared malloc does (Clauss et al. 2011). All folded allocations of a
 * process lie in one reserved stretch of addresses, so that a pointer tells whether it is one. In
 * front of each is a page of its own with its length. Where both libraries that contain this file
 * are loaded, the functions of the first one are those of both, as the loader has it. */
#include "fold.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "record/slackline.h"
#include "trace/online_wire.h"

enum { kPage = 4096, kGaps = 32768, kMostBlocks = 1024 };
static const uint64_t kSmallestBlock = (uint64_t)1 << 20;
static const uint64_t kMostAddresses = (uint64_t)1 << 44;
static const uint64_t kLeastAddresses = (uint64_t)1 << 32;

typedef struct {
  uint64_t begin; /* of the stretch that it takes, this page included; offset in `addresses` */
  uint64_t length;
  uint64_t bytes; /* asked for */
  uint64_t room;
  uint64_t block;   /* that is mapped again and again */
  uint64_t counter; /* the process that has counted it; 0: none */
  char unused[kPage - 6 * sizeof(uint64_t) - SLACKLINE_SHARED_HEAD];
  int mark; /* for slackline_shared_free() */
  char unused_too[SLACKLINE_SHARED_HEAD - sizeof(int)];
} Head;
_Static_assert(sizeof(Head) == kPage, "what follows is the allocation");
typedef struct {
  uint64_t begin, length;
} Gap;

static struct slk_fold_file* file;
static pid_t rank; /* or what may become one; its forked children are not counted */
static char* data; /* the file's blocks */
static char* addresses;
static uint64_t all_addresses;
static Gap gaps[kGaps]; /* free stretches, in order, none beside another */
static uint32_t n_gaps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t own_bytes; /* in allocations of the process's own that could have been folded */
static _Thread_local int paused __attribute__((tls_model("initial-exec")));

static void acquire(void) {
  pthread_mutex_lock(&lock);
}
static void release(void) {
  pthread_mutex_unlock(&lock);
}

EXPORT void slackline_fold_open(void) {
  const char* value = getenv(SLK_FOLD_VARIABLE);
  struct slk_fold_file head;
  int descriptor = -1;
  if (value == NULL || sscanf(value, "%d", &descriptor) != 1) return;
  rank = getpid();
  if (file != NULL) return;
  if (pread(descriptor, &head, sizeof head, 0) != (ssize_t)sizeof head) return;
  if (head.magic != SLK_FOLD_MAGIC) return;
  void* at = mmap(NULL, SLK_FOLD_FIRST + SLK_FOLD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                  descriptor, 0);
  if (at == MAP_FAILED) return;
  /* A child must not inherit a lock that another thread holds. */
  pthread_atfork(acquire, release, release);
  data = (char*)at + SLK_FOLD_FIRST;
  file = at;
}

EXPORT void slackline_fold_pause(int by) {
  paused += by;
}

EXPORT int slackline_folds(uint64_t bytes) {
  if (file == NULL || paused != 0 || bytes < file->threshold) return 0;
  return __atomic_load_n(&own_bytes, __ATOMIC_RELAXED) + bytes > file->own_bytes;
}

EXPORT void slackline_fold_add_own(int64_t bytes) {
  const uint64_t size = (uint64_t)(bytes < 0 ? -bytes : bytes);
  if (file == NULL || file->own_bytes == 0 || size < file->threshold) return;
  __atomic_fetch_add(&own_bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
}

static uint64_t rounded(uint64_t bytes, uint64_t to) {
  return (bytes + to - 1) / to * to;
}

static int reserve(void) {
  if (addresses != NULL) return 1;
  for (uint64_t size = kMostAddresses; size >= kLeastAddresses; size /= 2) {
    void* at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    gaps[n_gaps++] = (Gap){0, size};
    all_addresses = size;
    __atomic_store_n(&addresses, at, __ATOMIC_RELEASE);
    return 1;
  }
  return 0;
}

static void remove_gap(uint32_t i) {
  --n_gaps;
  memmove(gaps + i, gaps + i + 1, (n_gaps - i) * sizeof *gaps);
}

/* The first `length` of a free stretch. */
static void take_from(uint32_t i, uint64_t length) {
  gaps[i].begin += length;
  gaps[i].length -= length;
  if (gaps[i].length == 0) remove_gap(i);
}

/* Of length 0 if there is none. */
static Gap take(uint64_t length) {
  for (uint32_t i = 0; i < n_gaps; ++i) {
    if (gaps[i].length < length) continue;
    const Gap found = {gaps[i].begin, length};
    take_from(i, length);
    return found;
  }
  return (Gap){0, 0};
}

/* The first that does not begin before `begin`. */
static uint32_t gap_after(uint64_t begin) {
  uint32_t low = 0, high = n_gaps;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (gaps[middle].begin < begin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static void insert(Gap gap) {
  uint32_t i = gap_after(gap.begin);
  if (i < n_gaps && gaps[i].begin == gap.begin + gap.length) {
    gap.length += gaps[i].length;
    remove_gap(i);
  }
  if (i > 0 && gaps[i - 1].begin + gaps[i - 1].length == gap.begin) {
    gaps[i - 1].length += gap.length;
    return;
  }
  if (n_gaps == kGaps) return;
  memmove(gaps + i + 1, gaps + i, (n_gaps - i) * sizeof *gaps);
  gaps[i] = gap;
  ++n_gaps;
}

/* A later access faults. A stretch that cannot be unmapped, or for which there is no place, is not
 * used again. */
static void give_back(Gap gap) {
  void* at = mmap(addresses + gap.begin, gap.length, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (at != MAP_FAILED) insert(gap);
}

/* The file's first blocks at `to`, again and again, from the place `from` of `to` on. A mapping of
 * length 0 is copied, so the program may have closed the file; one that continues another becomes
 * part of it. UCX replaces mremap() by a function that forgets where to map. */
static int cover(char* to, uint64_t from, uint64_t length, uint64_t block) {
  for (uint64_t at = from, part = 0; at < length; at += part) {
    const uint64_t within = at % block;
    part = length - at < block - within ? length - at : block - within;
    const long mapped =
        syscall(SYS_mremap, data + within, 0L, part, MREMAP_MAYMOVE | MREMAP_FIXED, to + at);
    if (mapped != (long)(uintptr_t)(to + at)) return 0;
  }
  return 1;
}

static uint64_t block_for(uint64_t length) {
  uint64_t block = kSmallestBlock;
  while (block < SLK_FOLD_BYTES && length / block >= kMostBlocks) block *= 2;
  return block;
}

static int is_rank(void) {
  return getpid() == rank;
}

static void count(uint64_t allocations, uint64_t bytes) {
  __atomic_fetch_add(&file->allocations, allocations, __ATOMIC_RELAXED);
  const uint64_t live = __atomic_add_fetch(&file->live_bytes, bytes, __ATOMIC_RELAXED);
  uint64_t most = __atomic_load_n(&file->most_bytes, __ATOMIC_RELAXED);
  while (live > most && !__atomic_compare_exchange_n(&file->most_bytes, &most, live, 1,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

static void* allocate(uint64_t bytes, uint64_t alignment) {
  if (!reserve()) return NULL;
  const uint64_t room = rounded(bytes, kPage);
  const uint64_t pad = alignment > kPage ? alignment : 0;
  if (room < bytes || room + pad < room || room + pad > kMostAddresses) return NULL;
  const Gap gap = take(kPage + pad + room);
  if (gap.length == 0) return NULL;
  const uint64_t address = (uint64_t)(uintptr_t)addresses + gap.begin + kPage;
  char* const at = addresses + gap.begin + kPage + (rounded(address, alignment) - address);
  Head* head = (Head*)(void*)(at - kPage);
  const uint64_t block = block_for(room);
  void* own_page =
      mmap(head, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (own_page == MAP_FAILED || !cover(at, 0, room, block)) {
    give_back(gap);
    return NULL;
  }
  head->begin = gap.begin;
  head->length = gap.length;
  head->bytes = bytes;
  head->room = room;
  head->block = block;
  head->mark = SLACKLINE_SHARED_MALLOC;
  if (is_rank()) {
    head->counter = (uint64_t)getpid();
    count(1, bytes);
  }
  return at;
}

EXPORT void* slackline_fold_allocate(uint64_t bytes, uint64_t alignment, int cleared) {
  if (file == NULL) return NULL;
  acquire();
  char* const at = allocate(bytes, alignment);
  if (at == NULL && is_rank()) __atomic_fetch_add(&file->failed, 1, __ATOMIC_RELAXED);
  release();
  if (at != NULL && cleared) {
    const uint64_t block = block_for(rounded(bytes, kPage));
    memset(at, 0, bytes < block ? bytes : block);
  }
  return at;
}

EXPORT int slackline_is_folded(const void* at) {
  const char* begin = __atomic_load_n(&addresses, __ATOMIC_ACQUIRE);
  return begin != NULL && (const char*)at >= begin && (const char*)at < begin + all_addresses;
}

static Head* head_of(const void* at) {
  return (Head*)((uintptr_t)at - kPage);
}

/* By this process: a child inherits what its parent has counted. */
static int is_counted(const Head* head) {
  return head->counter == (uint64_t)getpid();
}

EXPORT uint64_t slackline_folded_bytes(const void* at) {
  return head_of(at)->room;
}

/* With blocks that are too small for its new length the number of mappings would have no bound. */
static int grow(char* at, uint64_t bytes) {
  Head* head = head_of(at);
  const uint64_t room = rounded(bytes, kPage);
  if (room < bytes || room > all_addresses) return 0;
  if (head->block < SLK_FOLD_BYTES && room / head->block >= 2 * kMostBlocks) return 0;
  const uint64_t end = head->begin + head->length;
  const uint64_t at_end = (uint64_t)(at - addresses) + room;
  const Gap added = {end, at_end > end ? at_end - end : 0};
  if (added.length > 0) {
    const uint32_t i = gap_after(end);
    if (i == n_gaps || gaps[i].begin != end || gaps[i].length < added.length) return 0;
    take_from(i, added.length);
  }
  head->length += added.length;
  if (!cover(at, head->room, room, head->block)) return 0;
  if (is_counted(head)) count(0, bytes - head->bytes);
  head->bytes = bytes;
  head->room = room;
  return 1;
}

EXPORT int slackline_fold_resize(void* at, uint64_t bytes) {
  if (bytes <= head_of(at)->room) return 1;
  acquire();
  const int grown = grow(at, bytes);
  release();
  return grown;
}

EXPORT void slackline_fold_free(void* at) {
  const Head* head = head_of(at);
  acquire();
  if (is_counted(head)) __atomic_fetch_sub(&file->live_bytes, head->bytes, __ATOMIC_RELAXED);
  give_back((Gap){head->begin, head->length});
  release();
}

/* One block of a file in memory is mapped again and again behind each other until it covers the
 * allocation, as SMPI's shared malloc does (Clauss et al. 2011). All folded allocations of a
 * process lie in one reserved stretch of addresses, so that a pointer tells whether it is one. In
 * front of each is a page of its own with its length. */
#include "fold.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/online_wire.h"

enum { kPage = 4096, kGaps = 1024, kMostBlocks = 1024 };
static const uint64_t kSmallestBlock = (uint64_t)1 << 20;
static const uint64_t kMostAddresses = (uint64_t)1 << 44;
static const uint64_t kLeastAddresses = (uint64_t)1 << 32;

typedef struct {
  uint64_t begin; /* of the stretch that it takes, this page included; offset in `addresses` */
  uint64_t length;
  uint64_t bytes; /* asked for */
  uint64_t room;
} Head;
typedef struct {
  uint64_t begin, length;
} Gap;

static struct slk_fold_file* file;
static char* data; /* the file's blocks */
static char* addresses;
static uint64_t all_addresses, top;
static Gap gaps[kGaps]; /* of what has been freed */
static uint32_t n_gaps;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void fold_open(void) {
  const char* value = getenv(SLK_FOLD_VARIABLE);
  struct slk_fold_file head;
  int descriptor = -1;
  if (file != NULL || value == NULL || sscanf(value, "%d", &descriptor) != 1) return;
  if (pread(descriptor, &head, sizeof head, 0) != (ssize_t)sizeof head) return;
  if (head.magic != SLK_FOLD_MAGIC) return;
  void* at = mmap(NULL, SLK_FOLD_FIRST + SLK_FOLD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                  descriptor, 0);
  if (at == MAP_FAILED) return;
  file = at;
  data = (char*)at + SLK_FOLD_FIRST;
}

uint64_t fold_threshold(void) {
  return file == NULL ? UINT64_MAX : file->threshold;
}

static uint64_t rounded(uint64_t bytes, uint64_t to) {
  return (bytes + to - 1) / to * to;
}

static int reserve(void) {
  if (addresses != NULL) return 1;
  for (uint64_t size = kMostAddresses; size >= kLeastAddresses; size /= 2) {
    void* at = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) continue;
    all_addresses = size;
    addresses = at;
    return 1;
  }
  return 0;
}

/* A free stretch, which may be longer than asked for; of length 0 if there is none. */
static Gap take(uint64_t length) {
  for (uint32_t i = 0; i < n_gaps; ++i) {
    if (gaps[i].length < length) continue;
    const Gap found = gaps[i];
    gaps[i] = gaps[--n_gaps];
    return found;
  }
  if (length > all_addresses - top) return (Gap){0, 0};
  const Gap found = {top, length};
  top += length;
  return found;
}

/* Whoever touches it again is stopped. A stretch for which there is no place is not used again. */
static void give_back(Gap gap) {
  mmap(addresses + gap.begin, gap.length, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (gap.begin + gap.length == top) {
    top = gap.begin;
  } else if (n_gaps < kGaps) {
    gaps[n_gaps++] = gap;
  }
}

/* The file's first blocks at `to`, again and again. A mapping of length 0 is copied, so the program
 * may have closed the file. UCX replaces mremap() by a function that forgets where to map. */
static int cover(char* to, uint64_t length, uint64_t block) {
  for (uint64_t at = 0; at < length; at += block) {
    const uint64_t part = length - at < block ? length - at : block;
    const long mapped = syscall(SYS_mremap, data, 0L, part, MREMAP_MAYMOVE | MREMAP_FIXED, to + at);
    if (mapped != (long)(uintptr_t)(to + at)) return 0;
  }
  return 1;
}

static uint64_t block_for(uint64_t length) {
  uint64_t block = kSmallestBlock;
  while (block < SLK_FOLD_BYTES && length / block >= kMostBlocks) block *= 2;
  return block;
}

static void count(uint64_t bytes) {
  __atomic_fetch_add(&file->allocations, 1, __ATOMIC_RELAXED);
  const uint64_t live = __atomic_add_fetch(&file->live_bytes, bytes, __ATOMIC_RELAXED);
  if (live > file->most_bytes) file->most_bytes = live;
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
  void* own_page =
      mmap(head, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (own_page == MAP_FAILED || !cover(at, room, block_for(room))) {
    give_back(gap);
    return NULL;
  }
  *head = (Head){gap.begin, gap.length, bytes, room};
  return at;
}

void* fold_allocate(uint64_t bytes, uint64_t alignment, int cleared) {
  if (file == NULL) return NULL;
  pthread_mutex_lock(&lock);
  char* const at = allocate(bytes, alignment);
  if (at != NULL) {
    count(bytes);
  } else {
    __atomic_fetch_add(&file->failed, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&lock);
  if (at != NULL && cleared) {
    const uint64_t block = block_for(rounded(bytes, kPage));
    memset(at, 0, bytes < block ? bytes : block);
  }
  return at;
}

int is_folded(const void* at) {
  return addresses != NULL && (const char*)at >= addresses &&
         (const char*)at < addresses + all_addresses;
}

static Head* head_of(const void* at) {
  return (Head*)((uintptr_t)at - kPage);
}

uint64_t folded_bytes(const void* at) {
  return head_of(at)->room;
}

void fold_free(void* at) {
  const Head head = *head_of(at);
  pthread_mutex_lock(&lock);
  __atomic_fetch_sub(&file->live_bytes, head.bytes, __ATOMIC_RELAXED);
  give_back((Gap){head.begin, head.length});
  pthread_mutex_unlock(&lock);
}

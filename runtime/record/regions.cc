// Regions that the program marks: names get numbers per rank, written when first used.

#include <cstdlib>
#include <cstring>

#include "recorder.h"

namespace slackline::record {

namespace {

struct Region {
  char* name;
  Region* next;
  std::uint32_t id;
};
Region* regions;
pthread_mutex_t region_mutex = PTHREAD_MUTEX_INITIALIZER;

/// The id of the region of that name; a new one is written to the file first.
std::uint32_t region_id(const char* name) {
  pthread_mutex_lock(&region_mutex);
  Region* found = regions;
  while (found != nullptr && std::strcmp(found->name, name) != 0) found = found->next;
  if (found == nullptr) {
    found = static_cast<Region*>(std::calloc(1, sizeof(Region)));
    const std::size_t padded = (std::strlen(name) / 8 + 1) * 8;
    char* const copy = static_cast<char*>(std::calloc(padded, 1));
    if (found == nullptr || copy == nullptr) {
      std::free(found);
      std::free(copy);
      pthread_mutex_unlock(&region_mutex);
      return UINT32_MAX;
    }
    std::memcpy(copy, name, std::strlen(name));
    *found = {copy, regions, regions == nullptr ? 0 : regions->id + 1};
    regions = found;
    // calloc's memory is aligned for the arguments' type and holds whole arguments.
    Thread* const t = this_thread;
    const std::uint64_t now = now_ns();
    t->write(slk_record{now, now, std::strlen(name), SLK_PEER_NONE, 0, 0, found->id, 0, 0, 0,
                        SLK_REC_REGION_NAME},
             reinterpret_cast<const std::int64_t*>(copy), padded / 8);
  }
  pthread_mutex_unlock(&region_mutex);
  return found->id;
}

void mark_region(std::uint8_t op, const char* name) {
  // A frame like a wrapper's, as a call of MPI may have been left by longjmp before.
  call_frame = static_cast<const std::uint64_t*>(__builtin_frame_address(0));
  if (name == nullptr || idle_thread() == nullptr || process.paused) return;
  const std::uint32_t id = region_id(name);
  if (id != UINT32_MAX) write_event(op, 0, id, 0, nullptr, 0);
}

}  // namespace

void enter_region(const char* name) {
  mark_region(SLK_REC_REGION_ENTER, name);
}
void leave_region(const char* name) {
  mark_region(SLK_REC_REGION_LEAVE, name);
}

}  // namespace slackline::record

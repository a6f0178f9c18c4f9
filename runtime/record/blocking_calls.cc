#include "blocking_calls.h"

#include <pthread.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>

namespace slackline::record {
namespace {

constexpr char kOtherFiles[] = "other files";

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

/// The paths of files, each once.
class FileNames {
 public:
  const char* keep(const char* name) {
    pthread_mutex_lock(&mutex_);
    const char* const kept = find(name);
    pthread_mutex_unlock(&mutex_);
    return kept;
  }

 private:
  static constexpr std::size_t kBuckets = 8192;

  const char* find(const char* name) {
    std::uint64_t hash = 0;
    const std::size_t length = std::strlen(name);
    for (std::size_t i = 0; i < length; ++i)
      hash = mixed(hash, static_cast<unsigned char>(name[i]));
    std::size_t at = hash % kBuckets;
    for (; buckets_[at] != nullptr; at = (at + 1) % kBuckets) {
      if (std::strcmp(buckets_[at], name) == 0) return buckets_[at];
    }
    if (used_ + length + 1 > sizeof text_ || count_ == kBuckets / 2) return kOtherFiles;
    ++count_;
    char* const kept = text_ + used_;
    std::memcpy(kept, name, length + 1);
    used_ += length + 1;
    buckets_[at] = kept;
    return kept;
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  const char* buckets_[kBuckets] = {};
  char text_[std::size_t{1} << 19] = {};
  std::size_t used_ = 0;
  std::size_t count_ = 0;
};
FileNames names;

/// By descriptor.
constexpr int kDescriptors = 4096;
const char* names_of[kDescriptors];

const char* read_name(int descriptor) {
  char link[32];
  char name[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  if (length <= 0) return "";
  name[length] = '\0';
  // "socket:[1234]"
  char* const colon = name[0] == '/' ? nullptr : std::strchr(name, ':');
  if (colon != nullptr) *colon = '\0';
  return names.keep(name);
}

}  // namespace

const char* file_of_call(const slk_blocking_function& function, int descriptor, bool again) {
  if (descriptor < 0) return "";
  const bool closed = (function.kind & SLK_BLOCKING_CLOSES) != 0;
  if (descriptor >= kDescriptors) return closed ? nullptr : read_name(descriptor);
  const char*& known = names_of[descriptor];
  const char* name = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (closed) {
    __atomic_store_n(&known, nullptr, __ATOMIC_RELAXED);
  } else if (name == nullptr || again || (function.kind & SLK_BLOCKING_OPENS) != 0) {
    name = read_name(descriptor);
    __atomic_store_n(&known, name, __ATOMIC_RELAXED);
  }
  return name;
}

bool knows_file(int descriptor) {
  return descriptor < 0 || (descriptor < kDescriptors &&
                            __atomic_load_n(&names_of[descriptor], __ATOMIC_RELAXED) != nullptr);
}

BlockingCalls::Sum& BlockingCalls::add(const BlockingCall& call, const StackWalk& walk,
                                       std::uint32_t path) {
  Sum& sum = sum_of(call, path);
  sum.add(call);
  if (walk.word_count > kMostWords) return sum;
  Recent& recent = recent_of(call);
  recent = {call.function, call.file, call.frame, call.frame[1], &sum, walk.word_count, {}};
  std::memcpy(recent.words, walk.words, walk.word_count * sizeof *walk.words);
  return sum;
}

void BlockingCalls::forget_recent() {
  std::memset(recent_, 0, sizeof recent_);
}

/// Where there are too many, the last one has all further ones.
BlockingCalls::Sum& BlockingCalls::sum_of(const BlockingCall& call, std::uint32_t path) {
  const std::uint64_t of_file =
      mixed(reinterpret_cast<std::uint64_t>(call.file), std::uint64_t{path} << 8 | call.kind);
  std::size_t at = mixed(of_file, reinterpret_cast<std::uint64_t>(call.function)) % kBuckets;
  for (; buckets_[at] != 0; at = (at + 1) % kBuckets) {
    Sum& sum = sums_[buckets_[at] - 1];
    if (sum.function == call.function && sum.file == call.file && sum.path == path) return sum;
  }
  if (count_ == kMost) return sums_[kMost - 1];
  Sum& added = sums_[count_];
  static constexpr slk_blocking_function kAny{"", SLK_BLOCKING_IO};
  const bool last = ++count_ == kMost;
  added.function = last ? &kAny : call.function;
  added.file = last ? kOtherFiles : call.file;
  added.path = last ? 0 : path;
  added.kind = last ? std::uint32_t{SLK_BLOCKING_IO} : call.kind;
  buckets_[at] = static_cast<std::uint16_t>(count_);
  return added;
}

}  // namespace slackline::record

#include "call_path_cache.h"

#include <cstdlib>
#include <cstring>

#include "clock.h"
#include "trace/sample_wire.h"

namespace slackline::record {

CallPathOptions call_path_options() {
  constexpr std::size_t kUsualDepth = 64;
  const char* const mode = std::getenv("SLACKLINE_CALL_PATHS");
  if (mode != nullptr && std::strcmp(mode, "none") == 0) return {0};
  if (mode != nullptr && std::strcmp(mode, "site") == 0) return {1};
  const char* const depth = std::getenv("SLACKLINE_CALL_PATH_DEPTH");
  const long asked = depth == nullptr ? 0 : std::strtol(depth, nullptr, 10);
  if (asked <= 0) return {kUsualDepth};
  return {static_cast<std::size_t>(asked) < kDeepestPath ? static_cast<std::size_t>(asked)
                                                         : kDeepestPath};
}

void CallPathCache::attach() {
  stack_ = own_stack();
  if (entries_ != nullptr) forget_entries();
}

void CallPathCache::forget_entries() {
  std::memset(entries_, 0, kBuckets * sizeof(Entry*));
  arena_used_ = 0;
  last_ = nullptr;
}

void CallPathCache::forget_paths() {
  for (std::size_t i = 0; i < kBuckets; ++i) {
    while (paths_[i] != nullptr) {
      Path* const forgotten = paths_[i];
      paths_[i] = forgotten->next;
      std::free(forgotten);
    }
  }
}

/// False without memory.
bool CallPathCache::refresh_modules() {
  const bool known = modules_.refresh();
  if (modules_.removed() != removed_) {
    removed_ = modules_.removed();
    forget_entries();
    forget_paths();
  }
  return known;
}

void CallPathCache::forget_closed() {
  if (walk_ != nullptr) refresh_modules();
}

bool CallPathCache::make_tables() {
  if (walk_ != nullptr) return true;
  if (unable_) return false;
  entries_ = static_cast<Entry**>(std::calloc(kBuckets, sizeof(Entry*)));
  paths_ = static_cast<Path**>(std::calloc(kBuckets, sizeof(Path*)));
  arena_ = static_cast<char*>(std::malloc(kArenaBytes));
  walk_ = static_cast<StackWalk*>(std::calloc(1, sizeof(StackWalk)));
  rules_ = static_cast<RuleCache*>(std::calloc(1, sizeof(RuleCache)));
  unable_ = entries_ == nullptr || paths_ == nullptr || arena_ == nullptr || walk_ == nullptr ||
            rules_ == nullptr;
  if (!unable_) return true;
  std::free(walk_);
  walk_ = nullptr;
  return false;
}

std::uint16_t CallPathCache::find_elsewhere(const std::uint64_t* frame_pointer,
                                            const CallPathOptions& options, CallPathSink& sink) {
  if (!make_tables()) return 0;
  for (Entry* e = entries_[bucket_of(frame_pointer)]; e != nullptr; e = e->next) {
    if (!matches(*e, frame_pointer)) continue;
    if (last_ != nullptr) last_->successor = e;
    last_ = e;
    return e->path;
  }
  const bool affordable = budget_ >= kWalkCost;
  if (affordable) budget_ -= kWalkCost;
  const std::uint64_t from = steady_ns();
  const std::uint16_t path = walk(frame_pointer, affordable ? options.deepest : 1, sink);
  if (affordable && path != 0) remember(frame_pointer, path, *walk_);
  note_walk(steady_ns() - from);
  return path;
}

/// Asking for CPU time takes as long as a walk does. What lasts longer than any walk held another
/// thread's time.
void CallPathCache::note_walk(std::uint64_t took_ns) {
  walking_ns_ += took_ns < kLongestWalkNs ? took_ns : kLongestWalkNs;
}

std::uint16_t CallPathCache::walk(const std::uint64_t* frame_pointer, std::size_t deepest,
                                  CallPathSink& sink) {
  if (!refresh_modules()) return 0;
  look_for_python(modules_);
  walk_stack(frame_pointer, limits_of(deepest), {modules_, *rules_, stack_}, *walk_);
  budget_ -= static_cast<std::int32_t>(walk_->skipped);
  add_python_frames(deepest, sink);
  return path_id(*walk_, sink);
}

void CallPathCache::add_python_frames(std::size_t deepest, CallPathSink& sink) {
  const PythonInterpreter* const python = python_interpreter();
  if (python == nullptr) return;
  if (python_ == nullptr) python_ = static_cast<PythonPaths*>(std::calloc(1, sizeof(PythonPaths)));
  if (python_ != nullptr) python_->add_frames(*walk_, deepest, *python, sink);
}

/// The number of a path that is known by its addresses already, or of a new one.
std::uint16_t CallPathCache::path_id(const StackWalk& walk, CallPathSink& sink) {
  std::uint64_t hash = walk.depth;
  for (std::size_t i = 0; i < walk.depth; ++i) {
    hash = (hash ^ walk.addresses[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  const std::size_t bytes = walk.depth * sizeof(std::uint64_t);
  Path*& bucket = paths_[hash % kBuckets];
  for (const Path* p = bucket; p != nullptr; p = p->next) {
    if (p->hash == hash && p->depth == walk.depth &&
        std::memcmp(p->addresses(), walk.addresses, bytes) == 0) {
      return p->id;
    }
  }
  if (path_count_ == kMostPaths) return 0;
  auto* const added = static_cast<Path*>(std::malloc(sizeof(Path) + bytes));
  if (added == nullptr) return 0;
  *added = {bucket, hash, ++path_count_, static_cast<std::uint16_t>(walk.depth)};
  std::memcpy(added + 1, walk.addresses, bytes);
  bucket = added;
  tell_modules(walk, sink);
  sink.new_path(added->id, walk.addresses, walk.depth, walk.whole);
  return added->id;
}

void CallPathCache::tell_modules(const StackWalk& walk, CallPathSink& sink) {
  for (std::size_t i = 0; i < walk.depth; ++i) {
    LoadedModule* const module = modules_.find(walk.addresses[i] - 1);
    if (module == nullptr || module->recorded) continue;
    module->recorded = true;
    sink.new_module(*module);
  }
}

void CallPathCache::remember(const std::uint64_t* frame_pointer, std::uint16_t path,
                             const StackWalk& walk) {
  // Without Python's frames, the path does not depend on Python's words.
  const bool in_python = python_ != nullptr && python_->frames().depth > 0;
  const std::size_t python_words = in_python ? 1 + python_->frames().word_count : 0;
  const std::size_t bytes = sizeof(Entry) + (walk.word_count + python_words) * sizeof(StackWord);
  if (arena_used_ + bytes > kArenaBytes) forget_entries();
  auto* const e = reinterpret_cast<Entry*>(arena_ + arena_used_);
  arena_used_ += bytes;
  Entry*& bucket = entries_[bucket_of(frame_pointer)];
  *e = {frame_pointer,
        frame_pointer[1],
        nullptr,
        bucket,
        static_cast<std::uint32_t>(walk.word_count),
        path,
        static_cast<std::uint16_t>(python_words)};
  auto* words = reinterpret_cast<StackWord*>(e + 1);
  std::memcpy(static_cast<void*>(words), walk.words, walk.word_count * sizeof(StackWord));
  if (in_python) {
    const PythonFrames& frames = python_->frames();
    words += walk.word_count;
    *words = {static_cast<const std::uint64_t*>(frames.thread_state), 0};
    std::memcpy(static_cast<void*>(words + 1), frames.words, frames.word_count * sizeof(StackWord));
  }
  bucket = e;
  if (last_ != nullptr) last_->successor = e;
  last_ = e;
}

// The records of call paths, and of the modules and the Python code that they go through.

void CallPathRecords::new_module(const LoadedModule& module) {
  std::int64_t args[kModuleArguments];
  const std::size_t n = module_arguments(module, args);
  const std::uint64_t now = now_ns();
  write(slk_record{now, now, 0, SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, SLK_REC_MODULE}, args, n);
}

void CallPathRecords::new_path(std::uint16_t id, const std::uint64_t* addresses, std::size_t depth,
                               bool whole) {
  const std::uint64_t now = now_ns();
  const std::uint64_t flags = whole ? std::uint64_t{SLK_PATH_WHOLE} : 0;
  write(slk_record{now, now, flags, SLK_PEER_NONE, 0, 0, id, 0, 0, 0, SLK_REC_CALL_PATH},
        reinterpret_cast<const std::int64_t*>(addresses), depth);
}

bool CallPathRecords::new_python(const PythonInterpreter& python) {
  return write(python_record(python), nullptr, 0);
}

bool CallPathRecords::new_python_code(std::uint32_t id, const std::int64_t* args,
                                      std::size_t n_args) {
  return write(python_code_record(id), args, n_args);
}

}  // namespace slackline::record

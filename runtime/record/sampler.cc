#include "sampler.h"

#include <sys/mman.h>

#include <climits>
#include <cstring>

#include "clock.h"

namespace slackline::record {

namespace {

/// Without its module, the instruction alone would be taken for one of the module before.
bool is_nameless(const StackWalk& walk) {
  return walk.stale && walk.depth == 1;
}

}  // namespace

bool Sampler::make_file(const char* path, const slk_raw_header& header, std::uint16_t thread) {
  static_assert(sizeof(slk_raw_header) <= SLK_SAMPLING_HEADER_AT);
  if (tables_ != nullptr) return true;
  // Pages that are never used cost nothing.
  void* at =
      mmap(nullptr, sizeof(Tables), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return false;
  if (!file_.create(path, header)) {
    munmap(at, sizeof(Tables));
    return false;
  }
  file_.header().thread = thread;
  tables_ = static_cast<Tables*>(at);
  return true;
}

bool Sampler::start(const char* path, const slk_raw_header& header, std::uint16_t thread,
                    const SamplingOptions& options) {
  if (!make_file(path, header, thread)) return false;
  interval_ns_ = options.interval_ns;
  sampling().version = SLK_SAMPLES_VERSION;
  sampling().interval_ns = interval_ns_;
  sampling().state = SLK_SAMPLING_NO_SIGNAL;
  if (options.signal == 0) return false;
  stack_ = own_stack();
  refresh();
  running_ = timer_.start(options.signal, interval_ns_);
  sampling().state = running_ ? SLK_SAMPLING_ON : SLK_SAMPLING_NO_TIMER;
  return running_;
}

void Sampler::stop() {
  if (!running_) return;
  running_ = false;
  if (!timer_.stop()) set_state(SLK_SAMPLING_TIMER_CLOSED);
}

void Sampler::suspend() {
  if (!running_) return;
  stop();
  suspended_ = sampling().state == SLK_SAMPLING_ON;
}

void Sampler::resume(int signal) {
  if (!suspended_) return;
  suspended_ = false;
  running_ = timer_.start(signal, interval_ns_);
  if (!running_) set_state(SLK_SAMPLING_NO_TIMER);
}

void Sampler::refresh() {
  locked_ = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  modules_.refresh();
  look_for_python(modules_);
  // Addresses may have other names now.
  if (modules_.removed() != removed_) forget_paths();
  removed_ = modules_.removed();
  wants_modules_ = false;
  outdated_ = false;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  locked_ = 0;
}

void Sampler::on_signal(const ucontext_t& context, std::uint64_t expirations, bool idle) {
  if (tables_ == nullptr || !running_) return;
  sampling().alive_ns = now_ns();
  if (!idle) take(context, expirations);
  timer_.rearm();
}

void Sampler::take(const ucontext_t& context, std::uint64_t expirations) {
  if (locked_ != 0 || outdated_ || file_.full()) {
    ++sampling().skipped;
    return;
  }
  const std::uint64_t from = thread_cpu_time_ns();
  const std::uint64_t now = now_ns();
  walk_interrupted(context, limits_of(kDeepestPath), {modules_, tables_->rules, stack_},
                   tables_->walk);
  add_python_frames();
  if (!write_sample(SLK_REC_SAMPLE, now, interval_ns_ * expirations, place())) {
    ++sampling().skipped;
  }
  taking_ns_ += thread_cpu_time_ns() - from;
}

void Sampler::take_blocking(const BlockingCall& call) {
  if (!running_ || locked_ != 0 || outdated_ || file_.full()) return;
  locked_ = 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  const std::uint64_t from = thread_cpu_time_ns();
  walk_stack(call.frame, limits_of(kDeepestPath), {modules_, tables_->rules, stack_},
             tables_->walk);
  // As of a sample, which has the instruction itself: the call's.
  if (tables_->walk.depth > 0) --tables_->walk.addresses[0];
  add_python_frames();
  const std::uint32_t path = place();
  if (call.blocked_ns > 0) {
    write_sample(SLK_REC_BLOCKED_AT, now_ns(), static_cast<std::uint64_t>(call.blocked_ns), path);
  }
  BlockingCalls::Sum& sum = tables_->blocking.add(call, tables_->walk, path);
  if (sum.is_due()) write_calls(sum);
  taking_ns_ += thread_cpu_time_ns() - from;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  locked_ = 0;
}

void Sampler::add_python_frames() {
  const PythonInterpreter* const python = python_interpreter();
  if (python == nullptr) return;
  StackWalk& walk = tables_->walk;
  const bool nameless = is_nameless(walk);
  tables_->python.add_frames(walk, kDeepestPath, *python, *this);
  if (!nameless || walk.depth < 2) return;
  // The Python function is known all the same.
  --walk.depth;
  std::memmove(walk.addresses, walk.addresses + 1, walk.depth * sizeof walk.addresses[0]);
  walk.stale = false;
  wants_modules_ = true;
}

bool Sampler::new_python(const PythonInterpreter& python) {
  return write(python_record(python), nullptr, 0);
}

bool Sampler::new_python_code(std::uint32_t id, const std::int64_t* args, std::size_t n_args) {
  return write(python_code_record(id), args, n_args);
}

/// The number of the path in tables_->walk; 0: it is not known.
std::uint32_t Sampler::place() {
  if (tables_->walk.stale) wants_modules_ = true;
  const bool unusable = is_nameless(tables_->walk) || tables_->walk.depth == 0;
  return unusable ? 0 : path_id();
}

void Sampler::write_calls(BlockingCalls::Sum& sum) {
  if (sum.calls == 0) return;
  const std::size_t name = std::strlen(sum.function->name) + 1;
  const std::size_t bytes = name + std::strlen(sum.file) + 1;
  std::int64_t args[SLK_BLOCKING_TEXT_AT + (PATH_MAX + 64) / sizeof(std::int64_t)] = {
      sum.calls, sum.time_ns, sum.blocked_ns};
  auto* const text = reinterpret_cast<char*>(args + SLK_BLOCKING_TEXT_AT);
  if (bytes > sizeof args - SLK_BLOCKING_TEXT_AT * sizeof *args) return;
  std::memcpy(text, sum.function->name, name);
  std::memcpy(text + name, sum.file, bytes - name);
  const std::uint64_t now = now_ns();
  write(
      slk_record{now, now, static_cast<std::uint64_t>(sum.bytes), SLK_PEER_NONE,
                 static_cast<std::int32_t>(sum.kind), 0, sum.path, 0, 0, 0, SLK_REC_BLOCKING_CALLS},
      args, SLK_BLOCKING_TEXT_AT + (bytes + sizeof *args - 1) / sizeof *args);
  sum.written_ns += sum.time_ns;
  sum.calls = sum.bytes = sum.time_ns = sum.blocked_ns = 0;
}

void Sampler::finish() {
  if (tables_ == nullptr) return;
  for (BlockingCalls::Sum& sum : tables_->blocking) write_calls(sum);
}

bool Sampler::write_sample(std::uint8_t op, std::uint64_t time_ns, std::uint64_t stands_for_ns,
                           std::uint32_t path) {
  return path != 0 &&
         write(slk_record{time_ns, time_ns, stands_for_ns, SLK_PEER_NONE, 0, 0, path, 0, 0, 0, op},
               nullptr, 0);
}

void Sampler::forget_paths() {
  std::memset(tables_->buckets, 0, sizeof tables_->buckets);
  tables_->blocking.forget_recent();
  arena_used_ = 0;
}

/// The number of the path in tables_->walk, which is written if it is new; 0: it cannot be. When
/// the table is full it is begun anew, and paths get further numbers.
std::uint32_t Sampler::path_id() {
  const StackWalk& walk = tables_->walk;
  std::uint64_t hash = walk.depth;
  for (std::size_t i = 0; i < walk.depth; ++i) {
    hash = (hash ^ walk.addresses[i]) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  }
  const std::size_t bytes = walk.depth * sizeof(std::uint64_t);
  for (const Path* p = tables_->buckets[hash % kBuckets]; p != nullptr; p = p->next) {
    if (p->hash == hash && p->depth == walk.depth &&
        std::memcmp(p->addresses(), walk.addresses, bytes) == 0) {
      return p->id;
    }
  }
  if (!tell_modules()) return 0;
  if (arena_used_ + sizeof(Path) + bytes > kArenaBytes) {
    forget_paths();
  }
  const std::uint64_t now = now_ns();
  const std::uint64_t flags = SLK_PATH_EXACT | (walk.whole ? std::uint64_t{SLK_PATH_WHOLE} : 0);
  if (!write(slk_record{now, now, flags, SLK_PEER_NONE, 0, 0, path_count_ + 1, 0, 0, 0,
                        SLK_REC_CALL_PATH},
             reinterpret_cast<const std::int64_t*>(walk.addresses), walk.depth)) {
    return 0;
  }
  auto* const added = reinterpret_cast<Path*>(tables_->arena + arena_used_);
  arena_used_ += sizeof(Path) + bytes;
  Path*& bucket = tables_->buckets[hash % kBuckets];
  *added = {bucket, hash, ++path_count_, static_cast<std::uint32_t>(walk.depth)};
  std::memcpy(static_cast<void*>(added + 1), walk.addresses, bytes);
  bucket = added;
  return added->id;
}

bool Sampler::tell_modules() {
  const StackWalk& walk = tables_->walk;
  for (std::size_t i = 0; i < walk.depth; ++i) {
    LoadedModule* const module = modules_.find(i == 0 ? walk.addresses[0] : walk.addresses[i] - 1);
    if (module == nullptr || module->recorded) continue;
    const std::size_t n = module_arguments(*module, tables_->module);
    const std::uint64_t now = now_ns();
    if (!write(slk_record{now, now, 0, SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, SLK_REC_MODULE},
               tables_->module, n)) {
      return false;
    }
    module->recorded = true;
  }
  return true;
}

bool Sampler::write(const slk_record& record, const std::int64_t* args, std::size_t n_args) {
  const std::size_t slots = (n_args + SLK_ARGS_PER_SLOT - 1) / SLK_ARGS_PER_SLOT;
  if (!file_.reserve(1 + slots)) return false;
  slk_record* const head = file_.head();
  *head = record;
  head->op = 0;
  head->n_args = static_cast<std::uint32_t>(n_args);
  if (n_args > 0) std::memcpy(static_cast<void*>(head + 1), args, n_args * sizeof *args);
  __atomic_store_n(&head->op, record.op, __ATOMIC_RELEASE);
  file_.advance(1 + slots);
  return true;
}

}  // namespace slackline::record

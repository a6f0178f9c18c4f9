#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "recorder.h"
#include "trace/sample_wire.h"

namespace slackline::record {
namespace {

/// Where the calling thread's stack lies.
class StackBounds {
 public:
  StackBounds() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void* lowest = nullptr;
    std::size_t size = 0;
    if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
      lowest_ = reinterpret_cast<std::uintptr_t>(lowest);
      end_ = lowest_ + size;
    }
    pthread_attr_destroy(&attributes);
  }
  bool holds(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    return at >= lowest_ && at < end_;
  }

 private:
  std::uintptr_t lowest_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace

bool Thread::create_file(const char* path, const slk_raw_header& header, std::uint16_t index) {
  index_ = index;
  if (file_.create(path, header)) {
    file_.header().thread = index;
    return true;
  }
  file_.refuse_all(errno);
  return false;
}

slk_record* Thread::refuse() {
  if (process.header != nullptr) {
    __atomic_add_fetch(&process.header->lost_calls, std::uint64_t{1}, __ATOMIC_RELAXED);
    if (process.header->lost_reason == 0) process.header->lost_reason = file_.error();
  }
  return sink_;
}

bool Thread::discard_abandoned() {
  // Frames on other stacks, as of coroutines, cannot be compared.
  static thread_local const StackBounds stack;
  if (!stack.holds(entry_.frame) || !stack.holds(call_frame)) return false;
  const bool under_way = call_frame < entry_.frame && entry_.frame[0] == entry_.caller_frame &&
                         entry_.frame[1] == entry_.return_address;
  if (under_way) return false;
  discard();
  if (process.header != nullptr) {
    __atomic_add_fetch(&process.header->abandoned_calls, 1u, __ATOMIC_RELAXED);
  }
  return true;
}

void Thread::sample(const ucontext_t& context, std::uint64_t expirations) {
  // What lies where a library was closed has no name yet.
  if (closed_in_samples_ != process.closed_libraries) sampler_.want_modules();
  sampler_.on_signal(context, expirations, busy() || !process.active() || process.paused);
}

void Thread::note_closed() {
  const std::uint32_t closed = process.closed_libraries;
  if (sampler_.running() && closed_in_samples_ != closed) sampler_.refresh();
  closed_in_samples_ = closed;
  if (busy()) return;  // until the next call
  paths_.forget_closed();
  closed_libraries_ = closed;
}

void Thread::close_failed_poll(std::uint64_t key) {
  const std::uint64_t begin = head_->begin_ns;
  const std::uint64_t inside = end_ns_ - begin;
  slk_record* const last = poll_.head;
  const bool adjacent = last != nullptr && poll_.window == file_.window() && poll_.end == head_;
  if (adjacent && poll_.key == key && begin - poll_.left_ns < kPollGapNs) {
    retract();
    forget_computation();  // none of its own is between the two
    auto* args = reinterpret_cast<std::int64_t*>(last + 1);
    ++args[0];
    args[1] += static_cast<std::int64_t>(inside);
    last->end_ns = end_ns_;
    poll_.left_ns = left_ns();
    leave();
    return;
  }
  head_->flags = static_cast<std::uint8_t>(head_->flags | SLK_FLAG_FAILED);
  const std::int64_t args[2] = {1, static_cast<std::int64_t>(inside)};
  close_with(2, [&](std::size_t i) { return args[i]; });
  poll_ = {head_ != sink_ ? head_ : nullptr, file_.head(), file_.window(), key, left_ns()};
}

void Thread::write(const slk_record& record, const std::int64_t* args, std::size_t n_args) {
  const std::size_t slots = (n_args + SLK_ARGS_PER_SLOT - 1) / SLK_ARGS_PER_SLOT;
  if (!file_.reserve(1 + slots)) {
    refuse();
    return;
  }
  slk_record* const head = file_.head();
  *head = record;
  head->op = 0;
  head->n_args = static_cast<std::uint32_t>(n_args);
  if (n_args > 0) std::memcpy(head + 1, args, n_args * sizeof *args);
  __atomic_store_n(&head->op, record.op, __ATOMIC_RELEASE);
  file_.advance(1 + slots);
}

void Thread::resume_sampling() {
  sampler_.resume(process.sampling.signal);
}

bool Thread::watch_processor() {
  forget_computation();
  end_ns_ = 0;
  if (process.hardware_counters) hardware_.open();
  return processor_.open();
}

void Thread::note_system_counters() {
  if (!process.system_counters) return;
  for (unsigned i = 0; i < SLK_SYSTEM_COUNTERS; ++i) {
    gain_[i] = processor_.counters().gained(static_cast<slk_counter>(i));
    if (gain_[i] != 0) gained_ |= 1u << i;
  }
}

void Thread::note_hardware_counters() {
  if (end_ns_ == 0 || process.paused) return;
  for (unsigned i = SLK_SYSTEM_COUNTERS; i < SLK_COUNTER_COUNT; ++i) {
    gain_[i] = hardware_.gained(i);
    if (gain_[i] != 0) gained_ |= 1u << i;
  }
}

/// The thread may have been scheduled out since its last call returned, or its counters are due.
void Thread::note_computation() {
  const std::int64_t cpu_before = cpu_at_end();
  const std::int64_t cpu_now = processor_.synchronise();
  if (end_ns_ == 0 || process.paused) return;
  note_system_counters();
  if (!processor_.switched()) return;
  const auto wall = static_cast<std::int64_t>(begin_ns_ - end_ns_);
  std::int64_t off = wall - (cpu_now - cpu_before);
  if (off < kOffProcessorNs) return;
  if (off > wall) off = wall;
  const std::int64_t waited = processor_.waited_ns(off);
  if (waited >= kOffProcessorNs) off_processor_ns_ = waited;
  const std::int64_t blocked = off - waited - asleep_ns();
  if (blocked >= kOffProcessorNs) blocked_ns_ = blocked;
}

OffTime Thread::off_processor() {
  if (end_ns_ == 0) return {};
  if (off_since_ != end_ns_) {
    off_since_ = end_ns_;
    off_moment_ = processor_.moment_at(end_ns_);
    off_ = {};
  }
  if (!processor_.was_off_since(off_moment_)) return off_;
  off_moment_ = processor_.moment();
  const std::int64_t cpu = static_cast<std::int64_t>(thread_cpu_time_ns()) - cpu_at_end();
  const std::int64_t off = static_cast<std::int64_t>(now_ns() - end_ns_) - cpu;
  off_ = off < kOffProcessorNs ? OffTime{} : processor_.split_off_time(off);
  return off_;
}

void Thread::begin_barrier() {
  blocked_before_ns_ = off_processor().blocked_ns;
  barrier_since_ = end_ns_;
}

void Thread::end_barrier() {
  // After calls in a task that it executed there unnoticed, it is not known how long it slept.
  if (barrier_since_ != 0 && barrier_since_ == end_ns_) {
    asleep_ns_ = asleep_ns() + off_processor().blocked_ns - blocked_before_ns_;
    asleep_since_ = end_ns_;
  }
  barrier_since_ = 0;
}

void Thread::note_blocking(const slk_blocking_call& c, bool was_off) {
  BlockingCall call{
      c.function, c.frame, nullptr, c.bytes, 0, 0, c.function->kind & SLK_BLOCKING_KINDS};
  call.time_ns = static_cast<std::int64_t>(now_ns() - c.token.begin_ns);
  const bool is_long = was_off || call.time_ns >= BlockingCalls::kShortestNs;
  // The process id is asked for where a call is new: a child of vfork() has made none of its own.
  const bool changes = (c.function->kind & ~unsigned{SLK_BLOCKING_KINDS}) != 0;
  const bool is_new = changes || is_long || !knows_file(c.file);
  if (is_new && !is_recorded_process()) return;
  // A timer that expires meanwhile finds the recorder, where nothing is to be sampled.
  set_busy(true);
  call.file = file_of_call(*c.function, c.file, is_long);
  const bool counted = call.file == nullptr || (!is_long && sampler_.count_again(call));
  if (!counted && (is_new || is_recorded_process())) {
    // What is no file leads to another process.
    if (*call.file != '\0' && *call.file != '/') call.kind = SLK_BLOCKING_PROCESS;
    if (was_off) call.blocked_ns = std::min(newly_blocked_ns(), call.time_ns);
    if (call.blocked_ns > 0 || uses_processor(call.kind)) sampler_.take_blocking(call);
  }
  set_busy(false);
}

/// For how long the thread was off its processor of its own accord since the last call of MPI or of
/// this.
std::int64_t Thread::newly_blocked_ns() {
  if (end_ns_ == 0) return 0;
  if (blocked_since_ != end_ns_) located_ns_ = 0;
  blocked_since_ = end_ns_;
  if (barrier_since_ != 0) return 0;  // the runtime waits for other threads
  const std::int64_t off = off_processor().blocked_ns - asleep_ns();
  const std::int64_t before = located_ns_;
  if (off - before < kOffProcessorNs) return 0;
  located_ns_ = off;
  return off - before;
}

void Thread::write_computation() {
  const bool after_poll = poll_.head != nullptr && poll_.end == file_.head();
  write_off_processor(SLK_REC_OFF_PROCESSOR, off_processor_ns_);
  write_off_processor(SLK_REC_BLOCKED, blocked_ns_);
  if (gained_ != 0) write_counters();
  if (region_sums_) write_region_sums(*this);
  region_sums_ = false;
  if (after_poll) poll_.end = file_.head();
}

void Thread::write_counters() {
  std::int64_t args[SLK_COUNTER_COUNT];
  std::size_t n = 0;
  for (unsigned i = 0; i < SLK_COUNTER_COUNT; ++i) {
    if ((gained_ >> i & 1) != 0) args[n++] = static_cast<std::int64_t>(gain_[i]);
  }
  slk_record r{};
  r.op = SLK_REC_COUNTERS;
  r.begin_ns = r.end_ns = begin_ns_;
  r.bytes = gained_;
  r.peer = SLK_PEER_NONE;
  gained_ = 0;
  write(r, args, n);
}

void Thread::write_off_processor(std::uint8_t op, std::int64_t& ns) {
  if (ns == 0) return;
  slk_record r{};
  r.op = op;
  r.begin_ns = r.end_ns = begin_ns_;
  r.bytes = static_cast<std::uint64_t>(ns);
  r.peer = SLK_PEER_NONE;
  ns = 0;
  write(r, nullptr, 0);
}

void Thread::write_costs(std::uint64_t clock_ns) {
  slk_record r{};
  r.op = SLK_REC_CALL_COST;
  r.begin_ns = r.end_ns = now_ns();
  r.peer = SLK_PEER_NONE;
  const auto half = static_cast<std::int64_t>(clock_ns / 2);
  for (std::uint32_t op = 0; op < SLK_OPERATION_COUNT; ++op) {
    const CostOfCall& cost = own_cost_.of(op);
    if (cost.calls() == 0) continue;
    r.request = op;
    r.bytes = cost.calls();
    const std::int64_t before = cost.before_ns() - half;
    const std::int64_t after = cost.after_ns() - half;
    const std::int64_t args[2] = {before > 0 ? before : 0, after > 0 ? after : 0};
    write(r, args, 2);
  }
}

double Thread::recording_ns(double by_trial_ns) const {
  const double each = own_cost_.known() ? own_cost_.mean_ns() : by_trial_ns;
  return each * static_cast<double>(calls_) +
         static_cast<double>(file_.writing_ns() + paths_.walking_ns() + sampler_.taking_ns());
}

bool Thread::scratch(std::size_t n) {
  if (n <= scratch_size_) return true;
  const std::size_t larger = n < 64 ? 64 : 2 * n;
  auto* statuses = static_cast<MPI_Status*>(std::realloc(statuses_, larger * sizeof(MPI_Status)));
  if (statuses != nullptr) statuses_ = statuses;
  auto* handles =
      static_cast<std::uint64_t*>(std::realloc(handles_, 2 * larger * sizeof(std::uint64_t)));
  if (handles != nullptr) handles_ = handles;
  if (statuses == nullptr || handles == nullptr) return false;
  scratch_size_ = larger;
  return true;
}

}  // namespace slackline::record

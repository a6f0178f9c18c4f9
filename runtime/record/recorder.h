#ifndef SLACKLINE_RUNTIME_RECORD_RECORDER_H
#define SLACKLINE_RUNTIME_RECORD_RECORDER_H

#include <mpi.h>
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "call_path_cache.h"
#include "clock.h"
#include "communicators.h"
#include "hardware_counters.h"
#include "own_cost.h"
#include "processor_clock.h"
#include "raw_file.h"
#include "requests.h"
#include "sampler.h"
#include "window_numbers.h"

// The program's library may be newer than this header, or older. Open MPI's handles are pointers.
#pragma weak PMPI_Group_from_session_pset
#if SLK_OPENMPI || SLK_MPICH  // else a function of the header
#pragma weak PMPI_Session_f2c
#endif
#if MPI_VERSION < 4
using MPI_Session = struct ompi_instance_t*;
extern "C" int PMPI_Group_from_session_pset(MPI_Session, const char*, MPI_Group*);
extern "C" MPI_Session PMPI_Session_f2c(MPI_Fint);
#endif

namespace slackline::record {

// The state of one recorded process, and how a call becomes a record:
//
//   Thread* t = enter();            nullptr: not recording, or inside another MPI call
//   slk_record* r = t->open(op);    what was asked is written before the call ...
//   t->begin(); rc = call(); t->end();
//   t->close();                     ... and what came out after it
//
// A record is visible to the reader from begin() on, with end_ns 0, so that a rank that dies
// inside a call shows in which.

/// Computation that was off the processor for less than this is not told.
constexpr std::int64_t kOffProcessorNs = 1000;

/// Failed polls of the same kind closer together than this become one record.
constexpr std::uint64_t kPollGapNs = 2000;

struct PollRun {
  slk_record* head = nullptr;
  slk_record* end = nullptr;  // where the next record lies if no other comes in between
  std::uint32_t window = 0;
  std::uint64_t key = 0;
  std::uint64_t left_ns = 0;  // when the last poll went back to the program
};

/// The frame of the wrapper that the calling thread is in: the saved frame pointer, then the
/// address at which the program called it. Every wrapper sets it before anything else.
extern __thread const std::uint64_t* call_frame __attribute__((tls_model("initial-exec")));

class Thread {
 public:
  bool create_file(const char* path, const slk_raw_header& header, std::uint16_t index);

  /// Starts a record. Its fields may be filled until close().
  slk_record* open(std::uint8_t op) {
    if (__builtin_expect(has_unwritten(), 0)) write_computation();
    depth_ = 1;
    ++calls_;
    head_ = target();
    *head_ = slk_record{0, 0, 0, SLK_PEER_NONE, 0, 0, 0, 0, path_, 0, 0};
    op_ = op;
    return head_;
  }
  slk_record* record() { return head_; }
  void begin() {
    begin_ns_ = now_ns();
    if (__builtin_expect(hardware_.any(), 0)) note_hardware_counters();
    if (__builtin_expect(processor_.changed(begin_ns_), 0)) note_computation();
    head_->begin_ns = begin_ns_;
    publish();
  }
  /// The call has returned.
  void end() {
    end_ns_ = now_ns();
    if (__builtin_expect(processor_.changed(end_ns_), 0)) synchronise_at_end();
    if (__builtin_expect(hardware_.any(), 0)) hardware_.start();
  }
  void close() {
    head_->end_ns = end_ns_;
    if (head_ != sink_) file_.advance(1);
    leave();
  }
  /// Ends the record with arguments; `at(i)` gives the i-th.
  template <class At>
  void close_with(std::size_t n, At at);
  /// Ends a record that found nothing: joins it with the one before when that was alike.
  void close_failed_poll(std::uint64_t key);

  /// Ends the record of a call that did not take place: nothing of it is kept.
  void discard() {
    retract();
    --calls_;
    // The computation around the call becomes one stretch, of which this would be a part only.
    forget_computation();
    leave();
  }

  /// Takes the open record away so that others can be written before it; reopen() puts it back.
  void suspend() {
    suspended_ = *head_;
    retract();
  }
  void reopen() {
    head_ = target();
    *head_ = suspended_;
    publish();
  }

  /// A record that is no call. Must not be used while one is open.
  void write(const slk_record& record, const std::int64_t* args, std::size_t n_args);

  bool busy() const { return depth_ != 0; }
  void set_busy(bool busy) { depth_ = busy ? 1 : 0; }
  /// At a wrapper's entry, where the open record may be of a call that the program has left by
  /// longjmp or an exception, as out of an error handler. Then nothing of that call is kept.
  bool discard_abandoned();
  /// At a wrapper's entry.
  void count_entry() {
    entry_ = {call_frame, call_frame[0], call_frame[1]};
    if (__builtin_expect(own_cost_.due(), 0)) {
      own_cost_.start(now_ns(), file_.window());
    }
  }
  /// Finds out on which call path the wrapper was called that set call_frame. No record may be
  /// open.
  void find_call_path();
  /// The calling thread is this one's from now on.
  bool watch_processor();
  const HardwareCounters& hardware_counters() const { return hardware_; }
  void watch_call_paths() { paths_.attach(); }
  /// Libraries were closed: what lay in them is forgotten, at once in samples.
  void note_closed();
  /// Samples the calling thread from now on; `path` is for its file.
  bool watch_computation(const char* path, const slk_raw_header& header,
                         const SamplingOptions& options) {
    return sampler_.start(path, header, index_, options);
  }
  void stop_sampling() { sampler_.stop(); }
  void suspend_sampling() { sampler_.suspend(); }
  void resume_sampling();
  /// Because the program uses the signal now.
  void give_up_sampling() {
    if (sampler_.running()) sampler_.set_state(SLK_SAMPLING_TAKEN_OVER);
    sampler_.stop();
  }
  const ProcessorClock& processor_clock() const { return processor_; }
  /// For how long the thread has been off its processor since its last call returned. 1 ns while it
  /// stays on it, else some 2 us. Not in a call.
  OffTime off_processor();
  /// The thread waits at a barrier of OpenMP, where the runtime may put it to sleep. That is time
  /// in its parallel region, and not blocked.
  void begin_barrier();
  /// Nothing if it is at none.
  void end_barrier();
  /// For how long it slept at barriers since its last call returned, the one that it is at left
  /// out.
  std::int64_t asleep_ns() const { return asleep_since_ == end_ns_ ? asleep_ns_ : 0; }
  /// After a function that may block, in which the thread was off its processor or not.
  void note_blocking(const slk_blocking_call& call, bool was_off);
  void finish_samples() { sampler_.finish(); }
  /// The thread waits for a device: how the library does that is its own business.
  void set_waiting_for_device(bool waits) { waits_for_device_ = waits; }
  bool waits_for_device() const { return waits_for_device_; }
  /// In the handler of the sampling signal: it alone has ended a system call of the thread.
  void note_interruption() { interrupted_ = true; }
  void forget_interruption() { interrupted_ = false; }
  bool interrupted() const { return interrupted_; }
  /// In the handler of the sampling signal.
  void sample(const ucontext_t& context, std::uint64_t expirations);
  /// Writes what is known of the computation before the last call. Not while a record is open.
  void write_computation();
  void finish_computation() {
    if (has_unwritten()) write_computation();
  }
  /// Writes what recording the calls of each operation took, with clocks that take `clock_ns` a
  /// reading. Not while a record is open.
  void write_costs(std::uint64_t clock_ns);
  /// CPU time that recording took in this thread, but for its start and end; `by_trial_ns` a call
  /// where too few were measured.
  double recording_ns(double by_trial_ns) const;
  std::uint64_t begin_ns() const { return head_->begin_ns; }
  std::uint64_t end_ns() const { return end_ns_; }
  void set_times(std::uint64_t begin, std::uint64_t end) {
    head_->begin_ns = begin;
    begin_ns_ = begin;
    end_ns_ = end;
    if (processor_.changed(end)) synchronise_at_end();
    publish();
  }
  std::uint64_t calls() const { return calls_; }
  /// What find_call_path() has found.
  std::uint16_t call_path() const { return path_; }
  /// Parallel regions are added up that are to be written before the next call.
  void expect_region_sums() { region_sums_ = true; }
  void forget_calls() { calls_ = 0; }
  std::uint16_t index() const { return index_; }
  RawFile& file() { return file_; }

  /// Scratch memory for `n` statuses and as many handles; nullptr when memory ran out.
  bool scratch(std::size_t n);
  MPI_Status* statuses() { return statuses_; }
  std::uint64_t* handles() { return handles_; }

  // The communicator looked up last.
  MPI_Comm comm_handle = MPI_COMM_NULL;
  Communicator* comm = nullptr;
  std::uint32_t comm_generation = 0;
  Thread* next_free = nullptr;
  Thread* next = nullptr;

 private:
  std::int64_t newly_blocked_ns();

  static constexpr std::size_t kSlack = 2;  // a head and one slot of arguments

  slk_record* target();
  slk_record* refuse();
  void publish() {
    // The fields first, then `op`: the reader takes nothing whose op is 0.
    __atomic_store_n(&head_->op, op_, __ATOMIC_RELEASE);
  }
  void leave() {
    depth_ = 0;
    if (__builtin_expect(own_cost_.measuring(), 0)) {
      own_cost_.stop(op_, begin_ns_, end_ns_, now_ns(), file_.window());
    }
  }
  std::int64_t cpu_at_end() const {
    return synchronised_end_ns_ == end_ns_ ? cpu_end_ns_ : processor_.cpu_ns(end_ns_);
  }
  void note_computation();
  void note_system_counters();
  void note_hardware_counters();
  bool has_unwritten() const {
    return off_processor_ns_ != 0 || blocked_ns_ != 0 || gained_ != 0 || region_sums_;
  }
  void write_counters();
  void write_off_processor(std::uint8_t op, std::int64_t& ns);
  void forget_computation() {
    off_processor_ns_ = 0;
    blocked_ns_ = 0;
    gained_ = 0;
  }
  void synchronise_at_end() {
    cpu_end_ns_ = processor_.synchronise();
    synchronised_end_ns_ = end_ns_;
    synchronised_until_ns_ = now_ns();
  }
  /// When the last call went back to the program: asking for CPU time takes microseconds.
  std::uint64_t left_ns() const {
    return synchronised_end_ns_ == end_ns_ ? synchronised_until_ns_ : end_ns_;
  }
  void retract() { __atomic_store_n(&head_->op, std::uint8_t{0}, __ATOMIC_RELEASE); }

  /// The frame of the wrapper under way, and what it says: its caller's frame and the address to
  /// return to. Once the wrapper was left, later calls overwrite it.
  struct Entry {
    const std::uint64_t* frame = nullptr;
    std::uint64_t caller_frame = 0;
    std::uint64_t return_address = 0;
  };

  RawFile file_;
  Entry entry_{};
  slk_record* head_ = nullptr;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::uint64_t calls_ = 0;
  ProcessorClock processor_;
  std::uint64_t synchronised_end_ns_ = 0;    // the end of a call at which CPU time was asked for
  std::uint64_t synchronised_until_ns_ = 0;  // when it was known
  std::int64_t cpu_end_ns_ = 0;              // that CPU time
  // In the computation before the last call, not yet written: without a processor that the thread
  // wanted, and off it of its own accord.
  std::int64_t off_processor_ns_ = 0;
  std::int64_t blocked_ns_ = 0;
  // The part of it, in the computation since end_ns_ == blocked_since_, of which the function is
  // known.
  std::uint64_t blocked_since_ = 0;
  std::int64_t located_ns_ = 0;
  // What off_processor() has found since end_ns_ == off_since_, up to off_moment_.
  std::uint64_t off_since_ = 0;
  std::uint64_t off_moment_ = 0;
  OffTime off_{};
  // At barriers in the computation since end_ns_ == asleep_since_; and before the one that the
  // thread is at, if barrier_since_ is not 0: then end_ns_ when it came to it.
  std::uint64_t asleep_since_ = 0;
  std::int64_t asleep_ns_ = 0;
  std::uint64_t barrier_since_ = 0;
  std::int64_t blocked_before_ns_ = 0;
  HardwareCounters hardware_;
  std::uint32_t gained_ = 0;  // counters that gained anything in that computation; not yet written
  std::uint64_t gain_[SLK_COUNTER_COUNT] = {};
  OwnCost own_cost_;
  CallPathCache paths_;
  Sampler sampler_;
  std::uint32_t depth_ = 0;
  std::uint16_t index_ = 0;
  std::uint16_t path_ = 0;  // of the calls of the present wrapper
  std::uint8_t op_ = 0;
  bool region_sums_ = false;
  // As of the process when the modules of paths, or of samples, were last looked at.
  std::uint32_t closed_libraries_ = 0;
  std::uint32_t closed_in_samples_ = 0;
  volatile bool interrupted_ = false;
  bool waits_for_device_ = false;
  PollRun poll_{};
  slk_record sink_[kSlack] = {};  // takes what is not to be kept
  slk_record suspended_{};
  MPI_Status* statuses_ = nullptr;
  std::uint64_t* handles_ = nullptr;
  std::size_t scratch_size_ = 0;
};

inline bool never_active = false;

/// What all threads of the process share. Children that the program forks have all of it, too, and
/// the mapped files beside it, but neither the threads nor the timers and perf events: they must
/// not touch anything. For them the system clears the page that holds the flag behind active().
struct Process {
  /// Between MPI_Init and MPI_Finalize, with files; in the process that called MPI_Init only.
  bool active() const { return *active_flag; }
  bool* active_flag = &never_active;
  bool paused = false;             // MPI_Pcontrol(0)
  bool multiple = false;           // MPI_THREAD_MULTIPLE: tables are locked
  bool system_counters = false;    // are recorded
  bool hardware_counters = false;  // are, too, where the machine has them
  CallPathOptions call_paths;
  SamplingOptions sampling;
  slk_raw_header* header = nullptr;  // of the thread that called MPI_Init; in the mapped file
  std::uint32_t comm_generation = 1;
  std::uint32_t closed_libraries = 0;
  std::uint32_t next_serial = 1;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  RequestTable requests;
  RequestTable messages;
  RequestTable windows;
  WindowNumbers window_numbers;
  RequestTable files;
};
extern Process process;

extern __thread Thread* this_thread __attribute__((tls_model("initial-exec")));

/// False in all children of the recorded process: forked ones, and those of vfork() and its like,
/// which run in its memory, so that there process.active() is true. A system call.
bool is_recorded_process();

/// Gives the calling thread its file. nullptr when there can be none.
Thread* attach_thread();

/// The calling thread's recorder, or nullptr when it has none or is inside an MPI call. call_frame
/// must be set.
inline Thread* idle_thread() {
  if (__builtin_expect(!process.active(), 0)) return nullptr;
  Thread* t = this_thread;
  if (__builtin_expect(t == nullptr, 0)) t = attach_thread();
  if (t == nullptr || (t->busy() && !t->discard_abandoned())) return nullptr;
  return t;
}

/// The calling thread's recorder, or nullptr when this call is not to be recorded.
inline Thread* enter() {
  Thread* const t = idle_thread();
  if (t == nullptr) return nullptr;
  t->count_entry();
  t->find_call_path();
  return t;
}

/// Holds the tables' lock, if the program may call MPI from several threads at once.
class Lock {
 public:
  Lock() {
    if (process.multiple) pthread_mutex_lock(&process.mutex);
  }
  ~Lock() {
    if (process.multiple) pthread_mutex_unlock(&process.mutex);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

inline void bump_communicator_generation() {
  __atomic_add_fetch(&process.comm_generation, 1u, __ATOMIC_RELAXED);
}

/// Handles are pointers in Open MPI and integers in MPICH.
template <class Handle>
std::uint64_t handle_bits(Handle handle) {
  std::uint64_t bits = 0;
  static_assert(sizeof handle <= sizeof bits);
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

/// The communicator's entry; nullptr only for MPI_COMM_NULL or without memory.
inline Communicator* communicator(Thread& t, MPI_Comm handle) {
  const std::uint32_t generation = __atomic_load_n(&process.comm_generation, __ATOMIC_RELAXED);
  if (handle == t.comm_handle && generation == t.comm_generation) return t.comm;
  t.comm = find_communicator(handle);
  t.comm_handle = handle;
  t.comm_generation = generation;
  return t.comm;
}

inline std::uint32_t comm_id(const Communicator* comm) {
  return comm != nullptr ? comm->id : SLK_COMM_NULL;
}

/// A record of the calling thread that is no call.
void write_event(std::uint8_t op, std::uint32_t comm, std::uint32_t request, std::uint64_t bytes,
                 const std::int64_t* args, std::size_t n_args);

/// What the preloaded library, which has the address `caller`, knows: functions of MPI whose calls
/// do not come here, as text for the header, and the CPU time of loading the recorder.
void note_start(const char* hidden, std::uint64_t cpu_ns, const void* caller);
/// Before and after a function that may block, of that kind (enum slk_blocking). `frame` is as
/// call_frame.
slk_blocking_token begin_blocking(unsigned kind);
void end_blocking(const slk_blocking_call& call);
/// Whether a call that failed with EINTR since begin_blocking() did so because of the sampling
/// signal and no other one, so that the program must not hear of it. Once for each such signal.
bool blocking_interrupted();
/// The program is about to set a handler for this signal.
void note_signal(int number);
/// The thread is about to become another program, and has not. That must get no signal of ours.
void before_exec();
void after_exec();
/// The program calls a function of MPI that is not recorded.
void note_unrecorded(const char* name);
/// Before a library is closed, by its dynamic section, which it may survive; and after that, when
/// another one may come to lie where it was.
void note_closing(const void* dynamic);
void note_closed();
/// MPI_Init is done (it began at begin_ns): opens the files, synchronises the clocks.
void start_recording(std::uint8_t op, std::uint64_t begin_ns);
/// The same for a session, if nothing has been started yet. Clocks are not synchronised: processes
/// start their sessions when they like, so that no one can wait for the others.
void start_recording_of_session(MPI_Session session);
/// The last session has ended; another one may follow.
void note_sessions_ended();
/// Before and after MPI_Finalize.
void prepare_finalize();
void stop_recording();
/// Whether the recordings of the job are analysed before it ends. MPI_Finalize's record then ends
/// where the analysis begins.
bool analyses_before_finalize();
/// Between prepare_finalize() and MPI_Finalize, also of processes that could not record.
void analyse_before_finalize();
/// MPI_Abort is about to be called.
void note_abort();

/// Writes the parallel regions that were added up since the thread's last call. Not while a record
/// is open.
void write_region_sums(Thread& thread);

/// Writes into the header which threads OpenMP's runtimes have started so far, and whether one of
/// them tells of its regions.
void note_openmp_threads(slk_raw_header& header);

/// Takes a real-time signal that the program does not use, if SLACKLINE_SAMPLE (samples a second of
/// CPU time) asks for samples: SIGPROF and the interval timers stay the program's.
SamplingOptions prepare_sampling();

void set_paused(Thread& t, bool paused);
void enter_region(const char* name);
void leave_region(const char* name);

// Definitions of the hot path.

/// Writes what is new about call paths into a thread's file.
class ThreadCallPaths final : public CallPathRecords {
 public:
  explicit ThreadCallPaths(Thread& thread) : thread_(thread) {}

 private:
  bool write(const slk_record& record, const std::int64_t* args, std::size_t n_args) override {
    thread_.write(record, args, n_args);
    return true;
  }

  Thread& thread_;
};

inline void Thread::find_call_path() {
  if (__builtin_expect(closed_libraries_ != process.closed_libraries, 0)) note_closed();
  if (__builtin_expect(sampler_.wants_modules(), 0)) sampler_.refresh();
  if (process.call_paths.deepest == 0 || process.paused) return;
  ThreadCallPaths records(*this);
  path_ = paths_.find(call_frame, process.call_paths, records);
}

inline slk_record* Thread::target() {
  if (__builtin_expect(process.paused, 0)) return sink_;
  return __builtin_expect(file_.reserve(kSlack), 1) ? file_.head() : refuse();
}

template <class At>
void Thread::close_with(std::size_t n, At at) {
  const std::size_t slots = (n + SLK_ARGS_PER_SLOT - 1) / SLK_ARGS_PER_SLOT;
  if (head_ != sink_ && !file_.reserve(1 + slots)) {
    // No room for the arguments: the call is lost as a whole, rather than half told.
    retract();
    head_ = refuse();
  }
  if (head_ != sink_) {
    head_ = file_.head();  // the window may have moved
    auto* args = reinterpret_cast<std::int64_t*>(head_ + 1);
    for (std::size_t i = 0; i < n; ++i) args[i] = at(i);
    head_->n_args = static_cast<std::uint32_t>(n);
    __atomic_signal_fence(__ATOMIC_RELEASE);
    head_->end_ns = end_ns_;
    file_.advance(1 + slots);
  }
  leave();
}

}  // namespace slackline::record

#endif

// Parallel regions of OpenMP: what each thread of a team did between begin and end.
//
// The problem: a region may last a microsecond and a program may have millions of them, on any
// number of threads, and the program must not notice. The idea: one region is followed at a time,
// the outermost ones of the thread that called MPI_Init. Its threads write their own times, each
// into a cache line of its own, without locks: two readings of the clock a thread and two a
// barrier. When the region has ended, that thread makes one record of it. Short regions of which
// many lie between two calls are added up there by place and team, so that a recording grows with
// the calls and with time, never with the number of regions.
//
// Nested regions count as work of the thread that has them, and are counted; so are those of other
// threads, of which nothing else is recorded.

#include <algorithm>
#include <cstdlib>

#include "openmp.h"
#include "recorder.h"

namespace slackline::record {

namespace {

constexpr std::uint32_t kMostThreads = 1024;
constexpr std::uint64_t kLong_ns = 100'000;  // a region that is recorded by itself, always
constexpr std::uint32_t kSingles = 8;        // and the first short ones between two calls
constexpr std::size_t kSums = 64;

/// A thread's times in the region followed. Written by that thread alone, but read by the one that
/// ends the region.
struct alignas(64) TeamThread {
  std::uint64_t region;  // the number of the one that the rest is of
  std::uint64_t begin_ns;
  std::uint64_t waited_ns;   // at barriers that it has left
  std::uint64_t waiting_ns;  // since when at one; 0: at none, or executing a task there
};

/// The main thread's since its last call. One that returned in the region says that the region did
/// not begin in this computation.
struct MainThreadTime {
  std::uint64_t since_ns;   // when that call returned
  std::int64_t blocked_ns;  // outside of barriers
  std::int64_t waited_ns;   // for a processor
};

/// Regions of one place and team between two calls, as one.
struct RegionSum {
  std::uint64_t first_begin_ns;
  std::uint64_t last_end_ns;
  std::uint32_t instances;
  std::uint16_t path;
  std::uint32_t team;
  std::uint32_t room;  // of `args`, in threads
  std::int64_t* args;  // as of the record
};

TeamThread threads[kMostThreads];
// The calling thread's: its place in the region of that number, and how many regions deeper it is.
__thread TeamThread* own __attribute__((tls_model("initial-exec")));
__thread std::uint64_t own_region __attribute__((tls_model("initial-exec")));
__thread std::uint32_t nested __attribute__((tls_model("initial-exec")));

// Read by all threads of the team, so that it shares its cache line with nothing that is written
// more often.
alignas(64) std::uint64_t followed;      // the number of the region under way; 0: none
alignas(64) std::uint64_t region_count;  // followed so far
std::uint64_t begin_ns;
MainThreadTime begin_time;
std::uint16_t path;
std::uint32_t team;
std::int64_t args[SLK_PARALLEL_TEAM_AT + 2 * kMostThreads];  // of the record

std::uint64_t singles_calls;  // calls of the thread when it had `singles` since the last one
std::uint32_t singles;
RegionSum sums[kSums];
std::size_t sum_count;

template <class T>
T load(const T& value) {
  return __atomic_load_n(&value, __ATOMIC_RELAXED);
}
template <class T>
void store(T& value, T to) {
  __atomic_store_n(&value, to, __ATOMIC_RELAXED);
}

constexpr std::size_t args_of(std::uint32_t threads_of_team) {
  return SLK_PARALLEL_TEAM_AT + 2 * std::size_t{threads_of_team};
}

MainThreadTime main_thread_time(Thread& t) {
  const OffTime off = t.off_processor();
  return {t.end_ns(), off.blocked_ns - t.asleep_ns(), off.waited_ns};
}

void count(std::uint32_t slk_raw_header::*counter) {
  if (process.header == nullptr) return;
  __atomic_add_fetch(&(process.header->*counter), 1u, __ATOMIC_RELAXED);
}

/// The calling thread's place in the region that is followed now; null: it is in none, or deeper.
TeamThread* place() {
  TeamThread* const t = own;
  const bool in_it = t != nullptr && nested == 0 && own_region == load(followed);
  return in_it && process.active() ? t : nullptr;
}

slk_region begin_region(const std::uint64_t* frame, std::uint32_t runtime) {
  if (!process.active() || process.paused) return SLK_REGION_IGNORED;
  if (nested > 0 || place() != nullptr) {
    ++nested;
    return SLK_REGION_NESTED;
  }
  call_frame = frame;
  Thread* const t = this_thread == nullptr ? nullptr : idle_thread();
  if (t == nullptr || t->index() != 0 || load(followed) != 0) {
    count(&slk_raw_header::foreign_regions);
    return SLK_REGION_IGNORED;
  }
  process.header->openmp = runtime;
  t->find_call_path();
  path = t->call_path();
  team = 0;
  begin_time = main_thread_time(*t);
  begin_ns = now_ns();
  __atomic_store_n(&followed, ++region_count, __ATOMIC_RELEASE);
  return SLK_REGION_FOLLOWED;
}

void end_nested() {
  if (nested > 0) --nested;
}

/// One of a single thread, as all are where nesting is not allowed, is like the code without it.
void note_nested_team(std::uint32_t of) {
  if (of > 1) count(&slk_raw_header::nested_regions);
}

std::uint64_t followed_region() {
  return __atomic_load_n(&followed, __ATOMIC_ACQUIRE);
}

void begin_thread(std::uint32_t number, std::uint32_t of) {
  if (number == 0) store(team, of);
  TeamThread* const t = number < kMostThreads ? &threads[number] : nullptr;
  own = t;
  own_region = followed_region();
  nested = 0;
  if (t == nullptr) return;
  store(t->begin_ns, now_ns());
  store(t->waited_ns, std::uint64_t{0});
  store(t->waiting_ns, std::uint64_t{0});
  __atomic_store_n(&t->region, own_region, __ATOMIC_RELEASE);
}

void start_waiting(TeamThread& t) {
  store(t.waiting_ns, now_ns());
  if (&t == &threads[0]) this_thread->begin_barrier();
}

void begin_wait() {
  TeamThread* const t = place();
  if (t != nullptr && t->waiting_ns == 0) start_waiting(*t);
}

void stop_waiting(TeamThread& t) {
  if (t.waiting_ns == 0) return;
  store(t.waited_ns, t.waited_ns + now_ns() - t.waiting_ns);
  store(t.waiting_ns, std::uint64_t{0});
  if (&t == &threads[0]) this_thread->end_barrier();
}

void end_wait() {
  TeamThread* const t = place();
  if (t != nullptr) stop_waiting(*t);
}

int begin_task() {
  TeamThread* const t = place();
  if (t == nullptr || t->waiting_ns == 0) return 0;
  stop_waiting(*t);
  return 1;
}

void end_task(int was_waiting) {
  if (was_waiting != 0) begin_wait();
}

int in_region() {
  return place() != nullptr ? 1 : 0;
}

/// Fills args. Threads of the team that never came to it were idle all the time.
void collect(Thread& main, std::uint64_t end_ns) {
  main.end_barrier();
  MainThreadTime time = main_thread_time(main);
  if (time.since_ns == begin_time.since_ns) {
    time.blocked_ns -= begin_time.blocked_ns;
    time.waited_ns -= begin_time.waited_ns;
  }
  args[0] = static_cast<std::int64_t>(end_ns - begin_ns);
  args[1] = std::clamp<std::int64_t>(time.blocked_ns, 0, args[0]);
  args[2] = std::clamp<std::int64_t>(time.waited_ns, 0, args[0] - args[1]);
  for (std::uint32_t i = 0; i < team; ++i) {
    const TeamThread& t = threads[i];
    std::int64_t busy = 0;
    std::int64_t waited = 0;
    if (__atomic_load_n(&t.region, __ATOMIC_ACQUIRE) == region_count) {
      const std::uint64_t since = load(t.waiting_ns);
      waited = static_cast<std::int64_t>(load(t.waited_ns));
      if (since != 0 && since < end_ns) waited += static_cast<std::int64_t>(end_ns - since);
      busy = static_cast<std::int64_t>(end_ns - load(t.begin_ns)) - waited;
    }
    args[args_of(i)] = busy > 0 ? busy : 0;
    args[args_of(i) + 1] = waited;
  }
}

void write_region(Thread& t, const RegionSum& sum, const std::int64_t* of) {
  slk_record r{};
  r.op = SLK_REC_PARALLEL;
  r.begin_ns = r.end_ns = sum.last_end_ns;
  r.bytes = sum.last_end_ns - sum.first_begin_ns;
  r.peer = SLK_PEER_NONE;
  r.request = sum.instances;
  r.path = sum.path;
  t.write(r, of, args_of(sum.team));
}

RegionSum* sum_of_place(Thread& t) {
  for (std::size_t i = 0; i < sum_count; ++i) {
    if (sums[i].path == path && sums[i].team == team) return &sums[i];
  }
  if (sum_count == kSums) write_region_sums(t);
  RegionSum& sum = sums[sum_count];
  if (sum.room < team) {
    auto* const larger =
        static_cast<std::int64_t*>(std::realloc(sum.args, args_of(team) * sizeof(std::int64_t)));
    if (larger == nullptr) return nullptr;
    sum.args = larger;
    sum.room = team;
  }
  ++sum_count;
  std::memset(sum.args, 0, args_of(team) * sizeof(std::int64_t));
  sum.first_begin_ns = begin_ns;
  sum.instances = 0;
  sum.path = path;
  sum.team = team;
  t.expect_region_sums();
  return &sum;
}

void add_to_sum(Thread& t, std::uint64_t end_ns) {
  RegionSum* const sum = sum_of_place(t);
  if (sum == nullptr) {
    count(&slk_raw_header::lost_regions);
    return;
  }
  ++sum->instances;
  sum->last_end_ns = end_ns;
  for (std::size_t i = 0; i < args_of(team); ++i) sum->args[i] += args[i];
}

void end_region() {
  Thread* const t = this_thread;
  const std::uint64_t end_ns = now_ns();
  const std::uint64_t number = load(followed);
  __atomic_store_n(&followed, std::uint64_t{0}, __ATOMIC_RELEASE);
  if (t == nullptr || number == 0 || t->busy() || !process.active()) return;
  if (team == 0 || team > kMostThreads) {
    count(&slk_raw_header::lost_regions);
    return;
  }
  collect(*t, end_ns);
  if (singles_calls != t->calls()) singles = 0;
  singles_calls = t->calls();
  if (end_ns - begin_ns >= kLong_ns || singles < kSingles) {
    ++singles;
    write_region(*t, RegionSum{begin_ns, end_ns, 1, path, team, 0, nullptr}, args);
  } else {
    add_to_sum(*t, end_ns);
  }
}

constexpr slk_openmp_hooks kHooks{begin_region,    end_region,   end_nested, note_nested_team,
                                  followed_region, begin_thread, begin_wait, in_region,
                                  begin_wait,      end_wait,     begin_task, end_task};

const slk_openmp_state* seen;  // by the preloaded library

}  // namespace

void write_region_sums(Thread& t) {
  for (std::size_t i = 0; i < sum_count; ++i) write_region(t, sums[i], sums[i].args);
  sum_count = 0;
}

void note_openmp_threads(slk_raw_header& header) {
  if (seen == nullptr) return;
  header.openmp_threads = load(seen->threads);
  if (header.openmp == SLK_OPENMP_NONE) header.openmp = load(seen->observed);
}

extern "C" __attribute__((visibility("default"))) const slk_openmp_hooks* slk_openmp_table(
    const slk_openmp_state* state) {
  seen = state;
  return &kHooks;
}

}  // namespace slackline::record

#include "recorder.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

#include <fcntl.h>

#include "job_analysis.h"
#include "job_start.h"
#include "loaded_modules.h"

namespace slackline::record {

__thread Thread* this_thread;
__thread const std::uint64_t* call_frame;

namespace {

pthread_mutex_t thread_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_key_t thread_key;
Thread* all_threads;   // every thread that has a recorder
Thread* free_threads;  // those whose owner has ended: the next new thread takes over
slk_raw_header first_header;
char directory[3072];
std::uint16_t thread_count;
bool takes_part = false;  // in what the ranks of MPI_COMM_WORLD do together
bool started;
const void* preloaded;    // an address in the library that has the entry points
bool recording_sessions;  // they, and not MPI_Init, started the recording
ProcessorTime processors_at_start;
std::uint64_t cpu_time_at_start_ns = 0;
std::uint64_t fixed_cost_ns;  // CPU time of starting and ending the recording
std::uint64_t clock_cost_ns;  // of one reading

void complain(const char* what, const char* path, int error) {
  std::fprintf(stderr, "slackline: rank %d is not recorded: %s %s (%s); the program goes on\n",
               first_header.rank, what, path, std::strerror(error));
}

void read_line(const char* path, char* out, std::size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t n = read(fd, out, size - 1);
  close(fd);
  std::size_t end = n > 0 ? static_cast<std::size_t>(n) : 0;
  // /proc/self/cmdline separates by NUL.
  while (end > 0 && (out[end - 1] == '\n' || out[end - 1] == '\0')) --end;
  for (std::size_t i = 0; i < end; ++i) {
    if (out[i] == '\0') out[i] = ' ';
  }
  out[end] = '\0';
}

std::uint64_t realtime_ns() {
  timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(t.tv_nsec);
}

/// The processors on which this process may run, as it was started.
void note_processors(slk_raw_header& h) {
  static_assert(sizeof h.processors == sizeof(cpu_set_t));
  if (sched_getaffinity(0, sizeof h.processors, reinterpret_cast<cpu_set_t*>(h.processors)) != 0) {
    std::memset(h.processors, 0, sizeof h.processors);
  }
}

/// Whose library it is. The standard ABI does not say so: then by its version text.
slk_mpi_library library_of(const char* version) {
  if (SLK_OPENMPI || std::strstr(version, "Open MPI") != nullptr) return SLK_MPI_OPENMPI;
  if (SLK_MPICH) return SLK_MPI_MPICH;
  for (const char* family : {"MPICH", "MVAPICH", "Intel", "CRAY"}) {
    if (std::strstr(version, family) != nullptr) return SLK_MPI_MPICH;
  }
  return SLK_MPI_UNKNOWN;
}

/// MPI_THREAD_SINGLE to MPI_THREAD_MULTIPLE as 0 to 3, which they are in no standard.
int level_number(int level) {
  return (level >= MPI_THREAD_FUNNELED ? 1 : 0) + (level >= MPI_THREAD_SERIALIZED ? 1 : 0) +
         (level >= MPI_THREAD_MULTIPLE ? 1 : 0);
}

void fill_header(int rank, int size, int thread_level) {
  slk_raw_header& h = first_header;
  h.magic = SLK_WIRE_MAGIC;
  h.version = SLK_WIRE_VERSION;
  h.header_bytes = SLK_RAW_HEADER_BYTES;
  h.rank = rank;
  h.world_size = size;
  h.pid = getpid();
  note_processors(h);
  h.thread_level = level_number(thread_level);
  process.multiple = thread_level == MPI_THREAD_MULTIPLE;
  h.realtime_ns = realtime_ns();
  h.monotonic_ns = now_ns();
  gethostname(h.host, sizeof h.host - 1);
  read_line("/proc/sys/kernel/random/boot_id", h.boot_id, sizeof h.boot_id);
  read_line("/proc/self/cmdline", h.program, sizeof h.program);
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  PMPI_Get_library_version(version, &length);
  h.mpi_library = library_of(version);
  for (char* c = version; *c != '\0'; ++c) {
    if (*c == '\t') *c = ' ';
    if (*c == '\n') {
      *c = '\0';
      break;
    }
  }
  std::snprintf(h.mpi_version, sizeof h.mpi_version, "%.255s", version);
}

/// When the thread ends. Other destructors of its data may call MPI after this one: then it gets a
/// recorder again.
void release_thread(void* value) {
  if (!is_recorded_process()) return;
  auto* t = static_cast<Thread*>(value);
  t->stop_sampling();
  this_thread = nullptr;
  pthread_mutex_lock(&thread_mutex);
  t->next_free = free_threads;
  free_threads = t;
  pthread_mutex_unlock(&thread_mutex);
}

/// The name of the calling rank's file for the thread of that number.
void file_name(std::uint16_t index, const char* suffix, char* path, std::size_t room) {
  if (index == 0) {
    std::snprintf(path, room, "%s/raw/rank-%d.%s", directory, first_header.rank, suffix);
  } else {
    std::snprintf(path, room, "%s/raw/rank-%d.t%d.%s", directory, first_header.rank, index, suffix);
  }
}

/// Gives process.active_flag a page that is cleared in forked children, however they are made.
void make_active_flag() {
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) process.active_flag = static_cast<bool*>(page);
  // Linux before 4.14 cannot: then only those that the C library's fork() makes are noticed.
  if (page != MAP_FAILED && madvise(page, bytes, MADV_WIPEONFORK) == 0) return;
  pthread_atfork(nullptr, nullptr, [] { *process.active_flag = false; });
}

/// SLACKLINE_COUNTERS: "none", "software" (and unset), "hardware".
void choose_counters() {
  const char* const asked = std::getenv("SLACKLINE_COUNTERS");
  process.system_counters = asked == nullptr || std::strcmp(asked, "none") != 0;
  process.hardware_counters = asked != nullptr && std::strcmp(asked, "hardware") == 0;
}

/// Which counters the thread that called MPI_Init has.
void note_counters(const Thread& t, slk_raw_header& h) {
  if (process.system_counters) h.counters = (1u << SLK_SYSTEM_COUNTERS) - 1;
  h.counters |= t.hardware_counters().known();
  h.missing_counters = t.hardware_counters().missing();
  h.missing_reason = t.hardware_counters().missing_reason();
}

void note_processor_time(slk_raw_header& h) {
  const ProcessorTime now = processor_time(h.processors);
  if (!process.system_counters || now.total_ns <= processors_at_start.total_ns) return;
  h.used_ns = now.used_ns - processors_at_start.used_ns;
  h.used_by_process_ns = cpu_time_ns() - cpu_time_at_start_ns;
  h.stolen_ns = now.stolen_ns - processors_at_start.stolen_ns;
  h.processors_ns = now.total_ns - processors_at_start.total_ns;
}

void sample_thread(Thread& t) {
  if (process.sampling.interval_ns == 0) return;
  char path[sizeof directory + 64];
  file_name(t.index(), "slksamples", path, sizeof path);
  t.watch_computation(path, first_header, process.sampling);
}

Thread* new_thread() {
  void* memory = std::calloc(1, sizeof(Thread));
  if (memory == nullptr) return nullptr;
  auto* t = new (memory) Thread;
  const std::uint16_t index = thread_count++;
  char path[sizeof directory + 64];
  file_name(index, "slkraw", path, sizeof path);
  if (!t->create_file(path, first_header, index)) {
    const int error = errno;
    complain(index == 0 ? "cannot create" : "one of its threads has no file: cannot create", path,
             error);
    if (index == 0) note_failure(directory, first_header.rank, error);
  }
  t->next = all_threads;
  all_threads = t;
  return t;
}

/// Nanoseconds of one record, x 1000: the best of a few rounds into a record that is thrown away.
std::uint64_t measure_cost(Thread& t, MPI_Comm known) {
  constexpr int kRounds = 4;
  constexpr int kCalls = 64;
  std::uint64_t best = UINT64_MAX;
  process.paused = true;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t from = now_ns();
    for (int i = 0; i < kCalls; ++i) {
      const Communicator* comm = communicator(t, known);
      int size = 0;
      PMPI_Type_size(MPI_DOUBLE, &size);
      slk_record* r = t.open(SLK_OP_none);
      r->comm = comm_id(comm);
      r->bytes = static_cast<std::uint64_t>(size);
      t.begin();
      t.end();
      t.close();
    }
    const std::uint64_t took = now_ns() - from;
    if (took < best) best = took;
  }
  process.paused = false;
  t.forget_calls();
  return best * 1000 / kCalls;
}

/// Nanoseconds of one reading of the clock: the best of a few rounds.
std::uint64_t measure_clock_cost() {
  constexpr int kRounds = 4;
  constexpr std::uint64_t kReadings = 32;
  std::uint64_t best = UINT64_MAX;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t from = now_ns();
    std::uint64_t last = from;
    for (std::uint64_t i = 0; i < kReadings; ++i) last = now_ns();
    if (last - from < best) best = last - from;
  }
  return best / kReadings;
}

/// Finds out where to write, once. False: nothing is to be recorded, or it is already.
bool find_directory() {
  const char* where = std::getenv("SLACKLINE_DIR");
  if (started || where == nullptr || *where == '\0') return false;
  if (std::strlen(where) >= sizeof directory) return false;
  started = true;
  make_active_flag();
  std::memcpy(directory, where, std::strlen(where) + 1);
  return true;
}

/// Opens the file of the calling thread. nullptr: this process is not recorded.
Thread* open_files(MPI_Group world, MPI_Comm known) {
  process.call_paths = call_path_options();
  process.sampling = prepare_sampling();
  choose_counters();
  make_raw_folder(directory);
  const bool able = pthread_key_create(&thread_key, release_thread) == 0 &&
                    init_communicators(world, known != MPI_COMM_NULL);
  Thread* const t = able ? attach_thread() : nullptr;
  if (t == nullptr || t->file().full()) return nullptr;
  process.header = &t->file().header();
  process.header->cost_ns = measure_cost(*t, known);
  clock_cost_ns = measure_clock_cost();
  process.header->knows_cpu_time = first_header.knows_cpu_time;
  note_counters(*t, *process.header);
  if (process.system_counters) {
    processors_at_start = processor_time(process.header->processors);
    cpu_time_at_start_ns = cpu_time_ns();
  }
  return t;
}

template <std::size_t Room>
void note_name(const char* name, char (&names)[Room]) {
  pthread_mutex_lock(&thread_mutex);
  add_name(name, names, Room);
  pthread_mutex_unlock(&thread_mutex);
}

/// The library with that dynamic section, or all: whether their calls come here.
void note_unseen(const void* dynamic) {
  find_unseen_calls(preloaded, dynamic,
                    {[](const char* name) { note_name(name, process.header->unseen_libraries); },
                     [](const char* name) { note_name(name, process.header->unrecorded_calls); }});
}

/// How many processes the launcher has started together, by what it tells each; 0 unknown.
std::int32_t launched_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && std::atoi(value) > 0) return std::atoi(value);
  }
  return 0;
}

void note_totals() {
  std::uint64_t calls = 0;
  double recording = static_cast<double>(fixed_cost_ns);
  const double by_trial = static_cast<double>(process.header->cost_ns) / 1000;
  for (Thread* t = all_threads; t != nullptr; t = t->next) {
    calls += t->calls();
    recording += t->recording_ns(by_trial);
  }
  process.header->calls = calls;
  process.header->recording_ns = static_cast<std::uint64_t>(recording);
  process.header->cpu_ns = cpu_time_ns();
  note_unseen(nullptr);
  note_processor_time(*process.header);
  note_openmp_threads(*process.header);
}

}  // namespace

Process process;

bool is_recorded_process() {
  return getpid() == first_header.pid;
}

Thread* attach_thread() {
  pthread_mutex_lock(&thread_mutex);
  Thread* t = free_threads;
  if (t != nullptr) {
    free_threads = t->next_free;
  } else {
    t = new_thread();
  }
  pthread_mutex_unlock(&thread_mutex);
  this_thread = t;
  if (t == nullptr) return nullptr;
  pthread_setspecific(thread_key, t);
  if (process.call_paths.deepest > 1) t->watch_call_paths();
  sample_thread(*t);
  const bool exact = t->watch_processor();
  if (t->index() == 0) first_header.knows_cpu_time = exact ? 1 : 2;
  return t;
}

void write_event(std::uint8_t op, std::uint32_t comm, std::uint32_t request, std::uint64_t bytes,
                 const std::int64_t* args, std::size_t n_args) {
  Thread* t = this_thread;
  if (t == nullptr) t = attach_thread();
  if (t == nullptr) return;
  const std::uint64_t now = now_ns();
  t->write(slk_record{now, now, bytes, SLK_PEER_NONE, 0, comm, request, 0, 0, 0, op}, args, n_args);
}

void note_start(const char* hidden, std::uint64_t cpu_ns, const void* caller) {
  preloaded = caller;
  std::snprintf(first_header.hidden_calls, sizeof first_header.hidden_calls, "%s", hidden);
  fixed_cost_ns = cpu_ns;
}

slk_blocking_token begin_blocking(unsigned kind) {
  Thread* const t = this_thread;
  if (!process.active() || process.sampling.interval_ns == 0 || t == nullptr) return {};
  t->forget_interruption();
  if (t->busy() || t->waits_for_device() || process.paused) return {};
  t->set_waiting_for_device(kind == SLK_BLOCKING_DEVICE);
  return {t->processor_clock().moment(), now_ns()};
}

bool blocking_interrupted() {
  Thread* const t = this_thread;
  if (t == nullptr || !process.active() || !t->interrupted()) return false;
  t->forget_interruption();
  return true;
}

void end_blocking(const slk_blocking_call& call) {
  Thread* const t = this_thread;
  if (t == nullptr || !process.active()) return;
  t->set_waiting_for_device(false);
  const bool was_off = t->processor_clock().was_off_since(call.token.moment);
  if (was_off || uses_processor(call.function->kind)) t->note_blocking(call, was_off);
}

void note_signal(int number) {
  if (process.sampling.interval_ns == 0 || number != process.sampling.signal) return;
  if (!process.active() || !is_recorded_process()) return;
  process.sampling.interval_ns = 0;
  for (Thread* t = all_threads; t != nullptr; t = t->next) t->give_up_sampling();
}

void before_exec() {
  if (this_thread != nullptr && process.active() && is_recorded_process()) {
    this_thread->suspend_sampling();
  }
}

void after_exec() {
  if (this_thread != nullptr && process.active() && is_recorded_process()) {
    this_thread->resume_sampling();
  }
}

void note_unrecorded(const char* name) {
  if (process.active() && is_recorded_process()) note_name(name, process.header->unrecorded_calls);
}

void note_closing(const void* dynamic) {
  if (process.active() && is_recorded_process()) note_unseen(dynamic);
}

void note_closed() {
  if (!process.active() || !is_recorded_process()) return;
  __atomic_add_fetch(&process.closed_libraries, 1u, __ATOMIC_RELAXED);
  // Others do when they next call MPI.
  if (this_thread != nullptr) this_thread->note_closed();
}

void start_recording(std::uint8_t op, std::uint64_t begin_ns) {
  if (!find_directory()) return;
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  set_clock_fault(std::getenv("SLACKLINE_TEST_CLOCK"), rank);
  int thread_level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&thread_level);
  fill_header(rank, size, thread_level);
  first_header.launched = launched_processes();
  // Even a rank that cannot record takes part, or the others would wait for it. No communicator is
  // made: in Open MPI 4.1, MPI_Dist_graph_create with reordering hangs at times after that. The
  // program's own messages cannot meet these: it goes on after the barrier.
  takes_part = true;
  const std::uint64_t cpu_before = thread_cpu_time_ns();
  choose_job_folder(directory, sizeof directory, rank, MPI_COMM_WORLD);
  agree_on_analysis(rank);
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  Thread* const t = open_files(world, MPI_COMM_WORLD);
  const slk_clock_sample sample =
      measure_clock(first_header.host, first_header.boot_id, MPI_COMM_WORLD);
  PMPI_Barrier(MPI_COMM_WORLD);
  if (t == nullptr) return;
  process.header->clock_begin = sample;
  t->find_call_path();
  t->open(op);
  if (op == SLK_OP_init_thread) {
    t->set_times(begin_ns, now_ns());
    t->close_with(1, [&](std::size_t) { return std::int64_t{first_header.thread_level}; });
  } else {
    t->set_times(begin_ns, now_ns());
    t->close();
  }
  fixed_cost_ns += thread_cpu_time_ns() - cpu_before;
  *process.active_flag = true;
}

void start_recording_of_session(MPI_Session session) {
  if (recording_sessions) process.header->finalized = 0;
  if (!find_directory()) return;
  MPI_Group world = MPI_GROUP_NULL;
  if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &world) != MPI_SUCCESS) return;
  int rank = MPI_UNDEFINED;
  int size = 0;
  PMPI_Group_rank(world, &rank);
  PMPI_Group_size(world, &size);
  if (rank == MPI_UNDEFINED) return;
  set_clock_fault(std::getenv("SLACKLINE_TEST_CLOCK"), rank);
  fill_header(rank, size, MPI_THREAD_MULTIPLE);  // a session may give any level
  if (open_files(world, MPI_COMM_NULL) == nullptr) return;
  recording_sessions = true;
  *process.active_flag = true;
}

void note_sessions_ended() {
  if (!recording_sessions || !is_recorded_process()) return;
  note_totals();
  process.header->finalized = 1;
}

void prepare_finalize() {
  if (started && !is_recorded_process()) return;
  if (process.header != nullptr && recording_sessions) process.header->finalized = 1;
  if (!started || !takes_part) return;
  // Receives that the program has never completed must not get these messages.
  MPI_Comm private_comm = make_private_world();
  if (private_comm == MPI_COMM_NULL) return;
  PMPI_Barrier(private_comm);  // waiting for late ranks is not recording's
  const std::uint64_t cpu_before = thread_cpu_time_ns();
  const slk_clock_sample sample =
      measure_clock(first_header.host, first_header.boot_id, private_comm);
  PMPI_Comm_free(&private_comm);
  if (process.header == nullptr) return;
  process.header->clock_end = sample;
  process.header->finalized = 1;
  fixed_cost_ns += thread_cpu_time_ns() - cpu_before;
}

void stop_recording() {
  if (process.header == nullptr || !process.active()) return;
  *process.active_flag = false;
  for (Thread* t = all_threads; t != nullptr; t = t->next) t->stop_sampling();
  note_totals();
  for (Thread* t = all_threads; t != nullptr; t = t->next) {
    if (t->file().full()) continue;
    t->finish_computation();
    t->write_costs(clock_cost_ns);
    t->finish_samples();
    t->file().finish();
  }
}

bool analyses_before_finalize() {
  return takes_part && analysis_wanted() && is_recorded_process();
}

void analyse_before_finalize() {
  // Who reads on another host sees only what has left this one.
  MPI_Comm world = make_private_world();
  if (world == MPI_COMM_NULL) return;
  const RanksHost host = find_host(world);
  if (!host.has_all_ranks) {
    for (Thread* t = all_threads; t != nullptr; t = t->next) t->file().flush_to_disk();
  }
  analyse_job({directory, first_header.rank, now_ns() - first_header.monotonic_ns,
               process.header == nullptr ? 0 : process.header->calls},
              host, world);
  PMPI_Comm_free(&world);
}

void note_abort() {
  if (process.active() && is_recorded_process()) process.header->cpu_ns = cpu_time_ns();
}

void set_paused(Thread& t, bool paused) {
  if (process.paused == paused) return;
  const std::uint64_t now = now_ns();
  const auto op = static_cast<std::uint8_t>(paused ? SLK_REC_RECORDING_OFF : SLK_REC_RECORDING_ON);
  t.write(slk_record{now, now, 0, SLK_PEER_NONE, 0, 0, 0, 0, 0, 0, op}, nullptr, 0);
  process.paused = paused;
}

}  // namespace slackline::record

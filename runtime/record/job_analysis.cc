#include "job_analysis.h"

#include <mpi.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "clock.h"

namespace slackline::record {

namespace {

constexpr int kFirst = 0;
bool wanted;

/// What a report on the run as a whole takes for each call, at most.
constexpr std::uint64_t kWholeCall_ns = 2'500;
constexpr std::uint64_t kWholeCall_bytes = 500;
/// Calls for each process that shares the work, where there are processors enough.
constexpr std::uint64_t kSharedCalls = 50'000;

/// What all processes of the analysis are asked, by rank 0.
struct Question {
  char program[4096];
  char sections[512];
  char report[512];
  char limits[256];
  std::uint64_t run_ns;
};

/// What a rank's analysis has cost, and how the process beside it has ended, if it had one.
struct RankCosts {
  std::int64_t elapsed_ns;
  std::int64_t cpu_ns;
  std::int64_t sent_bytes;
  std::int64_t engine;  ///< whether there was one
  std::int64_t engine_cpu_ns;
  std::int64_t engine_kib;
  std::int64_t end_kind;
  std::int64_t end_status;
};

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

/// Half of what the host says it has left for new programs; 1 GiB where it does not say.
std::uint64_t half_of_free_memory() {
  constexpr std::uint64_t kUnknown = std::uint64_t{1} << 30;
  std::FILE* const file = std::fopen("/proc/meminfo", "re");
  if (file == nullptr) return kUnknown;
  unsigned long long kib = 0;
  char line[128];
  while (std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "MemAvailable: %llu", &kib) == 1) break;
  }
  std::fclose(file);
  return kib == 0 ? kUnknown : kib * 1024 / 2;
}

const char* limits_asked_for() {
  const char* const text = std::getenv("SLACKLINE_ANALYSE_LIMITS");
  return text == nullptr ? "" : text;
}

/// `sharers`: processes on the host, which share the memory.
EngineLimits limits_from(const char* text, std::uint64_t run_ns, int sharers) {
  double share = 0;
  double seconds = 2;
  unsigned long long bytes = 0;
  std::sscanf(text, "%lf %lf %llu", &share, &seconds, &bytes);
  const double of_run = share * static_cast<double>(run_ns);
  const double least = seconds * 1e9;
  const std::uint64_t memory = bytes != 0 ? bytes : half_of_free_memory();
  return {static_cast<std::uint64_t>(of_run > least ? of_run : least),
          memory / static_cast<std::uint64_t>(sharers)};
}

/// Rank 0's, for all ranks that start a process.
Question question_of(const EngineRanks& engines, std::uint64_t run_ns) {
  Question question{};
  const auto take = [](char* to, std::size_t room, const char* name) {
    const char* const value = std::getenv(name);
    std::snprintf(to, room, "%s", value == nullptr ? "" : value);
  };
  if (engines.rank == kFirst) {
    take(question.program, sizeof question.program, "SLACKLINE_ANALYSE_PROGRAM");
    take(question.sections, sizeof question.sections,
         engines.size > 1 ? "SLACKLINE_ANALYSE_MEASURED" : "SLACKLINE_ANALYSE");
    take(question.report, sizeof question.report, "SLACKLINE_ANALYSE_REPORT");
    take(question.limits, sizeof question.limits, "SLACKLINE_ANALYSE_LIMITS");
    question.run_ns = run_ns;
  }
  if (engines.size > 1) PMPI_Bcast(&question, sizeof question, MPI_BYTE, kFirst, engines.comm);
  return question;
}

/// The number of processes that a test asks for; 0 outside of tests.
int processes_of_test() {
  const char* const count = std::getenv("SLACKLINE_TEST_ENGINES");
  return count == nullptr ? 0 : std::atoi(count);
}

/// How many processes analyse that many calls: one that reports on the run as a whole where it may
/// take that long and that much memory, else several.
int processes_for(std::uint64_t calls, std::uint64_t run_ns, int most) {
  const int tested = processes_of_test();
  if (tested > 0) return tested < most ? tested : most;
  const EngineLimits limits = limits_from(limits_asked_for(), run_ns, 1);
  const bool fits =
      calls * kWholeCall_ns <= limits.time_ns && calls * kWholeCall_bytes <= limits.memory_bytes;
  if (fits || !is_set("SLACKLINE_ANALYSE_MEASURED")) return 1;
  const std::uint64_t parts = 1 + calls / kSharedCalls;
  return parts < static_cast<std::uint64_t>(most) ? static_cast<int>(parts) : most;
}

EngineRanks find_engine_ranks(const RecordedRun& run, const RanksHost& host, MPI_Comm comm) {
  std::uint64_t calls = 0;
  PMPI_Allreduce(&run.calls, &calls, 1, MPI_UINT64_T, MPI_SUM, comm);
  const int tested = processes_of_test();
  MPI_Comm candidates =
      candidate_ranks(host, tested > 0 ? tested : CPU_COUNT(&host.processors), comm);
  if (candidates == MPI_COMM_NULL) return {};
  int rank = 0;
  int size = 0;
  PMPI_Comm_rank(candidates, &rank);
  PMPI_Comm_size(candidates, &size);
  int processes = rank == kFirst ? processes_for(calls, run.run_ns, size) : 0;
  PMPI_Bcast(&processes, 1, MPI_INT, kFirst, candidates);
  return first_ranks(candidates, processes);
}

/// Starts the process beside this rank and returns when all have ended.
RankCosts run_engine(const EngineRanks& engines, const RecordedRun& run, const RanksHost& host) {
  const Question question = question_of(engines, run.run_ns);
  char report[4096];
  char summary[4096];
  char log[4096];
  std::snprintf(summary, sizeof summary, "%s/summary.json", run.directory);
  std::snprintf(report, sizeof report, "%s/%s", run.directory, question.report);
  std::snprintf(log, sizeof log, "%s/raw/analysis.log", run.directory);
  const char* const whole[] = {question.program,  "report",  run.directory, "--section",
                               question.sections, "-o",      report,        "--summary",
                               summary,           "--quiet", nullptr};
  const char* const shared[] = {
      question.program,  "report", run.directory, "--measured", "--section",
      question.sections, "-o",     report,        "--quiet",    nullptr};
  int sockets[2] = {-1, -1};
  const bool shares =
      engines.size > 1 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) == 0;
  const char* const* const arguments = shares ? shared : engines.size > 1 ? nullptr : whole;
  Descriptor socket;
  Descriptor socket_of_engine;
  socket.hold(sockets[0]);
  socket_of_engine.hold(sockets[1]);
  EngineProcess engine({arguments,
                        engines.rank == kFirst ? log : "/dev/null",
                        processors_of(engines, host),
                        limits_from(question.limits, question.run_ns, engines.here),
                        {engines.rank, engines.size, socket_of_engine.number()}});
  RankCosts costs{};
  socket_of_engine.close();
  if (engines.size > 1) {
    costs.sent_bytes = static_cast<std::int64_t>(relay_exchanges(engines.comm, socket, engine));
  }
  engine.wait();
  socket.close();
  costs.engine = 1;
  costs.engine_cpu_ns = static_cast<std::int64_t>(engine.end().cpu_ns);
  costs.engine_kib = static_cast<std::int64_t>(engine.end().most_kib);
  costs.end_kind = static_cast<std::int64_t>(engine.end().kind);
  costs.end_status = engine.end().status;
  return costs;
}

const char* name_of(std::int64_t kind) {
  if (kind == static_cast<std::int64_t>(EngineEnd::Kind::ended)) return "ended";
  return kind == static_cast<std::int64_t>(EngineEnd::Kind::time_limit) ? "time_limit"
                                                                        : "not_started";
}

/// The costs of the first rank whose process was ended from outside, as the other processes end
/// because of that; else those of rank 0.
const RankCosts& decisive(const RankCosts* ranks, int count) {
  for (int r = 0; r < count; ++r) {
    const bool by_itself =
        name_of(ranks[r].end_kind)[0] == 'e' && !WIFSIGNALED(static_cast<int>(ranks[r].end_status));
    if (ranks[r].engine != 0 && !by_itself) return ranks[r];
  }
  return ranks[kFirst];
}

/// Rank 0's value, once it comes here. Asleep: the processors are the analysis's.
int value_of_first(int mine, MPI_Comm comm) {
  const std::uint64_t begin_ns = steady_ns();
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibcast(&mine, 1, MPI_INT, kFirst, comm, &request);
  for (;;) {
    int done = 0;
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return mine;
    sleep_a_little(begin_ns);
  }
}

/// For `slackline record`, one value a line.
void write_costs(const RecordedRun& run, const RankCosts* ranks, int count) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/raw/analysis.costs", run.directory);
  std::FILE* const file = std::fopen(path, "we");
  if (file == nullptr) return;
  RankCosts sum{};
  for (int r = 0; r < count; ++r) {
    sum.engine += ranks[r].engine;
    sum.engine_cpu_ns += ranks[r].engine_cpu_ns;
    sum.sent_bytes += ranks[r].sent_bytes;
    if (ranks[r].engine_kib > sum.engine_kib) sum.engine_kib = ranks[r].engine_kib;
  }
  const auto number = [file](const char* name, std::int64_t value) {
    std::fprintf(file, "%s %lld\n", name, static_cast<long long>(value));
  };
  const RankCosts& end = decisive(ranks, count);
  const EngineLimits limits = limits_from(limits_asked_for(), run.run_ns, 1);
  std::fprintf(file, "end %s\n", name_of(end.end_kind));
  number("status", end.end_status);
  number("run_ns", static_cast<std::int64_t>(run.run_ns));
  number("time_limit_ns", static_cast<std::int64_t>(limits.time_ns));
  number("memory_limit_bytes", static_cast<std::int64_t>(limits.memory_bytes));
  number("processes", sum.engine);
  number("cpu_ns", sum.engine_cpu_ns);
  number("memory_kib", sum.engine_kib);
  const std::int64_t others = count - 1;
  constexpr std::int64_t kOfEach =
      sizeof(cpu_set_t) + sizeof(std::uint64_t) + sizeof(int) + sizeof(RankCosts);
  number("exchanged_bytes", others * kOfEach + sum.sent_bytes);
  for (int r = 0; r < count; ++r) {
    std::fprintf(file, "rank %d %lld %lld\n", r, static_cast<long long>(ranks[r].elapsed_ns),
                 static_cast<long long>(ranks[r].cpu_ns));
  }
  std::fclose(file);
}

}  // namespace

void agree_on_analysis(int rank) {
  int asked = is_set("SLACKLINE_ANALYSE") && is_set("SLACKLINE_ANALYSE_PROGRAM") &&
                      is_set("SLACKLINE_ANALYSE_REPORT")
                  ? 1
                  : 0;
  if (rank != kFirst) asked = 0;
  PMPI_Bcast(&asked, 1, MPI_INT, kFirst, MPI_COMM_WORLD);
  wanted = asked != 0;
}

bool analysis_wanted() {
  return wanted;
}

void analyse_job(const RecordedRun& run, const RanksHost& host, MPI_Comm comm) {
  const std::uint64_t begin_ns = steady_ns();
  const std::uint64_t cpu_before = thread_cpu_time_ns();
  EngineRanks engines = find_engine_ranks(run, host, comm);
  PMPI_Barrier(comm);  // all recordings are finished
  int count = 0;
  PMPI_Comm_size(comm, &count);
  RankCosts mine{};
  if (engines.comm != MPI_COMM_NULL) {
    mine = run_engine(engines, run, host);
    PMPI_Comm_free(&engines.comm);
  }
  RankCosts* all = nullptr;
  if (run.rank == kFirst) {
    all = static_cast<RankCosts*>(std::calloc(static_cast<std::size_t>(count), sizeof *all));
  }
  const bool gathers = value_of_first(all != nullptr ? 1 : 0, comm) != 0;
  mine.elapsed_ns = static_cast<std::int64_t>(steady_ns() - begin_ns);
  mine.cpu_ns = static_cast<std::int64_t>(thread_cpu_time_ns() - cpu_before);
  constexpr int kValues = sizeof mine / sizeof mine.cpu_ns;
  if (gathers) PMPI_Gather(&mine, kValues, MPI_INT64_T, all, kValues, MPI_INT64_T, kFirst, comm);
  if (all != nullptr) write_costs(run, all, count);
  std::free(all);
}

}  // namespace slackline::record

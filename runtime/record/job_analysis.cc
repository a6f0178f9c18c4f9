#include "job_analysis.h"

#include <mpi.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "clock.h"
#include "engine_process.h"

namespace slackline::record {

namespace {

constexpr int kFirst = 0;
bool wanted;

struct Question {
  const char* program;
  const char* sections;
  const char* report;
  EngineLimits limits;
};

/// What a rank's analysis has cost.
struct RankCosts {
  std::int64_t elapsed_ns;
  std::int64_t cpu_ns;
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

EngineLimits limits_from(const char* text, std::uint64_t run_ns) {
  double share = 0;
  double seconds = 2;
  unsigned long long bytes = 0;
  if (text != nullptr) std::sscanf(text, "%lf %lf %llu", &share, &seconds, &bytes);
  const double of_run = share * static_cast<double>(run_ns);
  const double least = seconds * 1e9;
  return {static_cast<std::uint64_t>(of_run > least ? of_run : least),
          bytes != 0 ? bytes : half_of_free_memory()};
}

EngineEnd run(const Question& question, const char* directory, const cpu_set_t& processors) {
  char report[4096];
  char summary[4096];
  char log[4096];
  std::snprintf(summary, sizeof summary, "%s/summary.json", directory);
  std::snprintf(report, sizeof report, "%s/%s", directory, question.report);
  std::snprintf(log, sizeof log, "%s/raw/analysis.log", directory);
  const char* const arguments[] = {question.program,  "report",  directory, "--section",
                                   question.sections, "-o",      report,    "--summary",
                                   summary,           "--quiet", nullptr};
  return run_engine(arguments, log, processors, question.limits);
}

const char* name_of(EngineEnd::Kind kind) {
  if (kind == EngineEnd::Kind::ended) return "ended";
  return kind == EngineEnd::Kind::time_limit ? "time_limit" : "not_started";
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
void write_costs(const char* directory, const EngineEnd& end, const EngineLimits& limits,
                 std::uint64_t run_ns, const RankCosts* ranks, int count) {
  char path[4096];
  std::snprintf(path, sizeof path, "%s/raw/analysis.costs", directory);
  std::FILE* const file = std::fopen(path, "we");
  if (file == nullptr) return;
  const auto number = [file](const char* name, std::uint64_t value) {
    std::fprintf(file, "%s %llu\n", name, static_cast<unsigned long long>(value));
  };
  std::fprintf(file, "end %s\nstatus %d\n", name_of(end.kind), end.status);
  number("run_ns", run_ns);
  number("time_limit_ns", limits.time_ns);
  number("memory_limit_bytes", limits.memory_bytes);
  number("cpu_ns", end.cpu_ns);
  number("memory_kib", end.most_kib);
  const auto others = static_cast<std::uint64_t>(count - 1);
  number("exchanged_bytes", others * (sizeof(cpu_set_t) + sizeof(int) + sizeof(RankCosts)));
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

RanksHost find_host() {
  MPI_Comm ranks = MPI_COMM_NULL;
  int all = 0;
  int here = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &all);
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &ranks);
  PMPI_Comm_size(ranks, &here);
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
  RanksHost host{here == all, {}};
  PMPI_Allreduce(&mine, &host.processors, sizeof mine, MPI_BYTE, MPI_BOR, ranks);
  PMPI_Comm_free(&ranks);
  return host;
}

void analyse_job(const char* directory, int rank, std::uint64_t run_ns, const RanksHost& host) {
  const std::uint64_t begin_ns = steady_ns();
  const std::uint64_t cpu_before = thread_cpu_time_ns();
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  PMPI_Barrier(comm);  // all recordings are finished
  int count = 0;
  PMPI_Comm_size(comm, &count);
  EngineEnd end;
  EngineLimits limits{};
  RankCosts* all = nullptr;
  if (rank == kFirst) {
    limits = limits_from(std::getenv("SLACKLINE_ANALYSE_LIMITS"), run_ns);
    end = run({std::getenv("SLACKLINE_ANALYSE_PROGRAM"), std::getenv("SLACKLINE_ANALYSE"),
               std::getenv("SLACKLINE_ANALYSE_REPORT"), limits},
              directory, host.processors);
    all = static_cast<RankCosts*>(std::calloc(static_cast<std::size_t>(count), sizeof *all));
  }
  const bool gathers = value_of_first(all != nullptr ? 1 : 0, comm) != 0;
  const RankCosts mine{static_cast<std::int64_t>(steady_ns() - begin_ns),
                       static_cast<std::int64_t>(thread_cpu_time_ns() - cpu_before)};
  constexpr int kValues = sizeof mine / sizeof mine.cpu_ns;
  if (gathers) PMPI_Gather(&mine, kValues, MPI_INT64_T, all, kValues, MPI_INT64_T, kFirst, comm);
  PMPI_Comm_free(&comm);
  if (all != nullptr) write_costs(directory, end, limits, run_ns, all, count);
  std::free(all);
}

}  // namespace slackline::record

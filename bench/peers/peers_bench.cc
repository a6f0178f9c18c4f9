// The same GOAL programs by this engine, by a linear program (CLP), and by LogGOPSim where there is
// one: how the costs compare and how they grow. Prints one table; doc/peers.md explains it.
//
//   bench_peers [LARGEST]      largest number of operations, 10^6 if not given
//   bench_peers LARGEST PROGRAM   only stencil, wavefront, random or alltoall, and only that size
//   bench_peers FILE           one GOAL file: how fast it is loaded by one and by two threads
//   bench_peers PROGRAM N      writes a program of about N operations to standard output
//
// LogGOPSim is run when SLACKLINE_LOGGOPSIM names a folder with the programs LogGOPSim and txt2bin.

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "formats/goal/goal.h"
#include "goal_programs.h"
#include "graph/goal/goal_graph.h"
#include "oracle/graph_times.h"
#include "oracle/linear_program.h"
#include "sim/loggops/loggops.h"
#include "timing/envelope.h"
#include "timing/goal_reduction.h"
#include "timing/makespan.h"
#include "timing/tolerance.h"
#include "trace/goal/program.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kNs = 1'000'000;  // femtoseconds
constexpr LogGPS kModel{
    .latency_fs = 3000 * kNs, .overhead_fs = 5000 * kNs, .gap_per_byte_fs = 18'000};
/// The largest program that the linear program's solver is asked about.
constexpr std::uint64_t kMostForLinearProgram = 40'000;
/// The largest all-to-all that LogGOPSim is asked about: its cost is quadratic.
constexpr std::uint64_t kMostForQuadratic = 200'000;

/// CPU time of this process, or of the commands that it has run: a busy machine changes it little.
double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

double once(const std::function<void()>& work, int who = RUSAGE_SELF) {
  const double begin = cpu_seconds(who);
  work();
  return cpu_seconds(who) - begin;
}

std::string read_text_file(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Mean of as many runs as fill a fifth of a second.
double mean(const std::function<void()>& work) {
  int runs = 0;
  const double begin = cpu_seconds(RUSAGE_SELF);
  double took = 0;
  for (; took < 0.2; took = cpu_seconds(RUSAGE_SELF) - begin) {
    work();
    ++runs;
  }
  return took / runs;
}

LogGOPS simulated_model() {
  return {.latency_fs = kModel.latency_fs,
          .overhead_fs = kModel.overhead_fs,
          .gap_fs = 0,
          .gap_per_byte_fs = 0,
          .overhead_per_byte_fs = 0,
          .eager_threshold_bytes = 256'000,
          .loggopsim_deviations = true};
}

struct Peer {
  double convert_s = 0;
  double simulate_s = 0;
  bool ran = false;
};

/// LogGOPSim with its converter, as whole commands.
Peer run_loggopsim(const std::string& text) {
  const char* folder = std::getenv("SLACKLINE_LOGGOPSIM");
  Peer peer;
  if (folder == nullptr) return peer;
  const fs::path goal = fs::temp_directory_path() / "slackline_peers.goal";
  const fs::path binary = fs::temp_directory_path() / "slackline_peers.bin";
  write_file(goal, text);
  const auto command = [&](const std::string& line) {
    return std::system((line + " > /dev/null 2>&1").c_str()) == 0;
  };
  bool fine = true;
  peer.convert_s = once(
      [&] {
        fine = command(
            fmt::format("'{}/txt2bin' -i {} -o {}", folder, goal.string(), binary.string()));
      },
      RUSAGE_CHILDREN);
  peer.simulate_s = once(
      [&] {
        fine = fine &&
               command(fmt::format("'{}/LogGOPSim' -b -f {} -L 3000 -o 5000 -g 0 -G 0 -S 256000",
                                   folder, binary.string()));
      },
      RUSAGE_CHILDREN);
  fs::remove(goal);
  fs::remove(binary);
  peer.ran = fine;
  return peer;
}

void bench(GoalPattern pattern, std::uint64_t operations) {
  std::string text;
  std::uint64_t events = 0;
  {
    const GoalProgram program = make_goal_program(pattern, operations);
    events = program.operation_count();
    write_goal_text(program, [&](std::string_view part) { text += part; });
  }
  const auto count = static_cast<double>(events);
  GoalProgram program;
  const double parse = once([&] { program = read_goal_text(text, "bench", 1); });
  std::optional<ReducedLogGPS> reduced;
  GoalProgram copy = program;
  const double match = once([&] { GoalMatches(program, "bench", 1); });
  const double reduction =
      once([&] { reduced = reduce_goal(std::move(copy), "bench", {}, 1).reduced; });
  reduced.reset();
  const double load = once([&] { reduced = reduce_goal_text(text, "bench", {}, 1).reduced; });
  const std::size_t nodes = reduced->nodes.size();
  const std::size_t edges = reduced->edges.size();
  const ReducedProgram ready(std::move(*reduced));
  const PathProgram paths = ready.bind(LogGPSCost(kModel, Parameter::latency));
  std::vector<PathProgram::Query> eight;
  for (int i = 0; i < 8; ++i) eight.push_back({make_ticks(3'000'000 + i * 1'000'000, 1)});
  const double one_pass = mean([&] { paths.lines_at({eight.data(), 1}); });
  const double eight_pass = mean([&] { paths.lines_at(eight); });
  const double tolerance = once([&] {
    MakespanFunction t(ready, kModel, Parameter::latency);
    constexpr std::int64_t kDegradations[] = {10'000, 20'000, 50'000};
    find_tolerances(t, kDegradations);
  });
  std::size_t breakpoints = 0;
  const double envelope = once([&] {
    MakespanFunction t(ready, kModel, Parameter::latency);
    breakpoints =
        compute_envelope(t, t.from_fs(3000 * kNs), t.from_fs(13'000 * kNs)).breakpoints().size();
  });
  const double loggops = once([&] { simulate_loggops(program, simulated_model(), "bench"); });
  fmt::print(
      "{:9} {:>9} {:6.2f} {:6.2f} {:6.2f} {:6.2f} {:5.2f} {:5.2f} {:9.3f} {:7.0f} {:9.3f} {:7.0f} "
      "{:8.1f} {:6} {:8.1f} {:6.1f}",
      to_string(pattern), events, count / parse / 1e6, count / match / 1e6, count / reduction / 1e6,
      count / load / 1e6, static_cast<double>(nodes) / count, static_cast<double>(edges) / count,
      1e3 * one_pass, count / one_pass / 1e6, 1e3 * eight_pass, 8 * count / eight_pass / 1e6,
      1e3 * tolerance, breakpoints, 1e3 * envelope, count / loggops / 1e6);
  const bool quadratic = pattern == GoalPattern::alltoall && events > kMostForQuadratic;
  const Peer peer = quadratic ? Peer{} : run_loggopsim(text);
  if (peer.ran) {
    fmt::print(" {:8.1f} {:8.1f} {:6.2f}", peer.simulate_s / one_pass,
               (peer.simulate_s + peer.convert_s) / (load + one_pass), peer.simulate_s / loggops);
  } else {
    fmt::print(" {:>8} {:>8} {:>6}", "-", "-", "-");
  }
  if (events <= kMostForLinearProgram) {
    const oracle::TimeSystem system =
        oracle::graph_times(build_goal_graph(program, "bench", {}).graph);
    const double lp = once([&] { oracle::minimise_makespan(system, kModel, Parameter::latency); });
    fmt::print(" {:9.0f}", lp / one_pass);
  } else {
    fmt::print(" {:>9}", "-");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

/// CPU time of the calling thread, which does its share of parallel work and all other work: on an
/// idle machine the wall clock.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// Peak of this process's own memory so far, without the pages of mapped files.
double peak_bytes() {
  const std::string status = read_text_file("/proc/self/status");
  const std::size_t at = status.find("RssAnon:");
  return at == std::string::npos ? 0 : 1024 * std::strtod(status.c_str() + at + 8, nullptr);
}

/// One program file: how fast it is loaded by one and by two threads.
void bench_file(const fs::path& path) {
  const MappedFile file(path);
  for (const unsigned threads : {1u, 2u}) {
    const auto timed = [&](const char* what, std::uint64_t events, const auto& work) {
      const double thread = thread_seconds();
      const double cpu = once(work);
      const double own = thread_seconds() - thread;
      fmt::print("  {} thread{}: {:24} main thread {:8.1f} ms, all {:8.1f} ms", threads,
                 threads == 1 ? " " : "s", what, 1e3 * own, 1e3 * cpu);
      if (events > 0) {
        fmt::print(", {:6.2f} M events/s", static_cast<double>(events) / own / 1e6);
      }
      fmt::print(", {:.0f} MB\n", peak_bytes() / 1e6);
    };
    const auto load = [&] { return reduce_goal_text(file.text(), path.string(), {}, threads); };
    // First, so that the peak is its own.
    GoalReduction reduction;
    timed("text to reduced graph", 0, [&] { reduction = load(); });
    const std::uint64_t events = reduction.operations;
    reduction = {};
    timed("again", events, [&] { reduction = load(); });
    reduction = {};
    GoalProgram program;
    timed("text to program", events,
          [&] { program = read_goal_text(file.text(), path.string(), threads); });
    timed("program to reduced graph", events,
          [&] { reduction = reduce_goal(std::move(program), path.string(), {}, threads); });
  }
}

}  // namespace
}  // namespace slackline

int main(int argc, char** argv) {
  using slackline::GoalPattern;
  const auto pattern_named = [](std::string_view name) -> std::optional<GoalPattern> {
    for (const GoalPattern p : {GoalPattern::stencil, GoalPattern::wavefront, GoalPattern::random,
                                GoalPattern::alltoall}) {
      if (slackline::to_string(p) == name) return p;
    }
    return std::nullopt;
  };
  if (argc == 3 && pattern_named(argv[1])) {
    slackline::write_goal_text(
        slackline::make_goal_program(*pattern_named(argv[1]),
                                     static_cast<std::uint64_t>(std::atof(argv[2]))),
        [](std::string_view part) { std::fwrite(part.data(), 1, part.size(), stdout); });
    return 0;
  }
  if (argc > 1 && std::filesystem::exists(argv[1])) {
    slackline::bench_file(argv[1]);
    return 0;
  }
  const double largest = argc > 1 ? std::atof(argv[1]) : 1e6;
  fmt::print(
      "CPU time. load: million operations a second; kept: nodes and edges an operation; pass: ms "
      "and\n"
      "million operations a second and value; ratios: LogGOPSim's simulation to one value,\n"
      "with its converter to everything from text, its simulation to ours; CLP's solution to one "
      "pass\n");
  fmt::print(
      "{:9} {:>9} {:>6} {:>6} {:>6} {:>6} {:>5} {:>5} {:>9} {:>7} {:>9} {:>7} {:>8} {:>6} {:>8} "
      "{:>6} {:>8} "
      "{:>8} {:>6} {:>9}\n",
      "program", "events", "parse", "match", "reduce", "load", "nodes", "edges", "1 value", "M/s",
      "8 values", "M/s", "tol ms", "breaks", "env ms", "LGOPS", "sim/1", "all/all", "sim", "LP/1");
  if (argc == 3 && pattern_named(argv[2])) {
    slackline::bench(*pattern_named(argv[2]), static_cast<std::uint64_t>(largest));
    return 0;
  }
  for (double size = 1e4; size <= largest * 1.01; size *= 10) {
    for (const GoalPattern pattern : {GoalPattern::stencil, GoalPattern::wavefront,
                                      GoalPattern::random, GoalPattern::alltoall}) {
      slackline::bench(pattern, static_cast<std::uint64_t>(size));
    }
  }
  return 0;
}

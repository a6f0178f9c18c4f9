#include "jobs/validate/measurement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/units.h"
#include "jobs/calibrate/benchmark.h"
#include "jobs/inject/inject.h"
#include "jobs/record/record.h"
#include "jobs/record/undisturbed_run.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExample = "Example: slackline validate -- mpirun -n 2 ./app";

/// What the recordings in the folder depend on.
std::string description_of(const MeasurementOptions& options) {
  return fmt::format("{}\neager limit {}\n", fmt::join(options.command, " "), options.eager_limit);
}

/// Recordings of another command are not mixed with these.
void check_folder(const MeasurementOptions& options) {
  const fs::path file = options.folder / "command";
  std::error_code error;
  fs::create_directories(options.folder / "runs", error);
  if (!fs::exists(file)) {
    write_file(file.string(), description_of(options));
    return;
  }
  std::stringstream before;
  before << std::ifstream(file).rdbuf();
  if (before.str() == description_of(options)) return;
  throw Error(fmt::format("cannot validate into '{}'", options.folder.string()),
              "it holds measurements of another command",
              "Choose another folder with -o, or remove it.");
}

Injection injection_of(const MeasurementOptions& options, std::int64_t added_ns) {
  Injection injection;
  injection.latency_ns = added_ns;
  injection.eager_limit = options.eager_limit;
  return injection;
}

void require_injected(const InjectedCommand& command) {
  const std::string why = why_not_injected(command.counts());
  if (!why.empty()) {
    throw Error("cannot inject the latency", why, "See 'slackline inject' and its man page.");
  }
}

void run_once(const MeasurementOptions& options, std::int64_t added_ns, const fs::path& trace) {
  const InjectedCommand injected(options.command, options.mpi, injection_of(options, added_ns));
  const fs::path output = options.folder / "output";  // the job's, which is not the answer
  fs::path unfinished = trace;
  unfinished.replace_extension(".unfinished.slk");
  const RecordResult result = record({.command = injected.plan().command,
                                      .output = unfinished,
                                      .mpi = options.mpi,
                                      .call_paths = {.mode = "none"},
                                      .force = true,
                                      .job = {injected.plan().environment, output}});
  if (result.exit_status != 0) {
    throw Error("cannot validate",
                fmt::format("the command ended with status {}", result.exit_status),
                fmt::format("See its output in {}.", output.string()));
  }
  require_injected(injected);
  if (result.traces.size() != 1) {
    throw Error("cannot validate",
                fmt::format("the command left {} recordings instead of one", result.traces.size()),
                std::string(kExample));
  }
  fs::rename(result.traces.front().trace, trace);
}

void calibrate(const MeasurementOptions& options, const fs::path& samples) {
  const Launcher launcher = find_launcher(options.command, options.mpi);
  const InjectedCommand injected(with_two_ranks(options.command, launcher.position), options.mpi,
                                 injection_of(options, 0));
  fs::path unfinished = samples;
  unfinished += ".unfinished";
  run_benchmark({.command = with_two_ranks(options.command, launcher.position),
                 .mpi = options.mpi,
                 .seconds = options.calibration_seconds,
                 .seed = options.seed,
                 .samples = unfinished,
                 .variables = injected.variables(),
                 .output = options.folder / "output"});
  require_injected(injected);
  fs::rename(unfinished, samples);
}

}  // namespace

std::vector<std::string> with_two_ranks(std::vector<std::string> command, std::size_t launcher) {
  for (std::size_t i = launcher + 1; i + 1 < command.size(); ++i) {
    const std::string& word = command[i];
    if (word == "-n" || word == "-np" || word == "--np" || word == "-c") {
      command[i + 1] = "2";
      break;
    }
  }
  return command;
}

Measurement measure(const MeasurementOptions& options) {
  if (options.command.empty()) {
    throw usage_error("cannot validate", "no command given", std::string(kExample));
  }
  check_folder(options);
  Measurement measurement;
  measurement.runs =
      plan_runs(options.folder, options.latencies_ns, options.repetitions, options.seed);
  measurement.machine = options.machine;
  if (options.machine.empty()) {
    measurement.samples = options.folder / "machine.samples";
    measurement.machine = options.folder / "machine.toml";
    if (!fs::exists(measurement.samples)) calibrate(options, measurement.samples);
  }
  Progress progress("validating, run", measurement.runs.size());
  bool warm = false;
  for (std::size_t i = 0; i < measurement.runs.size(); ++i) {
    const PlannedRun& run = measurement.runs[i];
    progress.update(i);
    if (fs::exists(run.trace)) continue;
    if (!warm) run_once(options, 0, options.folder / "runs" / "warm-up.slk");
    warm = true;
    run_undisturbed(options.retries, [&] {
      run_once(options, run.added_ns, run.trace);
      return disturbance_of_recording(run.trace);
    });
  }
  return measurement;
}

namespace {

constexpr std::int64_t kTimesOfRange = 10;

std::int64_t parse_ns(std::string_view text) {
  if (text == "0") return 0;
  return (parse_time_fs(text, "--latencies") + kFemtosPerNano / 2) / kFemtosPerNano;
}

void add(std::string_view item, std::vector<std::int64_t>& latencies) {
  const std::size_t dots = item.find("..");
  if (dots == std::string_view::npos) {
    latencies.push_back(parse_ns(item));
    return;
  }
  const std::int64_t from = parse_ns(item.substr(0, dots));
  const std::int64_t to = parse_ns(item.substr(dots + 2));
  if (to <= from) {
    throw usage_error("cannot use '" + std::string(item) + "' as --latencies",
                      "the range does not ascend", "Example: 0,10us..100us.");
  }
  for (std::int64_t i = 0; i < kTimesOfRange; ++i) {
    latencies.push_back(from + (to - from) * i / (kTimesOfRange - 1));
  }
}

}  // namespace

std::vector<std::int64_t> parse_latencies(std::string_view text) {
  std::vector<std::int64_t> latencies{0};
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    add(text.substr(0, comma), latencies);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::ranges::sort(latencies);
  latencies.erase(std::ranges::unique(latencies).begin(), latencies.end());
  return latencies;
}

std::vector<PlannedRun> plan_runs(const std::filesystem::path& folder,
                                  const std::vector<std::int64_t>& latencies_ns, int repetitions,
                                  std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<PlannedRun> runs;
  for (int repetition = 1; repetition <= repetitions; ++repetition) {
    std::vector<std::int64_t> order = latencies_ns;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (const std::int64_t added_ns : order) {
      runs.push_back({added_ns, repetition,
                      folder / "runs" / fmt::format("{}ns-{}.slk", added_ns, repetition)});
    }
  }
  return runs;
}

}  // namespace slackline

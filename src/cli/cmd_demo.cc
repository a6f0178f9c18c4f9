#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/requests/model_requests.h"
#include "app/requests/report.h"
#include "base/arithmetic.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/units.h"
#include "cli/command_line.h"
#include "cli/launched_command.h"
#include "cli/output.h"
#include "report/report.h"

// `slackline demo` is what a newcomer types first. It runs the same commands as anybody would, and
// shows them: record an example with two problems, report on it, predict what the tool's own advice
// gains, record the example without these problems, compare, and simulate both on more ranks than
// the machine has processors.

namespace slackline {
namespace {

namespace fs = std::filesystem;

constexpr int kMostRanks = 8;
constexpr int kSimulatedRanks = 16;
constexpr std::string_view kSimulatedSteps = "20";
constexpr double kAgrees = 0.1;  // of the larger gain
/// What the example's variant "tuned" does, as edits.
const std::vector<std::string> kEdits{"balance function=assemble", "merge-messages"};

struct DemoOptions {
  std::string folder = "slackline-demo";
  int ranks = 0;  ///< 0: as many as there are processors
  bool recorded = false;
};

struct Mpi {
  std::string_view name;
  std::string_view launcher;
};
constexpr std::array kMpis{Mpi{"openmpi", "mpirun.openmpi"}, Mpi{"mpich", "mpirun.mpich"}};

/// What comes with the binary lies in lib/slackline, beside it (build tree) or beside bin/.
std::optional<fs::path> shipped(const fs::path& name) {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& root : {folder, folder.parent_path()}) {
    if (const fs::path path = root / "lib/slackline/demo" / name; fs::exists(path)) return path;
  }
  return std::nullopt;
}

bool in_path(std::string_view program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    if (::access((fs::path(rest.substr(0, colon)) / program).c_str(), X_OK) == 0) return true;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return false;
}

/// Open MPI refuses more ranks than cores, and root (whom containers run as), unless told. A
/// demonstration on a laptop or in a container is both; the user's own settings win.
void allow_small_machines() {
  for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
                           "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"}) {
    ::setenv(name, "1", 0);
  }
}

/// Runs a command as if typed, after showing it. Errors are printed and become its exit status.
int type(const std::vector<std::string>& arguments) {
  write_stdout(fmt::format("\n$ slackline {}\n", shell_command(arguments)));
  return run_launched_command(arguments);
}

int number_of_ranks(const DemoOptions& options) {
  if (options.ranks > 0) return options.ranks;
  cpu_set_t processors;
  CPU_ZERO(&processors);
  ::sched_getaffinity(0, sizeof processors, &processors);
  return std::clamp(CPU_COUNT(&processors), 2, kMostRanks);
}

/// How to start the example under an MPI that is here.
struct Example {
  fs::path folder;                    ///< for traces
  std::vector<std::string> launcher;  ///< with the program
};

std::optional<Example> find_example(const DemoOptions& options) {
  for (const Mpi& mpi : kMpis) {
    const auto program = shipped(fs::path(mpi.name) / "plate");
    if (!program || !in_path(mpi.launcher)) continue;
    allow_small_machines();
    return Example{
        options.folder,
        {std::string(mpi.launcher), "-n", std::to_string(number_of_ranks(options)), *program}};
  }
  return std::nullopt;
}

fs::path record_example(const Example& example, const std::string& name,
                        const std::vector<std::string>& arguments) {
  fs::path trace = example.folder / (name + ".slk");
  std::vector<std::string> words{"record", "--force", "-o", trace, "--"};
  words.insert(words.end(), example.launcher.begin(), example.launcher.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int status = type(words);
  if (status == 0) return trace;
  throw Error("cannot record the example", fmt::format("exit status {}", status),
              "See the messages above, or use 'slackline demo --recorded'.");
}

fs::path shipped_trace() {
  const auto trace = shipped("stencil2d.slk");
  if (trace) return *trace;
  throw Error("cannot show the demonstration",
              "neither an MPI library nor the recorded example was found",
              "Install Open MPI or MPICH and build again.");
}

/// The first screen, and the page.
void show(const fs::path& trace, const DemoOptions& options) {
  const fs::path page = fs::path(options.folder) / "report.html";
  if (type({"report", trace}) != 0 || type({"report", "-o", page, trace}) != 0) {
    throw Error("cannot report on the example", "see the message above",
                "Please send it to the authors of Slackline.");
  }
  write_stdout(fmt::format("Open it in a browser: {}\n", fs::absolute(page).string()));
}

/// Run times before and after a change, in ns.
struct Change {
  double before = 0;
  double after = 0;
  double gain() const { return ratio_of(before - after, before); }
  std::string text() const {
    return fmt::format("{} -> {}, {} {}", format_time_ns(before), format_time_ns(after),
                       format_percent(std::abs(gain())), gain() < 0 ? "longer" : "shorter");
  }
};

Change predicted_change(const fs::path& trace) {
  WhatifRequest request{};
  request.input.trace = trace;
  request.edits = kEdits;
  const Report report = execute(request);
  return {report.result["before"]["makespan_ns"].as_double(),
          report.result["after"]["makespan_ns"].as_double()};
}

/// Between MPI_Init and MPI_Finalize, which is what the model predicts; and whether ranks lacked
/// processors.
struct MeasuredRun {
  double time_ns = 0;
  bool crowded = false;
};

MeasuredRun measured_run(const fs::path& trace) {
  ReportRequest request{};
  request.input.trace = trace;
  const Report report = execute(request);
  return {report.result["measured_ns"].as_double(),
          report.result["diagnosis"]["limit"].as_string() == "processors"};
}

/// Why the gains differ, or that they agree.
std::string verdict(const Change& predicted, const Change& measured, bool crowded) {
  const double difference = std::abs(predicted.gain() - measured.gain());
  if (difference <= kAgrees * std::max(predicted.gain(), measured.gain())) {
    return "The prediction and the measurement agree within 10 % of the gain.";
  }
  if (crowded) {
    return "They differ, as ranks lacked processors: other programs run on this machine. The "
           "prediction leaves that out.";
  }
  return "They differ by more than 10 % of the gain: the prediction leaves out what the library "
         "and "
         "the recording cost for each message, and how the runs scatter.";
}

/// The example's run time where its ranks run in simulated time. nullopt: that cannot be done here,
/// which was said.
std::optional<double> simulated_ns(const Example& example, const fs::path& platform,
                                   const std::string& name,
                                   const std::vector<std::string>& arguments) {
  const fs::path trace = example.folder / (name + ".slk");
  std::vector<std::string> words{"simulate",   "-q",
                                 "--platform", platform,
                                 "-n",         std::to_string(kSimulatedRanks),
                                 "--trace",    trace,
                                 "-o",         example.folder / (name + ".txt"),
                                 "--",         example.launcher.back()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (type(words) != 0) return std::nullopt;
  return measured_run(trace).time_ns;
}

/// Both variants on more ranks, and without the noise of this machine.
void simulate_both(const Example& example) {
  const std::optional<fs::path> platform = shipped("crossbar.toml");
  if (!platform) return;
  const std::string steps{kSimulatedSteps};
  write_stdout(
      fmt::format("\nBoth on {} ranks of a cluster, in simulated time:\n", kSimulatedRanks));
  const auto before = simulated_ns(example, *platform, "plate-simulated", {steps});
  const auto after =
      before ? simulated_ns(example, *platform, "tuned-simulated", {"tuned", steps}) : std::nullopt;
  if (before && after) {
    write_stdout(fmt::format("Simulated: {}.\n", Change{*before, *after}.text()));
  }
}

/// The advice followed: by the model, and by the variant of the program.
void compare_with_tuned(const Example& example, const fs::path& trace) {
  std::vector<std::string> whatif{"whatif", trace.string()};
  for (const std::string& edit : kEdits) whatif.insert(whatif.end(), {"--set", edit});
  write_stdout(
      fmt::format("\nThe advice, followed: balance 'assemble', and send a row of the halo as "
                  "one message.\n\n$ slackline {}\n",
                  shell_command(whatif)));
  const Change predicted = predicted_change(trace);
  write_stdout(fmt::format("Predicted: {}.\n", predicted.text()));
  write_stdout("\nThe same in the program ('plate tuned'):\n");
  const fs::path tuned = record_example(example, "tuned", {"tuned"});
  const MeasuredRun before = measured_run(trace);
  const MeasuredRun after = measured_run(tuned);
  const Change measured{before.time_ns, after.time_ns};
  write_stdout(fmt::format("\n  predicted  {}\n  measured   {}\n{}\n", predicted.text(),
                           measured.text(),
                           verdict(predicted, measured, before.crowded || after.crowded)));
  write_stdout(fmt::format("\nMore: slackline {}\n",
                           shell_command({"diff", trace.string(), tuned.string()})));
}

int demo(const DemoOptions& options) {
  fs::create_directories(options.folder);
  const std::optional<Example> example = options.recorded ? std::nullopt : find_example(options);
  if (!example) {
    if (!options.recorded) {
      write_stdout("No MPI library found: showing a run recorded on another machine.\n");
    }
    show(shipped_trace(), options);
    return 0;
  }
  const fs::path trace = record_example(*example, "plate", {});
  show(trace, options);
  simulate_both(*example);
  compare_with_tuned(*example, trace);
  return 0;
}

}  // namespace

CommandAction setup_demo(OptionList& options) {
  auto wanted = std::make_shared<DemoOptions>();
  options.add("-o,--output DIR", wanted->folder, "Folder for the trace and the HTML report");
  options.add("-n,--ranks", wanted->ranks,
              "Number of ranks of the example (default: one for each processor, 2 to 8)",
              {.range = OptionRange{2, 64}});
  options.add("--recorded", wanted->recorded, "Use the recorded run shipped with Slackline");
  return [wanted] { return demo(*wanted); };
}

}  // namespace slackline

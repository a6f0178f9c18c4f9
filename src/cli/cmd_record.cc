#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/record/record.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

struct RecordCommandOptions {
  RecordOptions record;
  std::string output;
  std::string finish;
  bool quiet = false;
};

/// As the user would type it: below the working directory without the way there.
std::string shown(const fs::path& path) {
  const fs::path near = path.lexically_proximate(fs::current_path());
  return near.native().starts_with("..") ? path.string() : near.string();
}

/// What `report` is to be given: the folder that holds a trace.slk, or the trace itself.
fs::path to_report(const fs::path& trace) {
  return trace.filename() == "trace.slk" ? trace.parent_path() : trace;
}

std::string cost_line(const RecordedTrace& r) {
  std::string line = fmt::format("recording took {}", format_time_ns(double(r.recording_ns)));
  if (r.cpu_ns > 0) {
    line += fmt::format(" of {} CPU time ({})", format_time_ns(double(r.cpu_ns)),
                        format_percent(double(r.recording_ns) / double(r.cpu_ns), 2));
  }
  return line;
}

std::string summary(const RecordedTrace& r) {
  const double per_call = r.calls == 0 ? 0 : double(r.trace_bytes) / double(r.calls);
  std::string text = fmt::format(
      "slackline: {} ranks, {} calls recorded in {} ({}, {:.1f} bytes a call)\nslackline: {}\n",
      r.ranks, format_count(r.calls), shown(r.trace), format_bytes(double(r.trace_bytes)), per_call,
      cost_line(r));
  for (const Findings::Entry& finding : r.findings.entries()) {
    if (finding.severity == Severity::info) continue;
    text += fmt::format("slackline: {} {}", format_count(finding.count), finding.sentence);
    if (!finding.examples.empty()) text += fmt::format(" ({})", fmt::join(finding.examples, ", "));
    text += "\n";
  }
  return text + fmt::format("slackline: next: slackline report {}\n", shown(to_report(r.trace)));
}

std::string nothing_recorded(int exit_status) {
  return fmt::format(
      "slackline: nothing was recorded (no rank of an MPI program came past MPI_Init, or the "
      "program has its MPI linked statically, or another MPI than Open MPI and MPICH). The command "
      "ended with status {}.\n",
      exit_status);
}

std::string message(const RecordResult& result) {
  std::string text;
  if (result.recorded) text += summary(*result.recorded);
  if (!result.conversion_problem.empty()) {
    text += fmt::format(
        "slackline: {}\nslackline: the raw files stay in {}; try again with: "
        "slackline record --finish {}\n",
        result.conversion_problem, shown(result.raw), shown(result.raw.parent_path()));
  } else if (!result.recorded) {
    text += nothing_recorded(result.exit_status);
  }
  return text;
}

int run_record(const RecordCommandOptions& options) {
  RecordOptions record_options = options.record;
  record_options.output = options.output;
  const bool finishing = !options.finish.empty();
  if (finishing && !record_options.command.empty()) {
    throw usage_error("cannot use --finish with a command", "the one needs no other",
                      "Leave one of them out.");
  }
  const RecordResult result = finishing ? finish_recording(options.finish, record_options.keep_raw)
                                        : record(record_options);
  const bool failed = finishing && !result.conversion_problem.empty();
  const bool good = result.conversion_problem.empty() && result.recorded.has_value();
  if (!options.quiet || !good) write_stderr(message(result));
  return failed ? 1 : result.exit_status;
}

}  // namespace

Run setup_record(CLI::App& app) {
  auto options = std::make_shared<RecordCommandOptions>();
  app.add_option("-o,--output", options->output,
                 "Folder for the trace, or its file if it ends in .slk")
      ->type_name("DIR");
  app.add_option("--mpi", options->record.mpi, "The launcher's MPI, if it cannot be found out")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  app.add_flag("--yield", options->record.yield,
               "Let waiting MPICH ranks yield: for more ranks than cores");
  app.add_flag("--keep-raw", options->record.keep_raw, "Keep the recorder's own files");
  app.add_option("--finish", options->finish,
                 "Convert what a job started with 'slackline preload' left in DIR")
      ->type_name("DIR");
  app.add_flag("-q,--quiet", options->quiet, "Say nothing unless something is wrong");
  app.add_option("command", options->record.command, "After '--': the command that starts the job");
  examples(app, {"slackline record -- mpirun -n 4 ./app input.txt",
                 "slackline record -o run1 -- mpiexec -n 64 ./app",
                 "slackline record --mpi mpich --yield -- mpirun -n 8 ./app",
                 "slackline record --finish slackline-trace"});
  return [options] { return run_record(*options); };
}

}  // namespace slackline

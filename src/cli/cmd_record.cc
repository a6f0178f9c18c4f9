#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/focus_trace.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/sentences.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/job_options.h"
#include "cli/launched_command.h"
#include "cli/output.h"
#include "jobs/record/record.h"

namespace slackline {
namespace {

namespace fs = std::filesystem;

struct RecordCommandOptions {
  RecordOptions record;
  std::string output;
  std::string finish;
  std::string sample;
  std::string keep;
  bool quiet = false;
  bool write_trace = false;
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
  std::string line = fmt::format("recording overhead {}", format_time_ns(double(r.recording_ns)));
  if (r.cpu_ns > 0) {
    line += fmt::format(" of {} CPU time ({})", format_time_ns(double(r.cpu_ns)),
                        format_percent(double(r.recording_ns) / double(r.cpu_ns), 2));
  }
  return line;
}

std::string summary(const RecordedTrace& r) {
  const double per_call = r.calls == 0 ? 0 : double(r.trace_bytes) / double(r.calls);
  std::string text = fmt::format(
      "slackline: {}, {}{} recorded in {} ({}, {:.1f} bytes per call)\nslackline: {}; "
      "writing the trace took {} after the end of the job\n",
      count_of(static_cast<std::uint64_t>(r.ranks), "rank"), count_of(r.calls, "call"),
      r.spawned ? ", started by MPI_Comm_spawn," : "", shown(r.trace),
      format_bytes(double(r.trace_bytes)), per_call, cost_line(r),
      format_time_ns(1e9 * r.conversion_seconds));
  for (const Findings::Entry& finding : r.findings.entries()) {
    if (finding.severity == Severity::info) continue;
    const bool lost = finding.severity == Severity::data_loss;
    text += fmt::format("slackline: {}: {} ({}×{}{})\n", lost ? "data loss" : "notice",
                        finding.sentence, format_count(finding.count),
                        finding.examples.empty() ? "" : "; ", fmt::join(finding.examples, ", "));
  }
  return text;
}

std::string analysis_cost_line(const JobAnalysisCosts& costs) {
  return fmt::format(
      "the analysis took {}{}: {} CPU time, up to {} of memory in {}, up to {} CPU time in a rank, "
      "{} exchanged",
      format_time_ns(costs.elapsed_ns),
      costs.run_ns > 0
          ? fmt::format(" ({} of the run)", format_percent(costs.elapsed_ns / costs.run_ns, 2))
          : "",
      format_time_ns(costs.cpu_ns), format_bytes(costs.memory_bytes),
      costs.processes > 1 ? fmt::format("each of {} processes", costs.processes)
                          : std::string("its process"),
      format_time_ns(costs.most_rank_cpu_ns), format_bytes(costs.exchanged_bytes));
}

std::string analysis_summary(const AnalysedJob& job, const RecordCommandOptions& options) {
  std::string text;
  if (job.problem.empty()) {
    std::error_code ignored;
    text = fmt::format("slackline: {} analysed in the job: {} ({})\n",
                       count_of(static_cast<std::uint64_t>(job.costs.ranks), "rank"),
                       shown(job.report), format_bytes(double(fs::file_size(job.report, ignored))));
  } else {
    text = fmt::format("slackline: the run was not analysed in the job: {}\n", job.problem);
  }
  if (job.costs.ranks > 0) {
    text += fmt::format("slackline: {}\n", analysis_cost_line(job.costs));
  }
  if (!job.problem.empty() && !options.write_trace) {
    const fs::path recording = shown(job.raw.parent_path());
    text += fmt::format("slackline: the raw files are kept in {}\nslackline: next: {}\n",
                        shown(job.raw), command_for_report(options.record.analysis, recording));
  }
  return text;
}

std::string nothing_recorded(const RecordResult& result) {
  const std::string why =
      !result.failures.reasons.empty()    ? result.failures.reasons
      : !result.failures.withheld.empty() ? result.failures.withheld
      : result.exit_status != 0
          ? "the command failed before any process had completed MPI_Init; its own messages say why"
          : "no process completed MPI_Init with the recorder loaded: the command starts no MPI "
            "program, the program is linked statically to MPI, its MPI is neither Open MPI nor "
            "MPICH, or the job overwrites LD_PRELOAD";
  return fmt::format(
      "slackline: nothing was recorded: {}. The command exited with status {}. Record an MPI job: "
      "slackline record -- mpirun -n 4 ./app\n",
      why, result.exit_status);
}

/// What to do next: of several jobs, with the one that computed most.
std::string next_step(const std::vector<RecordedTrace>& traces) {
  const auto most = std::ranges::max_element(traces, {}, &RecordedTrace::cpu_ns);
  const fs::path what = traces.size() == 1 ? to_report(most->trace) : most->trace;
  return fmt::format("slackline: next: slackline report {}\n", shell_word(shown(what)));
}

/// Reduces the traces to their phases' representative intervals; says what was dropped.
std::string keep_focus(std::vector<RecordedTrace>& traces) {
  std::string text;
  for (RecordedTrace& recorded : traces) {
    const FocusTrace focus = reduce_to_focus(recorded.trace);
    if (!focus.why_whole.empty()) {
      text += fmt::format("slackline: {} is kept whole: the run has {}\n", shown(recorded.trace),
                          focus.why_whole);
      continue;
    }
    std::vector<std::string> kept;
    for (const TimeInterval& interval : focus.kept) {
      kept.push_back(fmt::format("{} to {}", format_time_ns(double(interval.begin_ns)),
                                 format_time_ns(double(interval.end_ns))));
    }
    std::error_code ignored;
    text +=
        fmt::format("slackline: {} reduced to {}: {} of {} dropped, {} kept ({} instead of {})\n",
                    shown(recorded.trace), count_of(kept.size(), "focus region"),
                    format_count(focus.dropped_calls), count_of(focus.calls, "call"),
                    enumeration(kept), format_bytes(double(fs::file_size(recorded.trace, ignored))),
                    format_bytes(double(recorded.trace_bytes)));
  }
  return text;
}

bool has_recorded(const RecordResult& result) {
  return !result.traces.empty() || !result.unconverted.empty() || !result.analysed.empty();
}

std::uint64_t lost_calls(const RecordResult& result) {
  std::uint64_t lost = 0;
  for (const RecordedTrace& recorded : result.traces) lost += recorded.lost_calls;
  return lost;
}

std::string message(const RecordResult& result, const RecordCommandOptions& options) {
  if (!has_recorded(result)) return nothing_recorded(result);
  std::string text;
  for (const AnalysedJob& job : result.analysed) text += analysis_summary(job, options);
  for (const RecordedTrace& recorded : result.traces) text += summary(recorded);
  if (!result.failures.reasons.empty()) {
    text += fmt::format("slackline: the recording is incomplete: {}\n", result.failures.reasons);
  }
  if (const std::uint64_t lost = lost_calls(result); lost > 0) {
    text += fmt::format(
        "slackline: the recording is incomplete: {} not recorded. Record into a folder with more "
        "space (-o), or less (--call-paths=site, --counters=none, --sample=off).\n",
        lost == 1 ? "1 call was" : fmt::format("{} calls were", format_count(lost)));
  }
  for (const UnconvertedJob& job : result.unconverted) {
    text += fmt::format("slackline: {}\nslackline: the raw files are kept in {}\n", job.reason,
                        shown(job.raw));
  }
  if (!result.unconverted.empty()) {
    text +=
        fmt::format("slackline: try again with: slackline record --finish {}{}\n",
                    result.traces.empty() ? "" : "--force ", shell_word(shown(result.directory)));
  }
  return text;
}

int run_record(const RecordCommandOptions& options) {
  RecordOptions record_options = options.record;
  record_options.output = options.output;
  record_options.write_trace = options.write_trace || !record_options.analysis.wanted();
  record_options.call_paths.sample_hz =
      parse_sample_rate(options.sample, record_options.call_paths.mode);
  const bool finishing = !options.finish.empty();
  if (finishing && !record_options.command.empty()) {
    throw usage_error("cannot use --finish with a command", "--finish takes no command",
                      "Omit one of them.");
  }
  const bool focus = !options.keep.empty();
  if (focus && !record_options.write_trace) {
    throw usage_error("cannot use --keep with --analyse", "no trace is written",
                      "Add --write-trace, or omit one of them.");
  }
  RecordResult result = finishing
                            ? finish_recording({options.finish, options.output,
                                                record_options.keep_raw, record_options.force},
                                               command_processes())
                            : record(record_options);
  const bool incomplete = lost_calls(result) > 0 || result.failures.unwritten;
  const bool separate = std::ranges::any_of(result.traces, &RecordedTrace::separate);
  const bool good = has_recorded(result) && result.unconverted.empty() && !incomplete &&
                    !separate && std::ranges::all_of(result.analysed, [](const AnalysedJob& job) {
                      return job.problem.empty();
                    });
  const bool left = !result.traces.empty() || !result.analysed.empty();
  const bool unwritten =
      std::ranges::any_of(result.analysed, [](const AnalysedJob& job) { return job.unwritten; });
  const bool failed = !left || !result.unconverted.empty() || incomplete || unwritten;
  const bool speaks = command_processes().is_first() && (!options.quiet || !good);
  if (speaks) write_stderr(message(result, options));
  if (focus && command_processes().is_first()) {
    const std::string reduced = keep_focus(result.traces);
    if (speaks) write_stderr(reduced);
  }
  if (speaks && !result.traces.empty()) write_stderr(next_step(result.traces));
  // The job's own status, unless that says that all is well where no whole trace is.
  return failed && (finishing || result.exit_status == 0) ? 1 : result.exit_status;
}

void declare_job_analysis(OptionList& options, RecordCommandOptions& wanted) {
  const OptionGroup group(options, "Analysis in the job");
  JobAnalysisChoice& choice = wanted.record.analysis;
  options.add("--analyse,--analyze [LIST]", choice.analyses,
              "Before MPI_Finalize, analyse the run and leave a report instead of a trace",
              {.value_if_alone = job_analyses()});
  options.add("--analysis-time LIMIT", choice.time,
              "Time limit of the analysis: share of the run time (at least 2 s) or a time");
  options.add("--analysis-memory SIZE", choice.memory,
              "Memory limit (default: half of the available memory)");
  options.add("--write-trace", wanted.write_trace, "Write the trace as well");
}

}  // namespace

CommandAction setup_record(OptionList& options) {
  auto wanted = std::make_shared<RecordCommandOptions>();
  RecordOptions& record = wanted->record;
  options.add("-o,--output DIR", wanted->output,
              "Output folder, or trace file if it ends in .slk; with --analyse a report's file if "
              "it ends in .json, .txt or .html");
  declare_mpi(options, record.mpi);
  declare_yield(options, record.yield);
  declare_call_paths(options, record.call_paths, wanted->sample);
  declare_job_analysis(options, *wanted);
  options.add("--keep WHAT", wanted->keep,
              "Part of the trace to keep: focus, the representative interval of each phase",
              {.choices = {"focus"}});
  options.add("--keep-raw", record.keep_raw, "Keep the raw recording files");
  options.add("--force", record.force, "Overwrite the trace of an earlier recording");
  options.add("--finish DIR", wanted->finish,
              "Convert the raw files in DIR of a job started with 'slackline preload'");
  options.add("-q,--quiet", wanted->quiet, "Suppress messages, except warnings and errors");
  options.add("command", record.command, "After '--': command that starts the job");
  return [wanted] { return run_record(*wanted); };
}

}  // namespace slackline

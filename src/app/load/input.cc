#include "app/load/input.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/units.h"
#include "formats/findings.h"
#include "report/command_names.h"
#include "trace/trace_builder.h"

namespace slackline {

namespace fs = std::filesystem;

std::string newest_recording() {
  fs::path newest;
  for (const fs::directory_entry& entry : fs::directory_iterator(".")) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory() || !name.starts_with("slackline-trace")) continue;
    if (newest.empty() || entry.last_write_time() > fs::last_write_time(newest)) {
      newest = entry.path();
    }
  }
  if (newest.empty()) {
    throw usage_error("no trace was given", "the current folder has no slackline-trace*",
                      "Name a trace, or record one: slackline record -- mpirun -n 4 ./app");
  }
  return newest.filename().string();
}

std::string input_path(const std::string& trace) {
  return trace.empty() ? newest_recording() : trace;
}

AvailableMemory memory_for(const ReadingOptions& reading) {
  if (!reading.memory.empty()) {
    const std::uint64_t allowed = parse_bytes(reading.memory, "--memory");
    return {allowed, allowed, 0, "--memory"};
  }
  AvailableMemory available = available_memory();
  if (available.bytes != AvailableMemory{}.bytes) {
    available.bytes += private_memory(::getpid());
  }
  return available;
}

bool fits_in_memory(std::uint64_t calls, const ReadingOptions& reading,
                    const AvailableMemory& available) {
  return saturated_product(calls, reading.bytes_per_call) <= available.bytes - available.reserve;
}

void require_memory_for(std::uint64_t calls, const ReadingOptions& reading,
                        const AvailableMemory& available, std::string_view why_whole) {
  const std::uint64_t each = reading.bytes_per_call;
  require_memory({saturated_product(calls, each), "cannot analyse the trace",
                  fmt::format("{} for each of {} calls{}", format_bytes(static_cast<double>(each)),
                              format_count(calls), why_whole),
                  "Use a machine with more memory, record a shorter run, or allow more with "
                  "--memory."},
                 available);
}

OpenedTrace opened_without_calls(const Trace& job, const std::filesystem::path& path,
                                 const MappedFile& file, std::uint64_t calls) {
  return {TraceBuilder::without_calls(job, job.timed()).build(),
          "native",
          path.string(),
          file.bytes().size(),
          {},
          calls,
          {},
          {},
          {},
          {}};
}

void require_calls(const OpenedTrace& opened, std::uint64_t calls, std::string_view problem) {
  if (calls > 0) return;
  const std::string what = fmt::format("{} {}", problem, opened.path);
  // Single records that cannot be read do not make a program's calls disappear; files do.
  const auto& found = opened.trace.findings().entries();
  const auto loss = std::ranges::find_if(found, [](const Findings::Entry& entry) {
    return entry.severity == Severity::data_loss && entry.name != kDamagedRecord.name;
  });
  if (loss == found.end()) {
    const std::uint64_t damaged = opened.trace.findings().count(kDamagedRecord);
    throw Error(what,
                damaged == 0
                    ? "the trace has no calls of MPI"
                    : fmt::format("the trace has no calls of MPI, and {} malformed record{}",
                                  format_count(damaged), damaged == 1 ? "" : "s"),
                "Record an MPI program, or choose the trace of one.");
  }
  throw Error(what,
              fmt::format("the trace has no calls of MPI that could be read ({}: {}{}{})",
                          loss->name, loss->sentence, loss->examples.empty() ? "" : " E.g. ",
                          loss->examples.empty() ? "" : loss->examples.front()),
              "Get the complete trace.");
}

OpenOptions open_options(const ReadingOptions& reading, ClockPolicy otherwise, bool keep_matching) {
  if (!reading.memory.empty()) parse_bytes(reading.memory, "--memory");  // refused before reading
  return {.clocks = reading.clock_policy(otherwise),
          .keep_matching = keep_matching,
          .calls_known = [reading](std::uint64_t calls) {
            require_memory_for(calls, reading, memory_for(reading));
            if (reading.calls_known) reading.calls_known(calls);
          }};
}

OpenedTrace open_input(const std::string& trace, const OpenOptions& options) {
  begin_stage("reading the trace");
  return open_trace(input_path(trace), options);
}

namespace {

auto input_object(const InputDescription& input) {
  return Object{
      "path"_key = input.path,         "format"_key = input.format,   "bytes"_key = input.bytes,
      "checksum"_key = input.checksum, "ranks"_key = input.ranks,     "calls"_key = input.calls,
      "timed"_key = input.timed,       "program"_key = input.program, "mpi"_key = input.mpi};
}

}  // namespace

InputDescription description_of(const OpenedTrace& opened) {
  const TraceInfo& info = opened.trace.info();
  return {opened.path,
          std::string(opened.format),
          opened.bytes,
          opened.checksum,
          opened.trace.ranks(),
          opened.calls,
          opened.trace.timed(),
          info.program,
          info.mpi_version.empty() ? info.mpi_library : info.mpi_version};
}

const JsonType& declared_type(const InputJsonTag*) {
  return json_type_by<input_object>();
}

InputJson to_json(const InputDescription& input) {
  return input_object(input);
}

InputJson input_to_json(const OpenedTrace& opened) {
  return to_json(description_of(opened));
}

OpenedTrace without_calls(const OpenedTraining& training) {
  std::uint64_t activities = 0;
  for (const ProfiledRank& rank : training.run.ranks) activities += rank.gpu.size();
  const auto ranks = static_cast<std::int32_t>(training.run.ranks.size());
  return {Trace(ranks, true), "kineto",          training.path,
          training.bytes,     training.checksum, activities};
}

std::string subject(const OpenedTrace& opened) {
  const std::string& program = opened.trace.info().program;
  const std::string first = program.substr(0, program.find(' '));
  const std::string name = fs::path(program.empty() ? opened.path : first).filename().string();
  const std::int32_t ranks = opened.trace.ranks();
  return fmt::format("{} ({})", name, count_of(static_cast<std::uint64_t>(ranks), "rank"));
}

std::string report_title(std::string_view command, const OpenedTrace& opened) {
  return fmt::format("{}: {}", present_command_name(command), subject(opened));
}

std::optional<ClocksJson> add_context(const OpenedTrace& opened, std::vector<Section>& sections,
                                      Findings& findings) {
  findings.merge(opened.trace.findings());
  if (!opened.clocks.corrected) return std::nullopt;
  return add_clocks(opened.clocks.estimate, opened.trace, sections);
}

}  // namespace slackline

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/reading_options.h"
#include "base/file.h"
#include "base/memory.h"
#include "calls/clock_correction.h"
#include "formats/open/open.h"
#include "report/object.h"
#include "report/report.h"
#include "report/typed_report.h"
#include "trace/trace.h"

namespace slackline {

using ClocksJson = JsonOf<struct ClocksJsonTag>;
const JsonType& declared_type(const ClocksJsonTag*);

/// Adds what was added to each clock and what is feasible: a section `clocks` with those that were
/// moved most. Returns all of them, for `clocks` in the result.
ClocksJson add_clocks(const ClockEstimate& estimate, const Trace& trace,
                      std::vector<Section>& sections);

/// The newest folder "slackline-trace*" in the current one. Throws usage Error if there is none.
std::string newest_recording();

/// `trace`, or the newest recording if it is empty.
std::string input_path(const std::string& trace);

/// What a command may take: --memory, or what is available, this process's own memory included.
/// Throws usage Error for a size that cannot be read.
AvailableMemory memory_for(const ReadingOptions& reading);
/// Whether a command can hold that many calls in it.
bool fits_in_memory(std::uint64_t calls, const ReadingOptions& reading,
                    const AvailableMemory& available);
/// Throws Error if it cannot. `why_whole`: why it has to, for the
/// message, "; reason".
void require_memory_for(std::uint64_t calls, const ReadingOptions& reading,
                        const AvailableMemory& available, std::string_view why_whole = {});

/// With a check of memory before calls are read, or behind it where the format does not say how
/// many there are. `otherwise`: what happens to clocks where nothing was asked for. Throws usage
/// Error for a size that cannot be read.
OpenOptions open_options(const ReadingOptions& reading,
                         ClockPolicy otherwise = ClockPolicy::as_read, bool keep_matching = false);

/// Reads `trace`, or the newest recording if it is empty. Throws Error.
OpenedTrace open_input(const std::string& trace, const OpenOptions& options = {});

/// What stands for a native trace of that many calls whose calls are not in memory; without
/// checksum.
OpenedTrace opened_without_calls(const Trace& job, const std::filesystem::path& path,
                                 const MappedFile& file, std::uint64_t calls);

/// Throws an Error, `problem` of that trace, if it has no `calls`: with what was lost in reading
/// it, if that is why.
void require_calls(const OpenedTrace& opened, std::uint64_t calls, std::string_view problem);

/// Identity of an input.
struct InputDescription {
  std::string path;
  std::string format;
  std::uint64_t bytes = 0;
  std::string checksum;
  std::int32_t ranks = 0;
  std::uint64_t calls = 0;
  bool timed = false;
  std::string program{};
  std::string mpi{};
};
InputDescription description_of(const OpenedTrace& opened);
/// What stands for a profile where a trace is described: its ranks, without any call.
OpenedTrace without_calls(const OpenedTraining& training);

using InputJson = JsonOf<struct InputJsonTag>;
const JsonType& declared_type(const InputJsonTag*);
/// The identity, for Report::input.
InputJson to_json(const InputDescription& input);
InputJson input_to_json(const OpenedTrace& opened);

/// The program that ran, or the file if it is not known: "stencil2d (4 ranks)".
std::string subject(const OpenedTrace& opened);

/// Title of a command's report on an input.
std::string report_title(std::string_view command, const OpenedTrace& opened);

/// Adds the trace's findings, and a section on clocks if they were corrected. Returns the same for
/// scripts.
std::optional<ClocksJson> add_context(const OpenedTrace& opened, std::vector<Section>& sections,
                                      Findings& findings);

/// What was described as the answer of a command, with its title, options and input, and the
/// trace's findings added.
template <class Options, class Result>
auto with_context(Described<Result> described, std::string_view command, const OpenedTrace& opened,
                  Options options) {
  const auto clocks = add_context(opened, described.sections, described.findings);
  return typed_report(command, report_title(command, opened), std::move(options),
                      input_to_json(opened), std::move(described).with("clocks"_key.when(clocks)));
}

}  // namespace slackline

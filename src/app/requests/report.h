#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "app/options/run_request.h"
#include "app/options/summary_options.h"
#include "parallel/process_group.h"

namespace slackline {

class OptionList;
struct Report;

/// Everything there is to say about a run, or how two runs differ.
struct ReportRequest {
  ModelRequest input{.reading = {bytes_per_call::kReport}};
  std::string other{};                      ///< a second trace to compare with; empty: none
  std::vector<std::string> degradations{};  ///< as "1%"; empty: 1 %, 2 %, 5 %
  std::vector<std::string> compare{};       ///< rules of other collective algorithms
  PlatformOptions machine{};                ///< to simulate the run on, too
  std::size_t links = 8;                    ///< most contended links of it to show
  bool pictures = false;                    ///< adds what only pages show
  bool every_call = false;                  ///< of one run, in the pictures: to the nanosecond
  bool screen = false;                      ///< only the first screen: of one run as measured
  bool measured = false;                    ///< only what stretches of the run tell
  std::string interval = "common";          ///< as resolve_interval() reads
  std::vector<std::string> sections{};      ///< to show, of section_names(); empty: all
  SummaryOptions summary{};                 ///< of one run
};
void declare(OptionList& options, ReportRequest& request);

/// Throws Error. Of a run that does not fit in memory, or where only that is asked for, what its
/// stretches tell: efficiency, wait states and the critical path. Several processes share the work
/// on stretches; only the first one gets the report.
Report execute(const ReportRequest& request, ProcessGroup& group = this_process());

/// Whether one file holds every call of the report's pictures to the nanosecond.
bool fits_in_a_file(const Report& report);
/// The same of a run of `calls` calls.
bool fits_in_a_file(std::uint64_t calls);

}  // namespace slackline

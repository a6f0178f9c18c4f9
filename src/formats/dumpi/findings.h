#pragma once

#include "base/findings.h"
#include "formats/reader_findings.h"

namespace slackline::dumpi {

// What only DUMPI's traces can have.

inline constexpr FindingKind kSwitchedOff{
    "calls_switched_off", Severity::data_loss,
    "Calls that the configuration of DUMPI left out of the recording."};
inline constexpr FindingKind kFailedTestsLeftOut{"failed_tests_left_out", Severity::notice,
                                                 "Tests and probes that DUMPI was configured to "
                                                 "record only when they succeed; their time counts "
                                                 "as computation."};
inline constexpr FindingKind kUnknownDatatypes{
    "datatype_size_unknown", Severity::data_loss,
    "Datatypes without a recorded size; their messages count as empty."};
inline constexpr FindingKind kSourceUnknown{
    "source_unknown", Severity::notice,
    "Receives from any source without a recorded status; their actual source is unknown."};
inline constexpr FindingKind kCpuTimesOnly{
    "cpu_times_only", Severity::notice,
    "Ranks with CPU times only; these were taken for times of the run, in which waiting without "
    "using the processor is missing."};
inline constexpr FindingKind kCountersLeftOut{"dumpi_counters_left_out", Severity::info,
                                              "Calls with hardware counters, which are ignored."};

}  // namespace slackline::dumpi

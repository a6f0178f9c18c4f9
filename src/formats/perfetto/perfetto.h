#pragma once

#include <filesystem>

#include "base/findings.h"
#include "trace/trace.h"
#include "trace/trace_extras.h"
#include "training/training_run.h"

namespace slackline {

/// Writes Perfetto's protobuf (doc/formats/perfetto.md): ranks as processes, their threads' MPI
/// calls and user regions as slices. Throws Error when the file cannot be written. Linear.
Findings write_perfetto(const Trace& trace, const std::filesystem::path& path,
                        const TimelineExtras& extras = {});

/// The same of a training run, whose ranks' clocks agree: threads and streams of each rank with
/// operators, calls of the runtime and kernels as slices; arrows from launches to their activities
/// and between the kernels of a collective. O(n log n) for n records; 60 bytes a record.
void write_perfetto(const TrainingRun& run, const std::filesystem::path& path);

/// Chrome's JSON of the same, about 150 bytes a call; without flows and counters.
Findings write_chrome_json(const Trace& trace, const std::filesystem::path& path);

/// One line for each call: rank, number, operation, begin and end, and its fields.
Findings write_operations_csv(const Trace& trace, const std::filesystem::path& path);

}  // namespace slackline

#include "app/load/computation.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/units.h"
#include "calls/cpu_time.h"
#include "formats/raw/findings.h"

namespace slackline {
namespace {

constexpr double kMaterial = 0.01;  // of the time between calls: less hardly changes what follows

constexpr FindingKind kCpuTime{
    "computation_is_cpu_time", Severity::info,
    "Computation in the model is CPU time, without the time that ranks waited for a processor or "
    "did not compute. (--computation wall keeps it.)"};
constexpr FindingKind kRecordingLeftOut{
    "recording_left_out", Severity::info,
    "Computation in the model is without the time that recording calls took. (--computation wall "
    "keeps it.)"};
constexpr FindingKind kNoCpuTime{
    "cpu_time_unknown", Severity::notice,
    "CPU time was requested, but the trace has no time off the processor; computation is all time "
    "between calls."};

bool is_material(std::int64_t recording_ns, const Trace& trace) {
  return static_cast<double>(recording_ns) >
         kMaterial * static_cast<double>(between_calls_ns(trace));
}

/// All time between calls, but for that of the recorder.
ComputationChoice all_but_recording(const Trace& trace) {
  ComputationChoice result;
  const std::int64_t recording = recording_ns(trace);
  if (!is_material(recording, trace)) return result;
  result.cpu_time = without_recording(trace);
  result.findings.add(
      kRecordingLeftOut,
      fmt::format("{} of all ranks", format_time_ns(static_cast<double>(recording))));
  return result;
}

}  // namespace

ComputationChoice choose_computation(std::string_view wanted, const Trace& trace) {
  if (wanted != "auto" && wanted != "wall" && wanted != "cpu") {
    throw usage_error(fmt::format("unknown computation '{}'", wanted), "no such name",
                      "Choose auto, wall or cpu.");
  }
  const bool oversubscribed = trace.findings().count(raw::kOversubscribed) > 0 ||
                              share_without_processor(trace) > kMaterial;
  if (wanted == "wall") return {"wall"};
  if (wanted == "auto" && !oversubscribed) return all_but_recording(trace);
  ComputationChoice result{"cpu"};
  const std::int64_t paused = paused_ns(trace);
  if (paused > 0) {
    result.cpu_time = without_pauses(trace);
    result.findings.add(kCpuTime, fmt::format("{} of all ranks left out",
                                              format_time_ns(static_cast<double>(paused))));
    return result;
  }
  result.name = "wall";
  if (wanted == "cpu") result.findings.add(kNoCpuTime);
  return result;
}

}  // namespace slackline

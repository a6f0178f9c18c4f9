#include "app/load/computation.h"

#include <fmt/format.h>

#include <utility>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/units.h"
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

bool is_material(std::int64_t ns, const OffComputation& times) {
  return static_cast<double>(ns) > kMaterial * static_cast<double>(times.between_calls_ns);
}

/// All time between calls, but for that of the recorder.
ComputationRule all_but_recording(const OffComputation& times) {
  ComputationRule rule;
  if (!is_material(times.recording_ns, times)) return rule;
  rule.left_out = ComputationRule::LeftOut::recording;
  rule.findings.add(
      kRecordingLeftOut,
      fmt::format("{} of all ranks", format_time_ns(static_cast<double>(times.recording_ns))));
  return rule;
}

}  // namespace

ComputationRule choose_computation(std::string_view wanted, const Trace& job,
                                   const OffComputation& times) {
  if (wanted != "auto" && wanted != "wall" && wanted != "cpu") {
    throw usage_error(fmt::format("unknown computation '{}'", wanted), "no such name",
                      "Choose auto, wall or cpu.");
  }
  const bool oversubscribed = job.findings().count(raw::kOversubscribed) > 0 ||
                              ratio_of(static_cast<double>(times.without_processor_ns),
                                       static_cast<double>(times.between_calls_ns)) > kMaterial;
  if (wanted == "wall") return {"wall"};
  if (wanted == "auto" && !oversubscribed) return all_but_recording(times);
  ComputationRule rule{"cpu"};
  if (times.paused_ns > 0) {
    rule.left_out = ComputationRule::LeftOut::pauses;
    rule.findings.add(kCpuTime, fmt::format("{} of all ranks left out",
                                            format_time_ns(static_cast<double>(times.paused_ns))));
    return rule;
  }
  rule.name = "wall";
  if (wanted == "cpu") rule.findings.add(kNoCpuTime);
  return rule;
}

Trace computing(const ComputationRule& rule, Trace trace) {
  switch (rule.left_out) {
    case ComputationRule::LeftOut::nothing:
      break;
    case ComputationRule::LeftOut::recording:
      return without_recording(std::move(trace));
    case ComputationRule::LeftOut::pauses:
      return without_pauses(std::move(trace));
  }
  return trace;
}

ComputationChoice choose_computation(std::string_view wanted, const Trace& trace) {
  ComputationRule rule = choose_computation(wanted, trace, off_computation(trace));
  ComputationChoice choice{std::move(rule.name), {}, std::move(rule.findings)};
  if (rule.left_out != ComputationRule::LeftOut::nothing) choice.cpu_time = computing(rule, trace);
  return choice;
}

}  // namespace slackline

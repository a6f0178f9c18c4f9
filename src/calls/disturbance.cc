#include "calls/disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/arithmetic.h"
#include "base/units.h"
#include "calls/cpu_time.h"

namespace slackline {
namespace {

// One processor in twenty, and as much of the ranks' computation. Quiet machines stay below a
// fifth of either.
constexpr double kDisturbed = 0.05;

/// Ranks or threads without a processor of their own disturb each other.
bool is_oversubscribed(const Trace& trace) {
  return std::ranges::any_of(trace.findings().entries(), [](const Findings::Entry& entry) {
    return entry.name == "oversubscribed" || entry.name == "oversubscribed_threads";
  });
}

std::string worst_of(const Disturbance& worst) {
  if (worst.other_processes >= kDisturbed) {
    return fmt::format("other processes used up to {} of the processors' time",
                       format_percent(worst.other_processes, 0));
  }
  return fmt::format("ranks were without a processor for up to {} of their computation",
                     format_percent(worst.no_processor, 0));
}

}  // namespace

bool Disturbance::disturbed() const {
  return other_processes >= kDisturbed || no_processor >= kDisturbed;
}

double other_processes_share(const TraceInfo& info) {
  return ratio_of(static_cast<double>(info.other_processes_ns),
                  static_cast<double>(info.processors_ns));
}

Disturbance disturbance_of(const Trace& trace) {
  return {.other_processes = other_processes_share(trace.info()),
          .no_processor = is_oversubscribed(trace) ? 0 : share_without_processor(trace)};
}

void ComparedRuns::add(const Disturbance& run) {
  ++runs;
  if (run.disturbed()) ++disturbed;
  worst.other_processes = std::max(worst.other_processes, run.other_processes);
  worst.no_processor = std::max(worst.no_processor, run.no_processor);
}

void ComparedRuns::add(const ComparedRuns& group) {
  runs += group.runs;
  disturbed += group.disturbed;
  left_out += group.left_out;
  worst.other_processes = std::max(worst.other_processes, group.worst.other_processes);
  worst.no_processor = std::max(worst.no_processor, group.worst.no_processor);
}

std::vector<bool> undisturbed(const std::vector<Disturbance>& runs, ComparedRuns& summary) {
  ComparedRuns all;
  for (const Disturbance& run : runs) all.add(run);
  if (all.disturbed < all.runs) all.left_out = all.disturbed;
  std::vector<bool> evaluated;
  for (const Disturbance& run : runs) evaluated.push_back(all.left_out == 0 || !run.disturbed());
  summary.add(all);
  return evaluated;
}

std::string disturbance_sentence(const ComparedRuns& runs, std::string_view consequence,
                                 std::string_view run) {
  if (runs.disturbed == 0) return {};
  const std::string during =
      runs.runs == 1 ? std::string(run) : fmt::format("{} of {} runs", runs.disturbed, runs.runs);
  if (runs.left_out == runs.disturbed) {
    return fmt::format("During {}, {}; these runs are left out.", during, worst_of(runs.worst));
  }
  return fmt::format("During {}, {}: {}. Repeat on a quiet machine.", during, worst_of(runs.worst),
                     consequence);
}

}  // namespace slackline

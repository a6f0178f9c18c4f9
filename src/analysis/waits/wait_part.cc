#include "analysis/waits/wait_part.h"

#include <vector>

#include "analysis/waits/wait_states.h"

namespace slackline {
namespace {

/// Wait states of calls that count in the part, in the interval.
WaitStates waits_of(const Trace& trace, const CallMatching& matching, const CausalOrder& order,
                    const WaitOptions& options, const std::optional<TimeInterval>& interval,
                    const RunPart& part) {
  WaitStates waits = wait_states(trace, matching, order, options);
  if (part.lead() > 0) {
    std::erase_if(waits.states, [&](const WaitState& s) { return s.call < part.lead(); });
  }
  return interval ? waits_in_interval(trace, waits, *interval) : waits;
}

}  // namespace

WaitNames::WaitNames(const Trace& trace, const CallPaths& paths) : of_places_(trace, paths) {
  if (trace.call_tree().empty() || paths.has_functions()) return;
  functions_.emplace(CallPaths::of_functions(trace));
  of_code_.emplace(trace, *functions_);
}

WaitPart wait_part(const Trace& trace, const CallMatching& matching, const CausalOrder& order,
                   const WaitNames& names, const WaitOptions& options,
                   const std::optional<TimeInterval>& interval, const PlaceInRun& place) {
  const WaitStates waits = waits_of(trace, matching, order, options, interval, place.part);
  const auto collector = collect_waits_by_code(trace, waits, names.of_code());
  const DelayCosts delays = delay_costs(trace, matching, waits, names.of_places(),
                                        names.are_the_same() ? collector.get() : nullptr);
  if (!names.are_the_same()) delay_costs(trace, matching, waits, names.of_code(), collector.get());
  WaitPart out;
  out.sums = WaitSums(trace, names.of_places(), waits, delays, interval.value_or(place.whole),
                      place.part, place.first_calls);
  out.by_code = collector->take();
  out.clipped = waits.clipped;
  out.clipped_ns = waits.clipped_ns;
  out.released = waits.released;
  return out;
}

}  // namespace slackline

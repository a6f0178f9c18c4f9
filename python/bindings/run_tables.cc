// Tables that analyses of a timed trace give, row by row.

#include "analysis/paths/critical_path.h"
#include "analysis/waits/wait_states.h"
#include "base/error.h"
#include "bindings/tables.h"

namespace slackline::python {
namespace {

void require_times(const Opened& opened) {
  if (opened.trace().timed()) return;
  throw usage_error("cannot analyse the measured run", "the trace has no timestamps",
                    "Open it with on='predicted' or on='simulated'.");
}

}  // namespace

Columns wait_states_table(const Opened& opened, std::optional<std::uint64_t> eager_bytes) {
  require_times(opened);
  const Trace& trace = opened.trace();
  const CallPaths& paths = opened.paths();
  WaitOptions options;
  options.eager_bytes = opened.run().eager_bytes ? opened.run().eager_bytes : eager_bytes;
  if (opened.run().on == "measured") options.sends = &opened.opened().sends;
  const WaitStates waits = wait_states(trace, opened.matching(), options);
  std::vector<std::string> patterns;
  for (std::size_t i = 0; i < kWaitPatterns; ++i) {
    patterns.emplace_back(identifier(static_cast<WaitPattern>(i)));
  }
  using Row = std::size_t;
  const auto of = [&](Row i) -> const WaitState& { return waits.states[i]; };
  const auto has_cause = [&](Row i) { return of(i).cause_call != kNoCall; };
  TableBuilder table(waits.states.size());
  table.add<std::int32_t>("rank", [&](Row i) { return of(i).rank; });
  table.add<std::uint32_t>("call", [&](Row i) { return of(i).call; });
  table.add_text("operation", operation_names(), [&](Row i) {
    return static_cast<std::int32_t>(trace.calls(of(i).rank).operation(of(i).call));
  });
  table.add_text("pattern", std::move(patterns),
                 [&](Row i) { return static_cast<std::int32_t>(of(i).pattern); });
  table.add<std::int64_t>("begin_ns",
                          [&](Row i) { return trace.calls(of(i).rank).begin_ns(of(i).call); });
  table.add<std::int64_t>("wait_ns", [&](Row i) { return of(i).wait_ns; });
  table.add<std::int32_t>("cause_rank", [&](Row i) { return of(i).cause_rank; });
  table.add_optional<std::uint32_t>(
      "cause_call", [&](Row i) { return of(i).cause_call; }, has_cause);
  table.add_text("order", {"right", "wrong_same_source", "wrong_different_source"},
                 [&](Row i) { return static_cast<std::int32_t>(of(i).order); });
  table.add<bool>("effective", [&](Row i) { return of(i).effective; });
  table.add_text("region", paths.names(), [&](Row i) {
    return paths.only_one() ? 0 : static_cast<std::int32_t>(paths.at_call(of(i).rank, of(i).call));
  });
  return table.take();
}

Columns critical_path_table(const Opened& opened) {
  require_times(opened);
  const CallPaths& paths = opened.paths();
  const CriticalPath path =
      critical_path(opened.trace(), opened.matching(), paths, {.extent = PathExtent::segments});
  std::vector<std::string> operations = operation_names();
  operations.front() = "computation";
  using Row = std::size_t;
  const auto of = [&](Row i) -> const ActivitySegment& { return path.segments[i]; };
  TableBuilder table(path.segments.size());
  table.add<std::int64_t>("begin_ns", [&](Row i) { return of(i).begin_ns; });
  table.add<std::int64_t>("end_ns", [&](Row i) { return of(i).end_ns; });
  table.add<std::int32_t>("rank", [&](Row i) { return of(i).rank; });
  table.add<std::uint32_t>("call", [&](Row i) { return of(i).call; });
  table.add_text("operation", std::move(operations),
                 [&](Row i) { return static_cast<std::int32_t>(of(i).operation); });
  table.add_text("region", paths.names(),
                 [&](Row i) { return static_cast<std::int32_t>(of(i).path); });
  return table.take();
}

}  // namespace slackline::python

#include "page/trace_calls.h"

#include <algorithm>
#include <span>
#include <string>

#include "trace/operation_kinds.h"

namespace slackline {

std::vector<DrawnCalls::NamedOperation> TraceCalls::operations() const {
  std::vector<NamedOperation> all;
  for (const Operation operation : codes_.operations()) {
    const bool computation = operation == Operation::none;
    all.push_back({std::string(computation ? "computation" : mpi_name(operation)),
                   std::string(class_name(operation))});
  }
  return all;
}

bool TraceCalls::is_collective(std::int32_t row, std::size_t call) const {
  return slackline::is_collective(trace_.calls(row).operation(call));
}

DrawnCalls::Data TraceCalls::data(std::int32_t row, std::size_t call) const {
  const Call read = trace_.calls(row)[call];
  return {read.peer, read.bytes};
}

void TraceCalls::partners(std::int32_t row, std::size_t call, std::vector<Partner>& to) const {
  using Kind = CallMatching::Completion::Kind;
  matching_.for_completions(row, static_cast<CallIndex>(call),
                            [&](const CallMatching::Completion& c) {
                              if (c.kind == Kind::incoming) {
                                const MessageCalls& m = matching_.message(c.id);
                                to.push_back({.row = m.source, .send = m.send});
                              } else if (c.kind == Kind::collective) {
                                to.push_back({.collective = true, .id = c.id});
                              }
                            });
}

bool TraceCalls::any_pauses(const Trace& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    const RankCalls& calls = trace.calls(r);
    if (!calls.pauses().empty() || !calls.recording_costs().empty()) return true;
  }
  return false;
}

bool TraceCalls::any_threads(const Trace& trace) {
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    if (trace.calls(r).has_threads()) return true;
  }
  return false;
}

std::vector<Pause> TraceCalls::pauses(std::int32_t row, std::int64_t from_ns,
                                      std::int64_t to_ns) const {
  const std::span<const Pause> all = trace_.calls(row).pauses();
  std::vector<Pause> of_run;
  auto pause = std::ranges::upper_bound(all, from_ns + start_ns_, {}, &Pause::end_ns);
  for (; pause != all.end() && pause->begin_ns < to_ns + start_ns_; ++pause) {
    of_run.push_back(*pause);
    of_run.back().begin_ns -= start_ns_;
    of_run.back().end_ns -= start_ns_;
  }
  return of_run;
}

std::vector<std::string> TraceCalls::paths() const {
  std::vector<std::string> names;
  for (PathId path = 0; path < paths_.size(); ++path) names.push_back(paths_.name(path));
  return names;
}

}  // namespace slackline

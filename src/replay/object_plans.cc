#include "replay/object_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "calls/replay.h"

namespace slackline {

std::string incomplete_collective(const Trace& trace, const CallMatching& matching,
                                  CollectiveScope scope) {
  for (const CollectiveInstance& c : matching.collectives()) {
    if (collective_scope(c.operation) != scope) continue;
    const auto members = matching.members(c);
    const Communicator& comm = trace.communicators()[c.comm];
    const std::size_t all = c.comm == kCommWorld || comm.members.empty()
                                ? static_cast<std::size_t>(trace.ranks())
                                : comm.members.size() + comm.remote.size();
    if (members.size() != all) {
      return fmt::format("{} of {} ranks enter {}", members.size(), all, mpi_name(c.operation));
    }
    for (const CollectiveMember& m : members) {
      const Operation own = trace.calls(m.rank).operation(m.enter);
      if (own == c.operation) continue;
      return fmt::format("{} of rank {} meets {} of others", mpi_name(own), m.rank,
                         mpi_name(c.operation));
    }
  }
  return "";
}

FilePlan::FilePlan(const Trace& trace, const CallMatching& matching)
    : trace_(trace), matching_(matching) {
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (operation_class(calls.operation(i)) == OperationClass::io) ++calls_;
    }
  }
  if (calls_ == 0) return;
  refusal_ = incomplete_collective(trace, matching, CollectiveScope::file);
  not_synchronising_ = not_synchronising(trace, matching);
  for (const CollectiveInstance& c : matching.collectives()) {
    std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
    for (const CollectiveMember& m : matching.members(c)) {
      shortest = std::min(shortest, length_ns(m.rank, m.enter));
    }
    shortest_ns_.push_back(shortest);
  }
}

std::int64_t FilePlan::length_ns(std::int32_t rank, CallIndex call) const {
  return trace_.calls(rank).end_ns(call) - trace_.calls(rank).begin_ns(call);
}

FilePlan::Access FilePlan::access(std::int32_t rank, CallIndex call) const {
  std::optional<std::uint32_t> together;
  matching_.for_completions(rank, call, [&](const CallMatching::Completion& c) {
    if (c.kind == CallMatching::Completion::Kind::collective) together = c.id;
  });
  if (!together || not_synchronising_[*together]) return {kCommNull, length_ns(rank, call)};
  return {matching_.collective(*together).comm, shortest_ns_[*together]};
}

}  // namespace slackline

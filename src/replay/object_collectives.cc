#include "replay/object_collectives.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace slackline

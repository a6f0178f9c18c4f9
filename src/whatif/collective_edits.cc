// Removing collectives: all members' calls of it, so that the k-th collective of a communicator
// stays one and the same on all members.

#include <vector>

#include "whatif/actions.h"
#include "whatif/call_rewrite.h"
#include "whatif/collective_selection.h"

namespace slackline {

Program remove_collectives(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  const CallPaths paths(trace);
  const CollectiveSelection removed(edit, program, paths);
  change = {removed.count(), removed.count(), "collectives"};
  return with_calls(program, paths,
                    [&](std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
                      if (removed.has_call(rank, i)) return;
                      std::vector<std::int64_t> storage;
                      const auto dropped = [&](std::uint32_t serial) {
                        return removed.has_request(rank, serial);
                      };
                      if (without_requests(call, storage, dropped) != Leftover::nothing)
                        to.call(call);
                    });
}

}  // namespace slackline

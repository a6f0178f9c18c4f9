// Edits of messages: without some of them, or with other sizes.
//
// A message that is removed takes with it whatever either side did for it: the call that sends or
// receives, its request in the call that completes it, and the probe that announced it. A call that
// then has nothing left to do is removed as well; half of an MPI_Sendrecv remains as an MPI_Send or
// MPI_Recv.

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include "base/arithmetic.h"
#include "base/error.h"
#include "base/units.h"
#include "calls/call_actions.h"
#include "trace/start_groups.h"
#include "whatif/actions.h"
#include "whatif/collective_selection.h"
#include "whatif/message_selection.h"
#include "whatif/program_writer.h"

namespace slackline {
namespace {

/// The probes of one rank whose message is removed: their next receive from that source, tag and
/// communicator is a removed one.
std::vector<bool> orphaned_probes(const RankCalls& calls, std::int32_t rank,
                                  const MessageSelection& removed) {
  std::vector<bool> orphaned(calls.size(), false);
  std::map<std::tuple<std::int32_t, std::int32_t, std::uint32_t>, bool> next_removed;
  for (std::size_t i = calls.size(); i-- > 0;) {
    const OperationClass kind = operation_class(calls.operation(i));
    const std::tuple stream{calls.peer(i), calls.tag(i), calls.comm(i)};
    if (kind == OperationClass::recv || kind == OperationClass::irecv) {
      next_removed[stream] = removed.receives(rank, i);
    } else if (kind == OperationClass::probe && !calls.has(i, SLK_FLAG_FAILED)) {
      const auto found = next_removed.find(stream);
      orphaned[i] = found != next_removed.end() && found->second;
    }
  }
  return orphaned;
}

/// Writes one rank's calls without the removed messages.
class Removal {
 public:
  Removal(const Trace& trace, const MessageSelection& removed) : removed_(removed) {
    for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
      probes_.push_back(orphaned_probes(trace.calls(rank), rank, removed));
    }
  }

  void write(std::int32_t rank, std::size_t i, Call call, RankWriter& to) const {
    const OperationClass kind = operation_class(call.operation);
    if (kind == OperationClass::sendrecv) return write_halves(rank, i, call, to);
    if (kind != OperationClass::start && (removed_.sends(rank, i) || removed_.receives(rank, i))) {
      return;
    }
    if (probes_[static_cast<std::size_t>(rank)][i]) return;
    std::vector<std::int64_t> storage;
    const auto dropped = [&](std::uint32_t serial) { return removed_.has_request(rank, serial); };
    if (without_requests(call, storage, dropped) != Leftover::nothing) to.call(call);
  }

 private:
  void write_halves(std::int32_t rank, std::size_t i, const Call& call, RankWriter& to) const {
    const bool no_send = removed_.sends(rank, i);
    const bool no_receive = removed_.receives(rank, i);
    if (no_send && no_receive) return;
    to.call(no_send ? receive_half(call) : no_receive ? send_half(call) : call);
  }

  const MessageSelection& removed_;
  std::vector<std::vector<bool>> probes_{};
};

/// A new size for a message.
struct Resize {
  double factor = 1;
  std::optional<std::uint64_t> bytes{};

  std::uint64_t operator()(std::uint64_t old) const {
    if (bytes) return *bytes;
    return static_cast<std::uint64_t>(nearest_whole(static_cast<double>(old) * factor));
  }
};

/// Femtoseconds for each byte, as nanoseconds for all.
std::int64_t cost_ns(std::uint64_t bytes, std::int64_t fs_per_byte) {
  return nearest_whole(static_cast<double>(bytes) * ns_of_fs(fs_per_byte));
}

/// The call with the new sizes of what it sends and receives.
Call resized(std::int32_t rank, std::size_t i, Call call, const MessageSelection& selected,
             const Resize& size, std::vector<std::int64_t>& storage) {
  const OperationClass kind = operation_class(call.operation);
  storage.assign(call.args.begin(), call.args.end());
  if (kind == OperationClass::start) {
    for (std::size_t at = 0; at + kStartGroup <= storage.size(); at += kStartGroup) {
      if (!selected.has_request(rank, static_cast<std::uint32_t>(storage[at]))) continue;
      storage[at + 4] =
          static_cast<std::int64_t>(size(static_cast<std::uint64_t>(storage[at + 4])));
    }
  } else if (kind == OperationClass::sendrecv) {
    if (selected.sends(rank, i)) call.bytes = size(call.bytes);
    if (selected.receives(rank, i) && storage.size() > 2) {
      storage[2] = static_cast<std::int64_t>(size(static_cast<std::uint64_t>(storage[2])));
    }
  } else if (selected.sends(rank, i) || selected.receives(rank, i)) {
    call.bytes = size(call.bytes);
  }
  call.args = storage;
  return call;
}

}  // namespace

Program remove_messages(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  const CallPaths paths(trace);
  const MessageSelection removed(edit, program, paths);
  const Removal removal(trace, removed);
  change = {removed.count(), removed.count(), "messages"};
  return with_calls(program, paths,
                    [&](std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
                      removal.write(rank, i, call, to);
                    });
}

Program resize_messages(const Edit& edit, const ProgramView& program, Change& change) {
  const Trace& trace = program.trace;
  const Resize size{edit.factor("factor").value_or(1), edit.bytes("bytes")};
  if (!edit.has("bytes")) edit.required("factor");
  const std::string* cost = edit.find("cost");
  const std::int64_t cost_fs = cost == nullptr ? 0 : parse_gap_per_byte_fs(*cost, "cost");
  const CallPaths paths(trace);
  const MessageSelection selected(edit, program, paths);
  change = {selected.count(), selected.count(), "messages"};
  return with_calls(program, paths,
                    [&](std::int32_t rank, std::size_t i, Call call, RankWriter& to) {
                      std::vector<std::int64_t> storage;
                      if (cost_fs > 0) to.compute(cost_ns(selected.bytes_sent(rank, i), cost_fs));
                      to.call(resized(rank, i, call, selected, size, storage));
                      if (cost_fs > 0)
                        to.compute(cost_ns(selected.bytes_completed(rank, i), cost_fs));
                    });
}

// Removing collectives: all members' calls of it, so that the k-th collective of a communicator
// stays one and the same on all members.

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

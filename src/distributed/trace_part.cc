// Which calls do the ranks of another process deal with?
//
// The problem: matching, waiting and the forward passes look at both sides of a message and at all
// members of a collective, and a process has the calls of its own ranks only. The idea: each
// process gives to every other one the calls of its ranks that send to, receive from or act
// together with a rank of that process. There they stand in the trace like any others, in the order
// of their rank; what is missing between them concerns nobody there. So a stream of messages of
// which one end is the process's own is complete at both ends, and so are its collectives: the
// matcher and whatever asks about single calls run as they are. Cost: the calls that cross, once.

#include "distributed/trace_part.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "calls/call_actions.h"
#include "calls/collective_calls.h"
#include "calls/collective_scope.h"
#include "formats/native/block.h"
#include "formats/native/bytes.h"
#include "trace/trace_builder.h"

namespace slackline {
namespace {

using native::ByteReader;
using native::ByteWriter;

/// Tells of a rank's calls, one after the other, which processes they concern.
class Concerned : public IgnoreActions {
 public:
  Concerned(const Trace& trace, const std::vector<RankRange>& ranks_of, int self)
      : trace_(trace),
        self_(static_cast<std::size_t>(self)),
        process_of_(static_cast<std::size_t>(trace.ranks())),
        of_comm_(trace.communicators().size()),
        marked_(ranks_of.size(), 0) {
    for (std::size_t p = 0; p < ranks_of.size(); ++p) {
      for (std::int32_t r = ranks_of[p].first; r < ranks_of[p].end; ++r) {
        process_of_[static_cast<std::size_t>(r)] = p;
      }
    }
    for (std::size_t p = 0; p < ranks_of.size(); ++p) {
      if (p != self_ && ranks_of[p].first < ranks_of[p].end) others_.push_back(p);
    }
  }

  /// The processes that the call concerns, but this one.
  const std::vector<std::size_t>& of(const RankCalls& calls, std::size_t call) {
    for (const std::size_t p : found_) marked_[p] = 0;
    found_.clear();
    const Operation operation = calls.operation(call);
    if (may_post(operation_class(operation))) visit_actions(calls.action(call), *this);
    if (joins_collective(operation)) add_members(calls.action(call));
    return found_;
  }

  void send(const PostedMessage& m) { add_rank(m.peer); }
  void receive(const PostedMessage& m) { add_rank(m.peer); }

 private:
  void add(std::size_t process) {
    if (process == self_ || marked_[process] != 0) return;
    marked_[process] = 1;
    found_.push_back(process);
  }
  void add_rank(std::int32_t rank) {
    if (rank >= 0 && rank < trace_.ranks()) add(process_of_[static_cast<std::size_t>(rank)]);
  }
  /// What acts on a window or a file may have to be told its communicator by calls before.
  void add_members(const Call& call) {
    if (collective_scope(call.operation) != CollectiveScope::communicator) return add_all();
    const std::uint32_t comm = collective_comm(call);
    if (comm >= of_comm_.size() || comm == kCommSelf) return;
    const Communicator& c = trace_.communicators()[comm];
    if (comm == kCommWorld || c.members.empty()) return add_all();
    if (of_comm_[comm].empty()) of_comm_[comm] = processes_of(c);
    for (const std::size_t p : of_comm_[comm]) add(p);
  }
  void add_all() {
    for (const std::size_t p : others_) add(p);
  }
  std::vector<std::size_t> processes_of(const Communicator& c) const {
    std::vector<std::size_t> processes;
    for (const auto* group : {&c.members, &c.remote}) {
      for (const std::int32_t rank : *group) {
        processes.push_back(process_of_[static_cast<std::size_t>(rank)]);
      }
    }
    std::ranges::sort(processes);
    processes.erase(std::ranges::unique(processes).begin(), processes.end());
    return processes;
  }

  const Trace& trace_;
  const std::size_t self_;
  std::vector<std::size_t> process_of_;            // of each rank
  std::vector<std::size_t> others_;                // that have ranks
  std::vector<std::vector<std::size_t>> of_comm_;  // once they are asked for
  std::vector<char> marked_;                       // by process
  std::vector<std::size_t> found_;
};

void find_partner_calls(TracePart& part, int self) {
  Concerned concerned(part.trace, part.ranks_of, self);
  part.partners_at.assign(part.ranks_of.size(),
                          std::vector<std::vector<CallIndex>>(part.own_count()));
  for (std::size_t r = 0; r < part.own_count(); ++r) {
    const RankCalls& calls = part.trace.calls(part.own.first + static_cast<std::int32_t>(r));
    for (std::size_t i = 0; i < calls.size(); ++i) {
      for (const std::size_t p : concerned.of(calls, i)) {
        part.partners_at[p][r].push_back(static_cast<CallIndex>(i));
      }
    }
  }
}

/// Some calls of a rank, as blocks.
void encode_calls(const RankCalls& calls, const std::vector<CallIndex>& chosen, ByteWriter& out) {
  RankCallsBuilder some;
  some.reserve(chosen.size());
  for (const CallIndex i : chosen) some.append(calls[i]);
  ByteWriter payload;
  out.varint(some.size());
  for (std::size_t first = 0; first < some.size();) {
    const native::BlockRange block = native::next_block(some, first, 0);
    payload.clear();
    native::encode_block(some, block, payload);
    out.varint(block.count);
    out.varint(payload.size());
    out.raw(payload.bytes());
    first += block.count;
  }
}

void decode_calls(ByteReader& in, const native::NameCounts& names, RankCallsBuilder& calls) {
  const std::uint64_t count = in.varint();
  calls.reserve(count);
  while (calls.size() < count && !in.failed()) {
    const std::uint64_t of_block = in.varint();
    const auto payload = in.raw(in.varint());
    expects(!in.failed(), "a block of calls came whole");
    native::decode_block(payload, of_block, names, calls);
  }
  calls.shrink();
}

Bytes encoded_for(const TracePart& part, std::size_t process) {
  ByteWriter out;
  for (std::size_t r = 0; r < part.own_count(); ++r) {
    const std::int32_t rank = part.own.first + static_cast<std::int32_t>(r);
    encode_calls(part.trace.calls(rank), part.partners_at[process][r], out);
  }
  return {out.bytes().begin(), out.bytes().end()};
}

}  // namespace

std::uint64_t TracePart::call_count() const {
  return std::accumulate(
      extents.begin(), extents.end(), std::uint64_t{0},
      [](std::uint64_t sum, const RankExtent& rank) { return sum + rank.calls; });
}

TracePart share_partner_calls(Trace own_calls, std::vector<RankRange> ranks_of,
                              ProcessGroup& group) {
  const auto self = static_cast<std::size_t>(group.rank());
  TracePart part{std::move(own_calls), ranks_of[self], std::move(ranks_of), {}, {}};
  std::vector<RankExtent> own;
  for (std::int32_t r = part.own.first; r < part.own.end; ++r) {
    own.push_back(rank_extent(part.trace.calls(r)));
  }
  part.extents = gather_all(group, own);
  find_partner_calls(part, group.rank());
  std::vector<Bytes> to_each(part.ranks_of.size());
  parallel_for(to_each.size(), [&](std::size_t p) {
    if (p != self) to_each[p] = encoded_for(part, p);
  });
  const std::vector<Bytes> from_each = group.exchange(std::move(to_each));
  const native::NameCounts names{part.trace.regions().size(), part.trace.call_tree().size()};
  TraceBuilder trace = std::move(part.trace);
  parallel_for(from_each.size(), [&](std::size_t p) {
    if (p == self) return;
    ByteReader in(from_each[p]);
    for (std::int32_t r = part.ranks_of[p].first; r < part.ranks_of[p].end; ++r) {
      decode_calls(in, names, trace.calls(r));
    }
  });
  part.trace = std::move(trace).build();
  return part;
}

}  // namespace slackline

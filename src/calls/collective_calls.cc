#include "calls/collective_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "calls/call_actions.h"
#include "calls/collective_scope.h"
#include "calls/findings.h"
#include "calls/replay.h"
#include "trace/communicator_makers.h"
#include "trace/operation_kinds.h"

namespace slackline {
namespace {

bool moves_bytes(const Call& call) {
  return call.bytes > 0 || std::ranges::any_of(call.args, [](std::int64_t n) { return n > 0; });
}

/// Does the call (MPI_Alltoallv or MPI_Alltoallw) receive nothing from some other member?
bool lacks_a_sender(const Call& call, const CollectiveMember& member) {
  const std::size_t members = call.args.size() / 2;
  for (std::size_t i = 0; i < members; ++i) {
    if (i != member.place && call.args[members + i] == 0) return true;
  }
  return members == 0 && call.bytes == 0;
}

/// Does some member of that operation contribute or receive nothing?
bool has_empty_parts(Operation operation, const Call& call, const CollectiveMember& member) {
  switch (operation) {
    case Operation::barrier:
      return false;
    case Operation::alltoallv:
    case Operation::alltoallw:
      return lacks_a_sender(call, member);
    case Operation::allgatherv:
    case Operation::gatherv:
    case Operation::scatterv:
    case Operation::reduce_scatter:
      return call.bytes == 0;
    default:
      return member.moves == 0;
  }
}

class Assembly {
 public:
  Assembly(const Trace& trace, CollectiveCalls& out) : trace_(trace), out_(out) {
    for (auto& of_scope : by_comm_) of_scope.resize(trace.communicators().size());
  }

  void run() {
    out_.of_rank.resize(static_cast<std::size_t>(trace_.ranks()));
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) walk(rank);
    for (CollectiveInstance& c : out_.instances) {
      c.selective = is_selective(c);
      const std::uint32_t expected = capacity(c.comm);
      if (c.member_count == expected) continue;
      const CollectiveScope scope = collective_scope(c.operation);
      // Windows and files are not modelled, and their waiting is not claimed to be known.
      if (scope != CollectiveScope::communicator && scope != CollectiveScope::none) continue;
      Findings& findings = is_collective(c.operation) ? out_.findings : out_.environment_findings;
      findings.add(misses_only_ended(c) ? kOpenCollective : kCollectiveIncomplete,
                   fmt::format("{} on communicator {}: {} of {} ranks", identifier(c.operation),
                               c.comm, c.member_count, expected));
    }
  }

 private:
  static constexpr std::uint32_t kNone = CollectiveCalls::kNone;

  void walk(std::int32_t rank) {
    const RankCalls& calls = trace_.calls(rank);
    auto& mine = out_.of_rank[static_cast<std::size_t>(rank)];
    for (CollectiveSequence& sequence : sequences_) sequence.restart();
    objects_ = {};
    places_.assign(trace_.communicators().size(), std::nullopt);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Operation operation = calls.operation(i);
      if (!joins_collective(operation)) continue;
      const auto call = static_cast<CallIndex>(i);
      mine.push_back(operation_class(operation) == OperationClass::environment
                         ? global(rank, call, operation == Operation::finalize)
                         : collective(rank, call, calls[i]));
    }
  }

  CollectiveCalls::Part collective(std::int32_t rank, CallIndex i, const Call& call) {
    const CollectiveScope scope = collective_scope(call.operation);
    const std::uint32_t comm = comm_of(call, scope);
    if (comm >= trace_.communicators().size() || comm == kCommSelf) return {kNone, 0};
    const std::uint32_t k = sequences_[static_cast<std::size_t>(scope)].next(comm);
    auto& known = by_comm_[static_cast<std::size_t>(scope)][comm];
    const Operation operation = blocking_form(call.operation);
    if (k == known.size()) known.push_back(add_instance(operation, comm));
    CollectiveInstance& instance = out_.instances[known[k]];
    if (instance.operation != operation && scope == CollectiveScope::communicator) {
      out_.findings.add(kCollectiveMismatch,
                        fmt::format("rank {}: {}, others {}", rank, identifier(operation),
                                    identifier(instance.operation)));
    }
    if (call.peer >= 0) instance.root = call.peer;
    CollectiveMember member = member_at(rank, i, place_of(comm, rank));
    member.moves = moves_bytes(call) ? 1 : 0;
    return enter(known[k], member);
  }

  std::uint32_t comm_of(const Call& call, CollectiveScope scope) {
    if (scope == CollectiveScope::communicator) return collective_comm(call);
    if (scope == CollectiveScope::freeing) return call.comm;
    return objects_[static_cast<std::size_t>(scope)].of(call.operation, call.comm);
  }

  CollectiveCalls::Part global(std::int32_t rank, CallIndex i, bool finalize) {
    std::uint32_t& id = finalize ? finalize_ : init_;
    if (id == kNone) {
      id = add_instance(finalize ? Operation::finalize : Operation::init, kCommWorld);
    }
    return enter(id, member_at(rank, i, {static_cast<std::uint32_t>(rank), false}));
  }

  struct Place {
    std::uint32_t at = 0;
    bool remote = false;
  };
  static CollectiveMember member_at(std::int32_t rank, CallIndex i, const Place& place) {
    constexpr std::uint32_t kMostPlaces = (std::uint32_t{1} << 30) - 1;
    CollectiveMember member{};
    member.rank = rank;
    member.enter = i;
    member.done = kNoCall;
    member.place = place.at & kMostPlaces;
    member.remote = place.remote ? 1 : 0;
    return member;
  }
  /// The place, in the communicator, of the rank whose calls are visited.
  const Place& place_of(std::uint32_t comm, std::int32_t rank) {
    std::optional<Place>& known = places_[comm];
    if (known) return *known;
    const Communicator& c = trace_.communicators()[comm];
    const auto local = static_cast<std::uint32_t>(
        comm == kCommWorld ? rank : std::ranges::find(c.members, rank) - c.members.begin());
    if (comm == kCommWorld || local < c.members.size()) return known.emplace(Place{local, false});
    const auto remote =
        static_cast<std::uint32_t>(std::ranges::find(c.remote, rank) - c.remote.begin());
    return known.emplace(Place{remote, true});
  }

  bool is_selective(const CollectiveInstance& c) const {
    if (operation_class(c.operation) != OperationClass::collective) return false;
    const CollectiveRule rule = rule_by_operation(c.operation);
    if (rule == CollectiveRule::none || rule == CollectiveRule::neighbours) return false;
    if (trace_.communicators()[c.comm].is_inter()) return true;
    const auto members = std::span(out_.members).subspan(c.first_member, c.member_count);
    return std::ranges::any_of(members, [&](const CollectiveMember& m) {
      return has_empty_parts(c.operation, trace_.calls(m.rank)[m.enter], m);
    });
  }

  std::uint32_t capacity(std::uint32_t comm) const {
    const Communicator& c = trace_.communicators()[comm];
    if (comm == kCommWorld || c.members.empty()) return static_cast<std::uint32_t>(trace_.ranks());
    return static_cast<std::uint32_t>(c.members.size() + c.remote.size());
  }

  /// Whether the recordings of all ranks that did not enter it ended early.
  bool misses_only_ended(const CollectiveInstance& c) const {
    const auto entered = std::span(out_.members).subspan(c.first_member, c.member_count);
    const auto missed = [&](std::int32_t rank) {
      const auto found = std::ranges::lower_bound(entered, rank, {}, &CollectiveMember::rank);
      return found == entered.end() || found->rank != rank;
    };
    const auto is_lost = [&](std::int32_t rank) {
      return !ended_early(trace_, rank) && missed(rank);
    };
    const Communicator& comm = trace_.communicators()[c.comm];
    if (c.comm != kCommWorld && !comm.members.empty()) {
      return std::ranges::none_of(comm.members, is_lost) &&
             std::ranges::none_of(comm.remote, is_lost);
    }
    for (std::int32_t rank = 0; rank < trace_.ranks(); ++rank) {
      if (is_lost(rank)) return false;
    }
    return true;
  }

  std::uint32_t add_instance(Operation operation, std::uint32_t comm) {
    CollectiveInstance instance;
    instance.operation = operation;
    instance.comm = comm;
    instance.first_member = static_cast<std::uint32_t>(out_.members.size());
    out_.members.resize(out_.members.size() + capacity(comm));
    out_.instances.push_back(instance);
    return static_cast<std::uint32_t>(out_.instances.size() - 1);
  }

  CollectiveCalls::Part enter(std::uint32_t id, const CollectiveMember& member) {
    CollectiveInstance& instance = out_.instances[id];
    if (instance.member_count == capacity(instance.comm)) return {kNone, 0};
    const std::uint32_t at = instance.first_member + instance.member_count++;
    out_.members[at] = member;
    return {id, at};
  }

  const Trace& trace_;
  CollectiveCalls& out_;
  // What the rank whose calls are visited has done so far, by scope.
  std::array<CollectiveSequence, kCollectiveScopes> sequences_;
  std::array<ObjectCommunicator, kCollectiveScopes> objects_;
  std::vector<std::optional<Place>> places_;
  std::array<std::vector<std::vector<std::uint32_t>>, kCollectiveScopes> by_comm_;
  std::uint32_t init_ = kNone;
  std::uint32_t finalize_ = kNone;
};

}  // namespace

ObjectCollectives::ObjectCollectives(const CollectiveCalls& collectives)
    : by_rank_(collectives.of_rank.size()) {
  for (std::size_t rank = 0; rank < by_rank_.size(); ++rank) {
    for (const CollectiveCalls::Part& part : collectives.of_rank[rank]) {
      if (part.id == CollectiveCalls::kNone) continue;
      const CollectiveScope scope = collective_scope(collectives.instances[part.id].operation);
      if (scope != CollectiveScope::window && scope != CollectiveScope::file) continue;
      by_rank_[rank].push_back({collectives.members[part.member].enter, part.id});
    }
  }
}

std::uint32_t ObjectCollectives::of(std::int32_t rank, CallIndex call) const {
  const auto& mine = by_rank_[static_cast<std::size_t>(rank)];
  const auto found = std::ranges::lower_bound(mine, call, {}, &Entry::call);
  return found == mine.end() || found->call != call ? CollectiveCalls::kNone : found->id;
}

bool joins_collective(Operation operation) {
  return collective_scope(operation) != CollectiveScope::none ||
         (operation_class(operation) == OperationClass::environment &&
          operation != Operation::abort);
}

CollectiveCalls assemble_collectives(const Trace& trace) {
  CollectiveCalls out;
  Assembly(trace, out).run();
  return out;
}

}  // namespace slackline

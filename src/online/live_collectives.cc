#include "online/live_collectives.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "calls/call_actions.h"

namespace slackline::online {
namespace {

std::int32_t place_of(const std::vector<std::int32_t>& members, std::int32_t rank) {
  const auto found = std::ranges::find(members, rank);
  return found == members.end() ? -1 : static_cast<std::int32_t>(found - members.begin());
}

bool is_duplicate(Operation operation) {
  return operation == Operation::comm_dup || operation == Operation::comm_dup_with_info ||
         operation == Operation::comm_idup;
}

}  // namespace

LiveCollectives::LiveCollectives(TraceBuilder& trace)
    : trace_(trace),
      contributed_(static_cast<std::size_t>(trace.ranks())),
      viewed_(static_cast<std::size_t>(trace.ranks())) {}

std::vector<std::int32_t> LiveCollectives::members(std::uint32_t comm, std::int32_t rank) const {
  if (comm == kCommSelf) return {rank};
  if (comm != kCommWorld) return trace_.communicators()[comm].members;
  std::vector<std::int32_t> all(static_cast<std::size_t>(trace_.ranks()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::size_t LiveCollectives::size(std::uint32_t comm) const {
  if (comm == kCommSelf) return 1;
  if (comm == kCommWorld) return static_cast<std::size_t>(trace_.ranks());
  const auto& all = trace_.communicators();
  return comm < all.size() ? all[comm].members.size() : 0;
}

bool LiveCollectives::is_member(std::uint32_t comm, std::int32_t rank) const {
  if (comm == kCommSelf || comm == kCommWorld) return true;
  return size(comm) > 0 && place_of(trace_.communicators()[comm].members, rank) >= 0;
}

std::uint32_t LiveCollectives::of_members(std::uint32_t parent, std::int32_t tag,
                                          const std::vector<std::int64_t>& members) {
  const MembersKey key{parent, tag, members};
  ByMembers& made = by_members_[key];
  if (made.entered == 0) {
    Communicator communicator;
    for (const std::int64_t member : members) {
      communicator.members.push_back(static_cast<std::int32_t>(member));
    }
    made.comm = trace_.add_communicator(std::move(communicator));
  }
  const std::uint32_t comm = made.comm;
  if (++made.entered == members.size()) by_members_.erase(key);
  return comm;
}

LiveCollective& LiveCollectives::contribute(std::int32_t rank, const Call& call,
                                            const Contribution& contribution) {
  // Each rank has an MPI_COMM_SELF of its own, whose collectives no other rank sees.
  const std::uint32_t comm = collective_comm(call);
  const Key key{comm, comm == kCommSelf ? static_cast<std::uint32_t>(rank)
                                        : contributed_[static_cast<std::size_t>(rank)].next(comm)};
  const std::vector<std::int32_t> all = members(comm, rank);
  std::unique_ptr<LiveCollective>& collective = running_[key];
  if (collective == nullptr) {
    collective = std::make_unique<LiveCollective>();
    collective->comm = comm;
    collective->blocks.resize(all.size());
    collective->colors.resize(all.size());
    collective->keys.resize(all.size());
  }
  const auto place = static_cast<std::size_t>(place_of(all, rank));
  collective->blocks[place] = contribution.block;
  collective->colors[place] = contribution.color;
  collective->keys[place] = contribution.key;
  const bool complete = ++collective->entered == static_cast<std::int32_t>(all.size());
  if (is_made_by_members(call.operation)) {
    collective->new_comms.assign(all.size(), comm);
  } else if (is_duplicate(call.operation)) {
    // Known at once, as some may leave before others enter.
    if (collective->new_comms.empty()) {
      collective->new_comms.assign(all.size(), trace_.add_communicator(Communicator{all, {}, {}}));
    }
  } else if (complete && operation_class(call.operation) == OperationClass::comm_create) {
    make_communicators(*collective, rank);
  }
  return *collective;
}

/// One communicator for each color, whose members stand by key and then by their old rank (MPI 4.0,
/// section 7.4.2).
void LiveCollectives::make_communicators(LiveCollective& collective, std::int32_t any_member) {
  const std::size_t n = collective.blocks.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::tuple{collective.colors[i], collective.keys[i], i};
  });
  const std::vector<std::int32_t> old = members(collective.comm, any_member);
  collective.new_comms.assign(n, kCommNull);
  for (std::size_t begin = 0; begin < n;) {
    const std::int32_t color = collective.colors[order[begin]];
    std::size_t end = begin;
    Communicator made;
    for (; end < n && collective.colors[order[end]] == color; ++end) {
      made.members.push_back(old[order[end]]);
    }
    if (color >= 0) {
      const std::uint32_t id = trace_.add_communicator(std::move(made));
      for (std::size_t i = begin; i < end; ++i) collective.new_comms[order[i]] = id;
    }
    begin = end;
  }
}

CollectiveCursor::Entered LiveCollectives::view(std::uint32_t context, std::int32_t rank,
                                                const Call& call) {
  View& view = views_[context];
  const std::uint32_t comm = collective_comm(call);
  view.members = members(comm, rank);
  view.args.assign(call.args.begin(), call.args.end());
  Call own = call;
  own.args = view.args;
  own.comm = comm;
  view.instance = own_view(own, view.members);
  return {view.instance, viewed_[static_cast<std::size_t>(rank)].next(comm),
          place_of(view.members, rank)};
}

void LiveCollectives::forget(const LiveCollective& collective) {
  std::erase_if(running_, [&](const auto& entry) { return entry.second.get() == &collective; });
}

}  // namespace slackline::online

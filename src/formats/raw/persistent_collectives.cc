#include "formats/raw/rank_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/packed.h"
#include "trace/communicator_makers.h"
#include "trace/operation_kinds.h"

namespace slackline::raw {
namespace {

constexpr std::uint64_t kOther = ~std::uint64_t{0};  // a collective that is not persistent

/// By communicator: the collectives of one rank in its order, persistent ones by their number.
using Orders = std::map<std::uint32_t, std::vector<std::uint64_t>>;

/// Do all members of its communicator take part, in an order that is the same for all?
bool has_order(Operation operation) {
  return is_collective(operation) && !is_made_by_members(operation);
}

Orders orders_of(const RankCalls& calls, const std::vector<PersistentStart>& starts) {
  Orders orders;
  std::size_t next = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool persistent = next < starts.size() && starts[next].call == i;
    const std::uint64_t number = persistent ? starts[next++].number : kOther;
    if (has_order(calls.operation(i))) orders[calls.comm(i)].push_back(number);
  }
  return orders;
}

using OrderRows = std::vector<std::pair<std::uint32_t, std::vector<std::uint64_t>>>;

Bytes packed(const Orders& orders) {
  OrderRows rows(orders.begin(), orders.end());
  Bytes bytes;
  pack(bytes, rows);
  return bytes;
}

Orders unpacked(std::span<const std::byte> bytes) {
  OrderRows rows;
  unpack(bytes, rows);
  return {rows.begin(), rows.end()};
}

bool any_persistent(const std::vector<std::uint64_t>& order) {
  return std::ranges::any_of(order, [](std::uint64_t number) { return number != kOther; });
}

/// The communicators with persistent collectives whose members have different orders, and for each
/// persistent collective of them the communicator that it moves to.
using Moved = std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t>;

Moved make_communicators(const std::vector<Orders>& by_rank, TraceBuilder& trace) {
  std::map<std::uint32_t, const std::vector<std::uint64_t>*> first;
  std::map<std::uint32_t, bool> differ;
  for (const Orders& orders : by_rank) {
    for (const auto& [comm, order] : orders) {
      const auto [seen, added] = first.try_emplace(comm, &order);
      if (!added && *seen->second != order) differ[comm] = true;
    }
  }
  Moved moved;
  for (const Orders& orders : by_rank) {
    for (const auto& [comm, order] : orders) {
      if (comm >= trace.communicators().size() || comm == kCommSelf) continue;
      if (!differ.contains(comm) || !any_persistent(order)) continue;
      for (const std::uint64_t number : order) {
        if (number == kOther || moved.contains({comm, number})) continue;
        Communicator own = trace.communicators()[comm];
        own.name.clear();
        moved[{comm, number}] = trace.add_communicator(std::move(own));
      }
    }
  }
  return moved;
}

}  // namespace

void separate_persistent_collectives(const std::vector<std::vector<PersistentStart>>& starts,
                                     RankRange own, TraceBuilder& trace, ProcessGroup& group) {
  if (true_in_all(group, std::ranges::all_of(starts, &std::vector<PersistentStart>::empty))) return;
  std::vector<Bytes> of_own;
  for (std::int32_t r = own.first; r < own.end; ++r) {
    of_own.push_back(packed(orders_of(trace.calls(r), starts[static_cast<std::size_t>(r)])));
  }
  std::vector<Orders> by_rank;
  for (const Bytes& orders : gather_all(group, of_own)) by_rank.push_back(unpacked(orders));
  const Moved moved = make_communicators(by_rank, trace);
  if (moved.empty()) return;
  for (std::int32_t r = own.first; r < own.end; ++r) {
    RankCallsBuilder& calls = trace.calls(r);
    for (const PersistentStart& start : starts[static_cast<std::size_t>(r)]) {
      const auto to = moved.find({calls.comm(start.call), start.number});
      if (to != moved.end()) calls.set_comm(start.call, to->second);
    }
  }
}

}  // namespace slackline::raw

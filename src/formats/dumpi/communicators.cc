// Handles name a communicator on one rank only, and no record says who is in it. So the calls that
// make communicators are executed: each rank proceeds through its own until one that is collective;
// when all members of the parent have come to such a call, its results follow from the arguments
// (color and key, group, dimensions). That is what the program did, so it ends as the program did,
// unless recordings are incomplete: then, when no rank can proceed, the calls that wait are
// executed by those who came.

#include "formats/dumpi/communicators.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace slackline::dumpi {
namespace {

using Members = std::vector<std::int32_t>;

bool is_local(Operation operation) {
  switch (operation) {
    case Operation::comm_dup:
    case Operation::comm_split:
    case Operation::comm_create:
    case Operation::cart_create:
    case Operation::cart_sub:
    case Operation::graph_create:
      return false;
    default:
      return true;
  }
}

class Execution {
 public:
  Execution(const std::vector<std::vector<MembershipEvent>>& events, TraceBuilder& trace)
      : events_(events), trace_(trace), ranks_(events.size()), made_(events.size()) {
    for (std::size_t r = 0; r < events.size(); ++r) {
      ranks_[r].comms = {{kHandleWorld, kCommWorld}, {kHandleSelf, kCommSelf}};
      ranks_[r].groups[kHandleGroupEmpty] = {};
      made_[r].reserve(events[r].size());
      runnable_.push_back(static_cast<std::int32_t>(r));
    }
  }

  std::vector<std::vector<MadeMembers>> run() {
    for (;;) {
      while (!runnable_.empty()) {
        const std::int32_t rank = runnable_.front();
        runnable_.pop_front();
        proceed(rank);
      }
      if (waiting_.empty()) return std::move(made_);
      execute(waiting_.begin()->first);
    }
  }

 private:
  struct RankState {
    std::map<std::int64_t, std::uint32_t> comms;  // by handle
    std::map<std::int64_t, Members> groups;
  };

  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }
  const MembershipEvent& next(std::int32_t rank) const {
    return events_[index(rank)][made_[index(rank)].size()];
  }

  void proceed(std::int32_t rank) {
    while (made_[index(rank)].size() < events_[index(rank)].size()) {
      const MembershipEvent& event = next(rank);
      const std::uint32_t parent = comm_of(rank, event.comm);
      if (!is_local(event.function->operation) && parent != kCommNull) {
        if (parent == kCommSelf) {
          // Everyone has its own, on which it is alone.
          finish(rank, event.new_comm == kHandleCommNull ? kCommNull : kCommSelf);
          continue;
        }
        auto& waiting = waiting_[parent];
        waiting.push_back(rank);
        if (waiting.size() == present_members(parent)) execute(parent);
        return;
      }
      execute_alone(rank, event);
    }
  }

  std::uint32_t comm_of(std::int32_t rank, std::int64_t handle) const {
    const auto& comms = ranks_[index(rank)].comms;
    const auto found = comms.find(handle);
    return found == comms.end() ? kCommNull : found->second;
  }

  Members members_of(std::int32_t rank, std::uint32_t comm) const {
    if (comm == kCommSelf) return {rank};
    return comm == kCommNull ? Members{} : trace_.communicators()[comm].members;
  }

  std::size_t present_members(std::uint32_t comm) {
    const auto found = present_.find(comm);
    if (found != present_.end()) return found->second;
    const Members& members = trace_.communicators()[comm].members;
    const auto count = static_cast<std::size_t>(std::ranges::count_if(
        members, [&](std::int32_t rank) { return trace_.rank_info(rank).present; }));
    present_[comm] = count;
    return count;
  }

  void finish(std::int32_t rank, std::uint32_t made) {
    const MembershipEvent& event = next(rank);
    if (event.new_comm > kHandleCommNull) ranks_[index(rank)].comms[event.new_comm] = made;
    made_[index(rank)].push_back({made, {}});
  }

  void execute_alone(std::int32_t rank, const MembershipEvent& event) {
    if (operation_class(event.function->operation) == OperationClass::comm_create) {
      return finish(rank, kCommNull);
    }
    Members group = group_of(rank, event);
    ranks_[index(rank)].groups[event.new_group] = group;
    made_[index(rank)].push_back({kCommNull, std::move(group)});
  }

  const Members& group_named(std::int32_t rank, std::int64_t handle) {
    return ranks_[index(rank)].groups[handle];
  }

  Members group_of(std::int32_t rank, const MembershipEvent& event) {
    const std::string_view name = event.function->name;
    if (name == "MPI_Comm_group") return members_of(rank, comm_of(rank, event.comm));
    if (name == "MPI_Group_incl") return included(group_named(rank, event.group), event.ranks);
    if (name == "MPI_Group_excl") return excluded(group_named(rank, event.group), event.ranks);
    if (name == "MPI_Group_range_incl") {
      return included(group_named(rank, event.group), ranks_in(event.ranges));
    }
    if (name == "MPI_Group_range_excl") {
      return excluded(group_named(rank, event.group), ranks_in(event.ranges));
    }
    const Members& a = group_named(rank, event.group1);
    const Members& b = group_named(rank, event.group2);
    const std::set<std::int32_t> in_a(a.begin(), a.end());
    const std::set<std::int32_t> in_b(b.begin(), b.end());
    Members group;
    if (name == "MPI_Group_union") {
      group = a;
      std::ranges::copy_if(b, std::back_inserter(group), [&](auto r) { return !in_a.contains(r); });
    } else {
      const bool both = name == "MPI_Group_intersection";
      std::ranges::copy_if(a, std::back_inserter(group),
                           [&](auto r) { return in_b.contains(r) == both; });
    }
    return group;
  }

  static Members included(const Members& group, const std::vector<std::int64_t>& ranks) {
    Members result;
    for (const std::int64_t rank : ranks) {
      const bool known = rank >= 0 && rank < static_cast<std::int64_t>(group.size());
      if (known && result.size() < group.size()) {
        result.push_back(group[static_cast<std::size_t>(rank)]);
      }
    }
    return result;
  }

  static Members excluded(const Members& group, const std::vector<std::int64_t>& ranks) {
    const std::set<std::int64_t> out(ranks.begin(), ranks.end());
    Members result;
    for (std::size_t i = 0; i < group.size(); ++i) {
      if (!out.contains(static_cast<std::int64_t>(i))) result.push_back(group[i]);
    }
    return result;
  }

  /// First and last rank, which are included, and stride, which may be negative.
  std::vector<std::int64_t> ranks_in(const std::vector<std::vector<std::int64_t>>& ranges) const {
    std::vector<std::int64_t> ranks;
    const auto most = static_cast<std::int64_t>(events_.size());
    for (const auto& range : ranges) {
      if (range.size() != 3 || range[2] == 0) continue;
      const auto inside = [most](std::int64_t rank) { return rank >= 0 && rank < most; };
      for (std::int64_t rank = range[0];
           inside(rank) && (range[2] > 0 ? rank <= range[1] : rank >= range[1]); rank += range[2]) {
        ranks.push_back(rank);
      }
    }
    return ranks;
  }

  /// All ranks that wait at a call on `parent` make it.
  void execute(std::uint32_t parent) {
    Members callers = std::move(waiting_[parent]);
    waiting_.erase(parent);
    const Members members = trace_.communicators()[parent].members;
    std::ranges::sort(callers, {}, [&](auto rank) { return trace_.rank_in(parent, rank); });
    const Operation operation = next(callers.front()).function->operation;
    // A rank at another call than the others has a gap in its recording.
    std::erase_if(callers, [&](std::int32_t rank) {
      if (next(rank).function->operation == operation) return false;
      finish(rank, kCommNull);
      runnable_.push_back(rank);
      return true;
    });
    std::map<Members, std::uint32_t> made;  // what has these members
    for (auto& [rank, group] : results(operation, parent, members, callers)) {
      std::uint32_t comm = kCommNull;
      if (next(rank).new_comm != kHandleCommNull && !group.empty()) {
        const auto [at, added] = made.try_emplace(group, 0);
        if (added) at->second = add(operation, parent, at->first, callers.front());
        comm = at->second;
      }
      finish(rank, comm);
      runnable_.push_back(rank);
    }
  }

  std::uint32_t add(Operation operation, std::uint32_t parent, const Members& group,
                    std::int32_t caller) {
    const std::uint32_t comm = trace_.add_communicator({group, {}, {}});
    const MembershipEvent& event = next(caller);
    if (operation == Operation::cart_create) dims_[comm] = event.dims;
    if (operation == Operation::comm_dup && dims_.contains(parent)) dims_[comm] = dims_[parent];
    return comm;
  }

  std::vector<std::pair<std::int32_t, Members>> results(Operation operation, std::uint32_t parent,
                                                        const Members& members,
                                                        const Members& callers) {
    switch (operation) {
      case Operation::comm_dup:
        return for_each_caller(callers, [&](auto) { return members; });
      case Operation::comm_create:
        return for_each_caller(callers,
                               [&](auto rank) { return group_named(rank, next(rank).group); });
      case Operation::comm_split:
        return split(callers, [&](auto rank) {
          return std::tuple(next(rank).color, next(rank).key, next(rank).color >= 0);
        });
      case Operation::cart_sub:
        return split(callers, [&](auto rank) {
          const auto row = row_of(rank, parent);
          return std::tuple(row.value_or(0), std::int64_t{0}, row.has_value());
        });
      default: {
        // Topologies: the first ranks, as many as there are places; those behind get none.
        Members placed;
        std::ranges::copy_if(callers, std::back_inserter(placed),
                             [&](auto rank) { return next(rank).new_comm != kHandleCommNull; });
        return for_each_caller(callers, [&](auto) { return placed; });
      }
    }
  }

  template <class Group>
  static std::vector<std::pair<std::int32_t, Members>> for_each_caller(const Members& callers,
                                                                       Group group) {
    std::vector<std::pair<std::int32_t, Members>> results;
    for (const std::int32_t rank : callers) results.emplace_back(rank, group(rank));
    return results;
  }

  /// `choose` gives color, key, and whether the rank takes part at all.
  template <class Choose>
  static std::vector<std::pair<std::int32_t, Members>> split(const Members& callers,
                                                             Choose choose) {
    std::map<std::int64_t, std::vector<std::pair<std::int64_t, std::int32_t>>> of_color;
    std::vector<std::pair<std::int32_t, Members>> results;
    for (const std::int32_t rank : callers) {
      const auto [color, key, takes_part] = choose(rank);
      if (takes_part) {
        of_color[color].emplace_back(key, rank);
      } else {
        results.emplace_back(rank, Members{});
      }
    }
    for (auto& [color, ranks] : of_color) {
      // Callers stand in the order of the parent, which decides between equal keys.
      std::ranges::stable_sort(ranks, {}, [](const auto& keyed) { return keyed.first; });
      Members group;
      for (const auto& [key, rank] : ranks) group.push_back(rank);
      for (const std::int32_t rank : group) results.emplace_back(rank, group);
    }
    return results;
  }

  /// Which of the grids that MPI_Cart_sub makes the rank is in: its coordinates in the dimensions
  /// that are dropped. The last dimension varies fastest (MPI 4.0, section 8.2).
  std::optional<std::int64_t> row_of(std::int32_t rank, std::uint32_t parent) const {
    const auto found = dims_.find(parent);
    const MembershipEvent& event = next(rank);
    if (found == dims_.end() || event.remain_dims.size() != found->second.size()) {
      return std::nullopt;
    }
    std::int64_t place = trace_.rank_in(parent, rank);
    std::int64_t row = 0;
    std::int64_t scale = 1;
    for (std::size_t i = found->second.size(); i-- > 0;) {
      const std::int64_t dim = std::max<std::int64_t>(1, found->second[i]);
      if (event.remain_dims[i] == 0) {
        row += scale * (place % dim);
        scale = std::min(scale * dim, std::int64_t{INT32_MAX});
      }
      place /= dim;
    }
    return row;
  }

  const std::vector<std::vector<MembershipEvent>>& events_;
  TraceBuilder& trace_;
  std::vector<RankState> ranks_;
  std::vector<std::vector<MadeMembers>> made_;
  std::deque<std::int32_t> runnable_;
  std::map<std::uint32_t, Members> waiting_;  // at a call on that communicator
  std::map<std::uint32_t, std::size_t> present_;
  std::map<std::uint32_t, std::vector<std::int64_t>> dims_;  // of Cartesian ones
};

}  // namespace

bool is_membership_event(const Record& record) {
  if (record.function == nullptr) return false;
  if (operation_class(record.function->operation) == OperationClass::comm_create) return true;
  const std::string_view name = record.function->name;
  return name == "MPI_Comm_group" || name == "MPI_Group_incl" || name == "MPI_Group_excl" ||
         name == "MPI_Group_range_incl" || name == "MPI_Group_range_excl" ||
         name == "MPI_Group_union" || name == "MPI_Group_intersection" ||
         name == "MPI_Group_difference";
}

MembershipEvent membership_event(const Record& record) {
  return {.function = record.function,
          .comm = record[Scalar::comm],
          .new_comm = record[Scalar::new_comm],
          .group = record[Scalar::group],
          .group1 = record[Scalar::group1],
          .group2 = record[Scalar::group2],
          .new_group = record.function->name == "MPI_Comm_group" ? record[Scalar::group]
                                                                 : record[Scalar::new_group],
          .color = record[Scalar::color],
          .key = record[Scalar::key],
          .ranks = record[Array::ranks],
          .dims = record[Array::dims],
          .remain_dims = record[Array::remain_dims],
          .ranges = record.ranges};
}

std::vector<std::vector<MadeMembers>> make_communicators(
    const std::vector<std::vector<MembershipEvent>>& events, TraceBuilder& trace) {
  return Execution(events, trace).run();
}

}  // namespace slackline::dumpi

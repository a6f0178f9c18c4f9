#include "trace/trace.h"

#include <algorithm>
#include <numeric>

namespace slackline {

Trace::Trace(std::int32_t ranks, bool timed) : calls_(index(ranks)) {
  job_.rank_info.resize(index(ranks));
  job_.communicators.resize(2);
  job_.timed = timed;
  job_.communicators[kCommWorld].name = "MPI_COMM_WORLD";
  job_.communicators[kCommWorld].members.resize(index(ranks));
  std::iota(job_.communicators[kCommWorld].members.begin(),
            job_.communicators[kCommWorld].members.end(), 0);
  job_.communicators[kCommSelf].name = "MPI_COMM_SELF";
}

std::uint64_t Trace::call_count() const {
  return std::accumulate(calls_.begin(), calls_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const RankCalls& c) { return sum + c.size(); });
}

std::int32_t Trace::rank_in(std::uint32_t comm, std::int32_t world_rank) const {
  if (comm == kCommWorld) return world_rank;
  if (comm == kCommSelf) return 0;
  if (comm >= job_.communicators.size()) return -1;
  const auto& members = job_.communicators[comm].members;
  const auto found = std::ranges::find(members, world_rank);
  return found == members.end() ? -1 : static_cast<std::int32_t>(found - members.begin());
}

namespace {

bool same_call(const Call& a, const Call& b) {
  return a.operation == b.operation && a.flags == b.flags && a.thread == b.thread &&
         a.frame == b.frame && a.begin_ns == b.begin_ns && a.end_ns == b.end_ns &&
         a.bytes == b.bytes && a.peer == b.peer && a.tag == b.tag && a.comm == b.comm &&
         a.request == b.request && std::ranges::equal(a.args, b.args);
}

bool same_region_event(const RegionEvent& a, const RegionEvent& b) {
  return a.time_ns == b.time_ns && a.region == b.region && a.before_call == b.before_call &&
         a.enter == b.enter;
}

bool same_calls(const RankCalls& a, const RankCalls& b) {
  if (a.size() != b.size() || a.start_ns() != b.start_ns()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same_call(a[i], b[i])) return false;
  }
  return std::ranges::equal(a.regions(), b.regions(), same_region_event) &&
         a.parallel_regions() == b.parallel_regions() &&
         std::ranges::equal(a.blocking_calls(), b.blocking_calls());
}

}  // namespace

bool same_content(const Trace& a, const Trace& b) {
  if (a.ranks() != b.ranks() || a.timed() != b.timed() || a.regions() != b.regions() ||
      a.call_tree() != b.call_tree()) {
    return false;
  }
  if (!std::ranges::equal(a.communicators(), b.communicators(),
                          [](const Communicator& x, const Communicator& y) {
                            return x.members == y.members && x.remote == y.remote;
                          })) {
    return false;
  }
  for (std::int32_t r = 0; r < a.ranks(); ++r) {
    if (!same_calls(a.calls(r), b.calls(r))) return false;
  }
  return true;
}

}  // namespace slackline

#include "trace/trace.h"

#include <algorithm>
#include <numeric>

namespace slackline {

std::span<std::int64_t> RankCalls::mutable_args(std::size_t i) {
  const std::size_t at = args_at_[i];
  return {args_.data() + at + 1, static_cast<std::size_t>(args_[at])};
}

std::size_t RankCalls::first_from(std::int64_t time) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(begin_ns_, time) - begin_ns_.begin());
}

void RankCalls::retime(std::span<const std::int64_t> times) {
  const auto moved = [&](std::int64_t time, std::size_t before_call) {
    const std::size_t next = std::min(before_call, size());
    std::int64_t result = time;
    if (next > 0) result += times[2 * next - 1] - end_ns_[next - 1];
    if (next == size()) return result;
    const std::int64_t beyond = std::max<std::int64_t>(0, time - begin_ns_[next]);
    return std::min(result, times[2 * next] + beyond);
  };
  for (RegionEvent& event : regions_) event.time_ns = moved(event.time_ns, event.before_call);
  for (Pause& pause : pauses_) {
    pause = {moved(pause.begin_ns, pause.before_call), moved(pause.end_ns, pause.before_call),
             pause.before_call, pause.in_mpi};
  }
  if (stop_ns_ != kNoStop) stop_ns_ = moved(stop_ns_, size());
  for (std::size_t i = 0; i < size(); ++i) {
    begin_ns_[i] = times[2 * i];
    end_ns_[i] = times[2 * i + 1];
  }
}

std::int64_t RankCalls::stop_ns() const {
  const std::int64_t last = empty() ? start_ns_ : end_ns_.back();
  return stop_ns_ == kNoStop ? last : std::max(last, stop_ns_);
}

/// The gap before call i without the pauses that `counts` names.
template <class Counts>
std::int64_t RankCalls::gap_without(std::size_t i, Counts counts) const {
  std::int64_t rest = i < size() ? gap_ns(i) : stop_ns() - (empty() ? start_ns_ : end_ns_.back());
  auto pause = std::ranges::lower_bound(pauses_, i, {}, &Pause::before_call);
  for (; pause != pauses_.end() && pause->before_call == i; ++pause) {
    if (counts(*pause)) rest -= pause->end_ns - pause->begin_ns;
  }
  return std::max<std::int64_t>(0, rest);
}

std::int64_t RankCalls::useful_between_pauses(std::size_t i) const {
  return gap_without(i, [](const Pause&) { return true; });
}

std::int64_t RankCalls::outside_ns(std::size_t i) const {
  return gap_without(i, [](const Pause& p) { return p.in_mpi; });
}

void RankCalls::set_counter(std::size_t which, std::vector<std::uint64_t> values) {
  if (which >= counters_.size()) counters_.resize(which + 1);
  counters_[which] = std::move(values);
}

void RankCalls::reserve(std::size_t calls) {
  begin_ns_.reserve(calls);
  end_ns_.reserve(calls);
  bytes_.reserve(calls);
  peer_.reserve(calls);
  tag_.reserve(calls);
  comm_.reserve(calls);
  request_.reserve(calls);
  args_at_.reserve(calls);
  operation_.reserve(calls);
  flags_.reserve(calls);
}

void RankCalls::append(const Call& call) {
  if (call.thread != 0 && thread_.empty()) thread_.resize(size(), 0);
  if (!thread_.empty() || call.thread != 0) thread_.push_back(call.thread);
  if (call.frame != 0 && frame_.empty()) frame_.resize(size(), 0);
  if (!frame_.empty() || call.frame != 0) frame_.push_back(call.frame);
  begin_ns_.push_back(call.begin_ns);
  end_ns_.push_back(call.end_ns);
  bytes_.push_back(call.bytes);
  peer_.push_back(call.peer);
  tag_.push_back(call.tag);
  comm_.push_back(call.comm);
  request_.push_back(call.request);
  operation_.push_back(call.operation);
  flags_.push_back(call.flags);
  if (call.args.empty()) {
    args_at_.push_back(0);
    return;
  }
  args_at_.push_back(static_cast<std::uint32_t>(args_.size()));
  args_.push_back(static_cast<std::int64_t>(call.args.size()));
  args_.insert(args_.end(), call.args.begin(), call.args.end());
}

void RankCalls::resolve(std::size_t i, std::int32_t peer, std::int32_t tag, std::uint64_t bytes) {
  peer_[i] = peer;
  tag_[i] = tag;
  bytes_[i] = bytes;
}

void RankCalls::shrink() {
  begin_ns_.shrink_to_fit();
  end_ns_.shrink_to_fit();
  bytes_.shrink_to_fit();
  peer_.shrink_to_fit();
  tag_.shrink_to_fit();
  comm_.shrink_to_fit();
  request_.shrink_to_fit();
  args_at_.shrink_to_fit();
  args_.shrink_to_fit();
  thread_.shrink_to_fit();
  frame_.shrink_to_fit();
  operation_.shrink_to_fit();
  flags_.shrink_to_fit();
  regions_.shrink_to_fit();
  pauses_.shrink_to_fit();
  for (auto& values : counters_) values.shrink_to_fit();
}

Trace::Trace(std::int32_t ranks, bool timed)
    : calls_(index(ranks)), rank_info_(index(ranks)), communicators_(2), timed_(timed) {
  communicators_[kCommWorld].name = "MPI_COMM_WORLD";
  communicators_[kCommWorld].members.resize(index(ranks));
  std::iota(communicators_[kCommWorld].members.begin(), communicators_[kCommWorld].members.end(),
            0);
  communicators_[kCommSelf].name = "MPI_COMM_SELF";
}

std::uint64_t Trace::call_count() const {
  return std::accumulate(calls_.begin(), calls_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const RankCalls& c) { return sum + c.size(); });
}

std::int32_t Trace::rank_in(std::uint32_t comm, std::int32_t world_rank) const {
  if (comm == kCommWorld) return world_rank;
  if (comm == kCommSelf) return 0;
  if (comm >= communicators_.size()) return -1;
  const auto& members = communicators_[comm].members;
  const auto found = std::ranges::find(members, world_rank);
  return found == members.end() ? -1 : static_cast<std::int32_t>(found - members.begin());
}

std::uint32_t Trace::add_communicator(Communicator communicator) {
  communicators_.push_back(std::move(communicator));
  return static_cast<std::uint32_t>(communicators_.size() - 1);
}

std::uint32_t Trace::region_id(std::string_view name) {
  const auto found = region_ids_.find(name);
  if (found != region_ids_.end()) return found->second;
  const auto id = static_cast<std::uint32_t>(regions_.size());
  regions_.emplace_back(name);
  region_ids_.emplace(name, id);
  return id;
}

std::size_t Trace::add_counter(std::string_view name) {
  counters_.emplace_back(name);
  return counters_.size() - 1;
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
  return std::ranges::equal(a.regions(), b.regions(), same_region_event);
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

#include "stretches/rank_scan.h"

#include <algorithm>
#include <utility>

namespace slackline {
namespace {

constexpr std::size_t kMostPoints = std::size_t{1} << 22;
constexpr std::size_t kLeastPointsOfRank = std::size_t{1} << 10;
constexpr std::size_t kMostPointsOfRank = std::size_t{1} << 16;

/// A blocking collective that no member leaves before all have entered, on any
/// network: by MPI's semantics, and by both rules of the ideal network.
bool holds_all(const Call& call) {
  switch (call.operation) {
    case Operation::barrier:
      return true;
    case Operation::allreduce:
    case Operation::allgather:
    case Operation::alltoall:
    case Operation::reduce_scatter_block:
      return call.bytes > 0;
    default:
      return false;
  }
}

int objects_opened(Operation operation) {
  if (opens_object(operation)) return 1;
  return operation == Operation::win_free || operation == Operation::file_close ? -1 : 0;
}

std::uint64_t mixed(std::uint64_t high, std::uint64_t low) {
  return mix_bits(high << 32 | (low & 0xffffffffu));
}

std::uint64_t weight_of(std::int32_t source, std::int32_t destination, const PostedMessage& m) {
  return mix_bits(
      mixed(static_cast<std::uint64_t>(source), static_cast<std::uint64_t>(destination)) +
      mixed(m.comm, static_cast<std::uint64_t>(m.tag)));
}

std::uint64_t weight_of(std::uint64_t group, std::int32_t rank) {
  return mix_bits(mix_bits(group + 1) + static_cast<std::uint64_t>(rank) + 1);
}

}  // namespace

RankScan::RankScan(const Trace& job, std::int32_t rank)
    : job_(job),
      rank_(rank),
      sound_(job, rank),
      most_points_(std::clamp(kMostPoints / static_cast<std::size_t>(job.ranks()),
                              kLeastPointsOfRank, kMostPointsOfRank)) {
  result_.extent.span.whole.begin_ns = job.calls(rank).start_ns();
}

void RankScan::add(const RankCalls& calls) {
  if (!sound_.add(calls)) give_up("calls that overlap in time, or deeply nested regions");
  std::span<const RegionEvent> events = calls.regions();
  if (calls.has_threads()) give_up("calls of several threads");
  for (std::size_t i = 0; i < calls.size(); ++i, ++call_) {
    note_span(calls, i);
    note_regions(events, i);
    const Call call = calls.action(i);
    if (holds_all(call) && has_all_ranks(call.comm)) note_point(calls, i);
    note_objects(call.operation);
    note_poll(call);
    visited_ = &call;
    visit_actions(call, *this);
    result_.last_end_ns = calls.end_ns(i);
  }
  note_regions(events, calls.size());
}

/// Follows the region events before call `until_call` of the block.
void RankScan::note_regions(std::span<const RegionEvent>& events, std::size_t until_call) {
  for (; !events.empty() && events.front().before_call <= until_call; events = events.subspan(1)) {
    path_ = result_.regions.after(path_, events.front());
  }
}

RankScan::Result RankScan::take(const RankCalls& details, ScanEnd end) {
  if (end == ScanEnd::of_reading) {
    requests_.for_each([this](std::uint32_t, std::uint32_t since) { was_open_since(since); });
    polls_.for_each([this](std::uint32_t since) { was_open_since(since); });
  }
  if (open_objects_ > 0) was_open_since(objects_since_);
  std::int32_t open = 0;
  for (CutPoint& point : result_.points) point.open = open += point.open;
  RankExtent& extent = result_.extent;
  RankSpan& span = extent.span;
  extent.calls = call_;
  span.whole = {details.start_ns(), details.stop_ns()};
  if (!init_) span.analysed.begin_ns = details.start_ns();
  if (span.last_call == 0) {
    span.last_call = static_cast<std::size_t>(call_);
    span.analysed.end_ns = std::max(span.analysed.begin_ns, details.stop_ns());
  } else if (!result_.points.empty() && result_.points.back().call > span.last_call) {
    give_up("calls after MPI_Finalize");
  }
  if (call_ == 0) give_up("a rank without calls");
  if (!details.parallel_regions().empty()) give_up("OpenMP regions");
  return std::move(result_);
}

/// As rank_span().
void RankScan::note_span(const RankCalls& calls, std::size_t i) {
  RankSpan& span = result_.extent.span;
  if (!init_ && is_init(calls.operation(i))) {
    init_ = true;
    span.first_call = static_cast<std::size_t>(call_) + 1;
    span.last_call = 0;
    span.analysed.begin_ns = calls.end_ns(i);
  } else if (calls.operation(i) == Operation::finalize) {
    span.last_call = static_cast<std::size_t>(call_);
    span.analysed.end_ns = calls.begin_ns(i);
  }
}

bool RankScan::has_all_ranks(std::uint32_t comm) const {
  if (comm == kCommWorld) return true;
  if (comm >= job_.communicators().size() || comm == kCommSelf) return false;
  const Communicator& c = job_.communicators()[comm];
  return !c.is_inter() && c.members.size() == static_cast<std::size_t>(job_.ranks());
}

void RankScan::note_point(const RankCalls& calls, std::size_t i) {
  const std::uint32_t number = points_++;
  if (mix_bits(number + std::uint64_t{1}) > kept_below_) return;
  if (result_.points.size() == most_points_) {
    drop_some_points();
    if (mix_bits(number + std::uint64_t{1}) > kept_below_) return;
  }
  result_.points.push_back({.number = number,
                            .call = static_cast<CallIndex>(call_),
                            .begin_ns = calls.begin_ns(i),
                            .end_ns = calls.end_ns(i),
                            .balance = balance_,
                            .path = path_,
                            .open = -std::exchange(closed_, 0)});
}

/// About half of them. By their numbers alone, so that all ranks keep the same ones; and at random,
/// so that no pattern of the program is missed. What a point that goes says of what is open, the
/// next one says.
void RankScan::drop_some_points() {
  kept_below_ /= 2;
  std::int32_t open = 0;
  std::vector<CutPoint> kept;
  for (CutPoint& point : result_.points) {
    open += std::exchange(point.open, 0);
    if (mix_bits(point.number + std::uint64_t{1}) > kept_below_) continue;
    point.open = std::exchange(open, 0);
    kept.push_back(point);
  }
  closed_ -= open;
  result_.points = std::move(kept);
}

void RankScan::note_objects(Operation operation) {
  const int opened = objects_opened(operation);
  if (opened > 0 && open_objects_++ == 0) objects_since_ = points_;
  if (opened < 0 && open_objects_ > 0 && --open_objects_ == 0) was_open_since(objects_since_);
}

/// A poll waits for what a later call finds.
void RankScan::note_poll(const Call& call) {
  if (polls_.fails(call)) return polls_.add(call, points_);
  if (polls_.empty() || !polls_.may_end(call.operation)) return;
  for (const std::uint32_t since : polls_.take_ended_by(call)) was_open_since(since);
}

void RankScan::opened(std::uint32_t request) {
  if (request != kRequestNone) requests_[request] = points_;
}

void RankScan::was_open_since(std::uint32_t point) {
  if (point == points_) return;
  const auto first = std::ranges::lower_bound(result_.points, point, {}, &CutPoint::number);
  if (first == result_.points.end()) return;
  ++first->open;  // differences, which take() sums up
  ++closed_;
}

void RankScan::send(const PostedMessage& m) {
  if (m.peer < 0 || m.peer >= job_.ranks()) return;
  balance_ += weight_of(rank_, m.peer, m);
  opened(m.request);
}

void RankScan::receive(const PostedMessage& m) {
  if (m.peer < 0 || m.peer >= job_.ranks()) return;
  balance_ -= weight_of(m.peer, rank_, m);
  opened(m.request);
}

void RankScan::complete(const Call& call) {
  for_each_completed_request(call, [this](std::uint32_t serial) {
    if (const auto since = requests_.take(serial)) was_open_since(*since);
  });
}

void RankScan::free_request(std::uint32_t serial) {
  if (const auto since = requests_.take(serial)) was_open_since(*since);
}

void RankScan::collective(const Call& call) {
  join(collective_comm(call), CollectiveScope::communicator);
  opened(call.request);
}

void RankScan::one_sided(const Call& call) {
  if (!joins_collective(call.operation)) return;
  const CollectiveScope scope = collective_scope(call.operation);
  const std::uint32_t comm =
      objects_[static_cast<std::size_t>(scope)].of(call.operation, call.comm);
  if (comm != call.comm) give_up("windows or files whose communicator is not recorded");
  join(comm, scope);
}

void RankScan::initialize() {
  if (std::exchange(initialized_, true) || points_ > 0) give_up("several initialisations of MPI");
}

void RankScan::io() {
  one_sided(*visited_);
}

void RankScan::free_communicator() {
  join(visited_->comm, CollectiveScope::freeing);
}

void RankScan::join(std::uint32_t comm, CollectiveScope scope) {
  if (comm >= job_.communicators().size() || comm == kCommSelf) return;
  balance_ += weight_in(comm, scope);
}

/// Over all members of a communicator they add up to 0.
std::uint64_t RankScan::weight_in(std::uint32_t comm, CollectiveScope scope) {
  const std::uint64_t group =
      std::uint64_t{comm} * kCollectiveScopes + static_cast<std::uint64_t>(scope);
  if (const std::uint64_t* known = weights_.find(group)) return *known;
  std::vector<std::int32_t> members = job_.communicators()[comm].members;
  const auto& remote = job_.communicators()[comm].remote;
  members.insert(members.end(), remote.begin(), remote.end());
  if (comm == kCommWorld) {
    members.clear();
    for (std::int32_t rank = 0; rank < job_.ranks(); ++rank) members.push_back(rank);
  }
  if (std::ranges::find(members, rank_) == members.end()) {
    give_up("collectives of ranks that are not in their communicator");
    return 0;
  }
  std::uint64_t weight = 0;
  if (rank_ == members.back()) {
    for (const std::int32_t member : members) {
      if (member != rank_) weight -= weight_of(group, member);
    }
  } else {
    weight = weight_of(group, rank_);
  }
  weights_[group] = weight;
  return weight;
}

}  // namespace slackline

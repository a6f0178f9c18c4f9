#include "calls/one_sided_messages.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "calls/window_epochs.h"
#include "calls/window_waits.h"

namespace slackline {

class OneSidedMessages::Writer {
 public:
  Writer(const Trace& trace, const CollectiveCalls& collectives, const ObjectCollectives& fences,
         const WindowEpochs& epochs, OneSidedMessages& out)
      : trace_(trace), collectives_(collectives), fences_(fences), epochs_(epochs), out_(out) {}

  void run() {
    out_.by_rank_.resize(epochs_.by_rank().size());
    for (const EpochMatch& m : epochs_.matches()) synchronise(m);
    for (std::int32_t origin = 0; origin < trace_.ranks(); ++origin) {
      for (const WindowTransfer& t : of(origin).transfers) transfer(origin, t);
    }
    count_lock_waits();
    // Steps of one call stay in the order in which they were added.
    for (std::vector<OneSidedStep>& steps : out_.by_rank_) {
      std::ranges::stable_sort(steps, {}, &OneSidedStep::call);
    }
  }

 private:
  using Kind = OneSidedStep::Kind;
  struct Place {
    std::int32_t rank;
    CallIndex call;
  };

  const RankEpochs& of(std::int32_t rank) const {
    return epochs_.by_rank()[static_cast<std::size_t>(rank)];
  }
  void add(const Place& at, Kind kind, std::int32_t peer, std::uint64_t to, std::uint64_t back) {
    out_.by_rank_[static_cast<std::size_t>(at.rank)].push_back(
        {at.call, kind, peer, out_.ids_, to, back});
  }

  void message(const Place& from, const Place& to, std::uint64_t bytes) {
    add(from, Kind::send, to.rank, bytes, 0);
    add(to, Kind::receive, from.rank, bytes, 0);
    ++out_.ids_;
  }
  void request(std::int32_t origin, const WindowTransfer& t) {
    add({origin, t.call}, Kind::request, t.target, t.fetches ? 0 : t.bytes,
        t.fetches ? t.bytes : 0);
    add({origin, t.close}, Kind::answer, t.target, 0, 0);
    ++out_.ids_;
  }

  /// Post to start, and complete to wait.
  void synchronise(const EpochMatch& m) {
    const WindowEpoch& access = of(m.origin).access[m.access];
    const WindowEpoch& exposure = of(m.target).exposure[m.exposure];
    message({m.target, exposure.open}, {m.origin, access.open}, 0);
    if (access.close == kNoCall || exposure.close == kNoCall) return;
    message({m.origin, access.close}, {m.target, exposure.close}, 0);
    exposed_[{m.origin, access.close, m.target}] = exposure.close;
  }

  void transfer(std::int32_t origin, const WindowTransfer& t) {
    if (t.close == kNoCall || t.target >= trace_.ranks()) {
      ++out_.left_out_;
      return;
    }
    const CallIndex received = t.fetches ? kNoCall : received_in(origin, t);
    if (received == kNoCall) return request(origin, t);
    message({origin, t.call}, {t.target, received}, t.bytes);
  }

  /// The call of the target that waits for what was put; kNoCall: none does.
  CallIndex received_in(std::int32_t origin, const WindowTransfer& t) const {
    const Operation ends = trace_.calls(origin).operation(t.close);
    if (ends == Operation::win_complete) {
      const auto found = exposed_.find({origin, t.close, t.target});
      return found == exposed_.end() ? kNoCall : found->second;
    }
    return ends == Operation::win_fence ? fence_of(t.target, origin, t.close) : kNoCall;
  }

  /// The call of `rank` in the same fence.
  CallIndex fence_of(std::int32_t rank, std::int32_t origin, CallIndex fence) const {
    const std::uint32_t id = fences_.of(origin, fence);
    if (id == CollectiveCalls::kNone) return kNoCall;
    const auto members = collectives_.members_of(collectives_.instances[id]);
    const auto found = std::ranges::lower_bound(members, rank, {}, &CollectiveMember::rank);
    return found == members.end() || found->rank != rank ? kNoCall : found->enter;
  }

  void count_lock_waits() {
    if (!trace_.timed()) return;
    std::vector<std::vector<WindowWait>> waits(epochs_.by_rank().size());
    add_lock_waits(trace_, epochs_.locks(), waits);
    for (const std::vector<WindowWait>& of_rank : waits) out_.left_out_ += of_rank.size();
  }

  const Trace& trace_;
  const CollectiveCalls& collectives_;
  const ObjectCollectives& fences_;
  const WindowEpochs& epochs_;
  OneSidedMessages& out_;
  // By origin, its MPI_Win_complete and target: the target's MPI_Win_wait.
  std::map<std::tuple<std::int32_t, CallIndex, std::int32_t>, CallIndex> exposed_;
};

OneSidedMessages::OneSidedMessages(const Trace& trace, const CollectiveCalls& collectives,
                                   const ObjectCollectives& fences) {
  const WindowEpochs epochs(trace);
  if (!epochs.empty()) Writer(trace, collectives, fences, epochs, *this).run();
}

std::span<const OneSidedStep> OneSidedMessages::of(std::int32_t rank, CallIndex call) const {
  if (by_rank_.empty()) return {};
  const auto found = std::ranges::equal_range(by_rank_[static_cast<std::size_t>(rank)], call, {},
                                              &OneSidedStep::call);
  return {found.begin(), found.end()};
}

}  // namespace slackline

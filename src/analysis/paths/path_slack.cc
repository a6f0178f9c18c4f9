// One walk from the last call to the first. The longest way from a call's end goes on with the
// computation after it. The one from its begin is the best of: through the call itself, and into
// every call that waited for it. The latter have been visited before and left there what they
// offer; a last entry into a collective passes on what its members offered once the first of them
// to leave (so the last one in this order) has been visited.

#include "analysis/paths/path_slack.h"

#include <algorithm>

namespace slackline {
namespace {

class BackwardWalk {
 public:
  BackwardWalk(const Activities& run, PathSlack& out)
      : run_(run),
        out_(out),
        through_(static_cast<std::size_t>(run.trace().ranks()), kNoWay),
        entries_(run.matching().collectives().size()) {
    for (std::int32_t r = 0; r < run.trace().ranks(); ++r) {
      out.ahead_ns.emplace_back(run.calls(r), kNoWay);
      out.longest_ns.emplace_back(run.calls(r) / PathSlack::kCallsOfBlock + 1, kNoWay);
    }
    out.next.resize(out.sources.size());
    out.ranks.resize(through_.size());
    if (run.part().first) out.vertices = 2;
    for (std::uint32_t id = 0; id < entries_.size(); ++id) prepare(id);
  }

  void run() {
    run_.order().backward([this](std::int32_t rank, CallIndex call) { visit(rank, call); });
    for (std::int32_t r = 0; r < run_.trace().ranks(); ++r) {
      if (run_.calls(r) == 0) continue;
      enter(r, 0);
      if (run_.part().last) ++out_.edges;  // to the end of the run
    }
  }

 private:
  static constexpr std::int64_t kNoWay = -1;
  struct Entry {
    std::uint32_t to_come = 0;  // members whose leaving has not been visited
    std::int64_t best_ns = kNoWay;
    PathSlack::Next next{};
  };

  void prepare(std::uint32_t id) {
    if (!run_.has_last_entry(id)) return;
    const CollectiveInstance& c = run_.matching().collective(id);
    for (const CollectiveMember& m : run_.matching().members(c)) {
      if (run_.waits_for_entry(c, m)) ++entries_[id].to_come;
    }
  }

  void visit(std::int32_t rank, CallIndex call) {
    const auto r = static_cast<std::size_t>(rank);
    const bool last = call + 1 == run_.calls(rank);
    const std::int64_t left = run_.leave_ns(rank, call);
    const std::int64_t way =
        last ? std::max<std::int64_t>(0, run_.stop_ns(rank) - left) : enter(rank, call + 1);
    run_.look(rank, call, work_);
    const std::int64_t offer = way + work_.work_ns();
    for (const CallWork::Wait& w : work_.waits) {
      w.source.is_last_entry() ? offer_entry(w.source.index, offer, {rank, call})
                               : offer_call(w.source.rank, w.source.index, offer, {rank, call});
    }
    if (work_.of_collective) left_entries(rank, call);
    through_[r] = work_.from_last_entry ? kNoWay : offer;
    if (work_.dropped > 0) drop(rank, call);
    if (!run_.is_own(call)) return;
    out_.vertices += 2;
    out_.edges += 1 + work_.waits.size() + (work_.from_last_entry ? 0 : 1);
  }

  void drop(std::int32_t rank, CallIndex call) {
    out_.dropped += work_.dropped;
    const CallWork::Wait& latest = work_.latest_dropped;
    PathSlack::Dropped& worst = out_.worst_dropped;
    if (worst.rank >= 0 && latest.at_ns - work_.leave_ns <= worst.at_ns - worst.left_ns) return;
    worst = {rank, call, work_.leave_ns, latest.source, latest.at_ns};
  }

  /// What offers to the begin of `call` are known: the longest way from the end of the one before.
  std::int64_t enter(std::int32_t rank, CallIndex call) {
    const auto r = static_cast<std::size_t>(rank);
    std::int64_t& ahead = out_.ahead_ns[r][call];
    if (through_[r] >= ahead) {
      ahead = through_[r];
      if (out_.sources.contains(rank, call)) {
        out_.next[out_.sources.number_of(rank, call)] = {};
      }
    }
    const std::int64_t gap = run_.gap_ns(rank, call);
    if (ahead != kNoWay && gap > 0) add_computation(rank, call, gap, ahead);
    return std::max<std::int64_t>(ahead, 0) + gap;
  }

  void add_computation(std::int32_t rank, CallIndex call, std::int64_t gap, std::int64_t ahead) {
    const auto r = static_cast<std::size_t>(rank);
    const std::int64_t length = run_.enter_ns(rank, call) + ahead;
    std::int64_t& longest = out_.longest_ns[r][call / PathSlack::kCallsOfBlock];
    longest = std::max(longest, length);
    const std::int64_t slack = run_.makespan_ns() - length;
    PathSlack::OfRank& own = out_.ranks[r];
    if (slack > 0 && (own.least_ns < 0 || slack < own.least_ns)) own.least_ns = slack;
    own.weighted_ns2 += Int128{slack} * gap;
    own.computed_ns += gap;
  }

  /// The lowest rank is taken among equal ways, whatever the order of the calls.
  static bool is_better(std::int64_t offer, const PathSlack::Next& next, std::int64_t best,
                        const PathSlack::Next& of_best) {
    return offer > best || (offer == best && next < of_best);
  }

  void offer_call(std::int32_t rank, CallIndex call, std::int64_t offer,
                  const PathSlack::Next& next) {
    std::int64_t& ahead = out_.ahead_ns[static_cast<std::size_t>(rank)][call];
    PathSlack::Next& known = out_.next[out_.sources.number_of(rank, call)];
    if (!is_better(offer, next, ahead, known)) return;
    ahead = offer;
    known = next;
  }

  void offer_entry(std::uint32_t id, std::int64_t offer, const PathSlack::Next& next) {
    if (!is_better(offer, next, entries_[id].best_ns, entries_[id].next)) return;
    if (entries_[id].best_ns == kNoWay &&
        run_.is_own(run_.matching().members(run_.matching().collective(id)).front().enter)) {
      ++out_.vertices;
      run_.for_entries(id, [this](const CollectiveMember&) { ++out_.edges; });
    }
    entries_[id].best_ns = offer;
    entries_[id].next = next;
  }

  void left_entries(std::int32_t rank, CallIndex call) {
    run_.matching().for_completions(rank, call, [this, rank](const CallMatching::Completion& c) {
      if (c.kind == CallMatching::Completion::Kind::collective) left_entry(rank, c.id);
    });
  }

  void left_entry(std::int32_t rank, std::uint32_t id) {
    Entry& e = entries_[id];
    if (!run_.all_wait(id) && rank != run_.matching().collective(id).root) return;
    if (e.to_come == 0 || --e.to_come > 0 || e.best_ns == kNoWay) return;
    run_.for_entries(
        id, [&](const CollectiveMember& m) { offer_call(m.rank, m.enter, e.best_ns, e.next); });
  }

  const Activities& run_;
  PathSlack& out_;
  std::vector<std::int64_t> through_;  // per rank: the way through the call visited last
  std::vector<Entry> entries_;
  CallWork work_;
};

}  // namespace

PathSlack path_slack(const Activities& run) {
  PathSlack out(run.sources());
  fill_slack(run, out);
  return out;
}

void fill_slack(const Activities& run, PathSlack& out) {
  BackwardWalk(run, out).run();
}

}  // namespace slackline

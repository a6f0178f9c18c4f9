#include "analysis/summary/cause_places.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/arithmetic.h"

namespace slackline {
namespace {

constexpr double kOutstandingRank = 1.4;  // times the even share of a rank
constexpr double kMostOfLoss = 0.6;       // enough, whatever the even share
constexpr double kLeastOfRank = 0.1;
constexpr double kPartOfLoss = 0.9;    // lies in the interval of a cause
constexpr double kDoneByOthers = 0.1;  // of what the rank does of it: less is something else
constexpr double kNearlyAll = 0.8;     // of the analysed interval: a longer one is all of it

}  // namespace

void CausePlaces::add(const Charge& charge) {
  if (charge.ns <= 0) return;
  charges.push_back(charge);
  by_rank[charge.rank] += charge.ns;
  sum_ns += charge.ns;
}

std::vector<std::int32_t> CausePlaces::outstanding(std::size_t ranks) const {
  std::vector<std::pair<double, std::int32_t>> order;
  for (const auto& [rank, ns] : by_rank) order.emplace_back(-ns, rank);
  std::ranges::sort(order);
  const double even = ratio_of(1, static_cast<double>(ranks));
  const double least = std::max(kLeastOfRank, std::min(kMostOfLoss, kOutstandingRank * even));
  std::vector<std::int32_t> found;
  for (const auto& [negative, rank] : order) {
    if (sum_ns > 0 && -negative >= least * sum_ns) found.push_back(rank);
  }
  return found;
}

TimeInterval CausePlaces::interval(const TimeInterval& whole) const {
  std::vector<Charge> in_order = charges;
  std::ranges::sort(in_order, {}, [](const Charge& c) { return c.when.begin_ns; });
  TimeInterval shortest = whole;
  double inside = 0;
  std::size_t first = 0;
  for (const Charge& last : in_order) {
    inside += last.ns;
    while (inside - in_order[first].ns >= kPartOfLoss * sum_ns) inside -= in_order[first++].ns;
    const TimeInterval found{std::max(whole.begin_ns, in_order[first].when.begin_ns),
                             std::min(whole.end_ns, last.when.end_ns)};
    if (inside >= kPartOfLoss * sum_ns && found.length_ns() < shortest.length_ns()) {
      shortest = found;
    }
  }
  const bool nearly_all = static_cast<double>(shortest.length_ns()) >
                          kNearlyAll * static_cast<double>(whole.length_ns());
  return nearly_all ? whole : shortest;
}

FrameId most_of_function(const CallTree& tree, const std::map<FrameId, double>& frames) {
  std::map<std::pair<std::string, std::string>, double> functions;
  const auto function_of = [&](FrameId frame) {
    return std::pair(tree.location(frame).function, tree.location(frame).file);
  };
  for (const auto& [frame, weight] : frames) {
    if (frame != 0) functions[function_of(frame)] += weight;
  }
  if (functions.empty()) return 0;
  const auto most = std::ranges::max_element(functions, {}, [](const auto& f) { return f.second; });
  FrameId best = 0;
  double most_weight = -1;
  for (const auto& [frame, weight] : frames) {
    if (frame == 0 || weight <= most_weight || function_of(frame) != most->first) continue;
    best = frame;
    most_weight = weight;
  }
  return best;
}

/// `share`(rank, call): of what the rank does before the call; visit(rank, call, frame, ns) is told
/// what all do.
template <class Share, class Visit>
CausePlaces CauseFinder::of_gaps(Share share, Visit visit) const {
  CausePlaces places;
  for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
    for (std::size_t i = 0; i < in_.run.calls(r); ++i) {
      const auto call = static_cast<CallIndex>(i);
      const GapTime gap = gaps_.of(r, call);
      const auto add_frame = [&](FrameId frame, std::int64_t ns) {
        visit(r, call, own_[frame], static_cast<double>(ns));
      };
      in_.code.split(r, call, gap.computing, add_frame);
      if (gap.blocked > 0) in_.code.split_stretch(r, call, gap.blocked, true, add_frame);
      const double part = share(r, call);
      if (part <= 0) continue;
      places.blocked_ns += part * static_cast<double>(gap.blocked);
      const std::int64_t end = in_.run.start_ns() + in_.run.enter_ns(r, call);
      places.add({{end - in_.run.gap_ns(r, call), end}, part * static_cast<double>(gap.busy()), r});
    }
  }
  return places;
}

/// The code of it is what charged ranks do longer than others do at the same place of the program.
CausePlaces CauseFinder::excess(BalanceOf of) const {
  struct Visits {
    std::uint64_t charged = 0;
    std::uint64_t others = 0;
    std::map<FrameId, std::array<double, 2>> ns{};  // of the charged ones, and of the others
  };
  std::unordered_map<std::uint64_t, Visits> by_place;
  const auto visits_at = [&](std::int32_t r, CallIndex call) -> Visits& {
    const RankCalls& calls = in_.trace.calls(r);
    return by_place[std::uint64_t{calls.frame(call)} << 16 |
                    static_cast<std::uint64_t>(calls.operation(call))];
  };
  const auto charged = [&](std::int32_t r, CallIndex call) {
    return balance_.charged(of, r, call);
  };
  CausePlaces places = of_gaps(
      [&](std::int32_t r, CallIndex call) {
        const double part = charged(r, call);
        ++(part > 0 ? visits_at(r, call).charged : visits_at(r, call).others);
        return part;
      },
      [&](std::int32_t r, CallIndex call, FrameId frame, double ns) {
        visits_at(r, call).ns[frame][charged(r, call) > 0 ? 0 : 1] += ns;
      });
  for (const auto& [place, visits] : by_place) {
    const double scale =
        ratio_of(static_cast<double>(visits.charged), static_cast<double>(visits.others));
    for (const auto& [frame, ns] : visits.ns) {
      places.frames[frame] += std::max(0.0, ns[0] - scale * ns[1]);
    }
  }
  add_late_starts(places);
  return places;
}

/// The others wait for the rank that starts last.
void CauseFinder::add_late_starts(CausePlaces& places) const {
  std::vector<std::int64_t> late(static_cast<std::size_t>(in_.trace.ranks()));
  for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
    if (in_.run.calls(r) > 0) late[static_cast<std::size_t>(r)] = gaps_.of(r, 0).late_start;
  }
  const auto last = std::ranges::max_element(late);
  if (last == late.end() || *last <= 0) return;
  const double mean = std::accumulate(late.begin(), late.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(1, in_.shares.present));
  const auto rank = static_cast<std::int32_t>(last - late.begin());
  const std::int64_t begin = in_.run.start_ns();
  places.late_start_ns = std::max(0.0, static_cast<double>(*last) - mean);
  places.add({{begin, begin + in_.run.late_start_ns(rank)}, places.late_start_ns, rank});
}

CausePlaces CauseFinder::alone() const {
  const auto share = [&](std::int32_t r, CallIndex call) {
    return 1 - balance_.shared_out(r, call);
  };
  std::map<FrameId, double> frames;
  CausePlaces places =
      of_gaps(share, [&](std::int32_t r, CallIndex call, FrameId frame, double ns) {
        if (const double part = share(r, call); part > 0) frames[frame] += part * ns;
      });
  places.frames = std::move(frames);
  return places;
}

bool CauseFinder::others_do_it(const CausePlaces& places) const {
  const CallTree& tree = in_.trace.call_tree();
  const FrameId most = most_of_function(tree, places.frames);
  if (most == 0 || places.by_rank.empty()) return false;
  const auto rank =
      std::ranges::max_element(places.by_rank, {}, [](const auto& r) { return r.second; })->first;
  double own = 0;
  double of_others = 0;
  for (std::int32_t r = 0; r < in_.trace.ranks(); ++r) {
    for (std::size_t i = 0; i < in_.run.calls(r); ++i) {
      const auto call = static_cast<CallIndex>(i);
      const GapTime gap = gaps_.of(r, call);
      in_.code.split(r, call, gap.computing, [&](FrameId frame, std::int64_t ns) {
        if (own_[frame] == 0) return;
        const CodeLocation& at = tree.location(own_[frame]);
        const CodeLocation& of = tree.location(most);
        if (at.function != of.function || at.file != of.file) return;
        (r == rank ? own : of_others) += static_cast<double>(ns);
      });
    }
  }
  const double others = static_cast<double>(std::max<std::size_t>(2, in_.shares.present) - 1);
  return of_others / others >= kDoneByOthers * own;
}

CausePlaces CauseFinder::beside_waits() const {
  std::map<std::int32_t, std::vector<TimeInterval>> waits;  // by the rank that is waited for
  for (const WaitState& w : in_.waits.states) {
    if (!w.effective || w.cause_rank < 0 || w.cause_rank == w.rank) continue;
    const std::int64_t begin = in_.trace.calls(w.rank).begin_ns(w.call);
    waits[w.cause_rank].push_back({std::max(gaps_.interval().begin_ns, begin),
                                   std::min(gaps_.interval().end_ns, begin + w.wait_ns)});
  }
  CausePlaces places;
  for (auto& [rank, intervals] : waits) {
    std::ranges::sort(intervals, {}, &TimeInterval::begin_ns);
    std::int64_t counted = intervals.front().begin_ns;
    for (const TimeInterval& wait : intervals) {
      add_computation({std::max(wait.begin_ns, counted), wait.end_ns}, rank, places);
      counted = std::max(counted, wait.end_ns);
    }
  }
  return places;
}

void CauseFinder::add_computation(const TimeInterval& t, std::int32_t rank,
                                  CausePlaces& places) const {
  const RankCalls& calls = in_.trace.calls(rank);
  for (std::size_t i = calls.first_from(t.begin_ns); i <= calls.size(); ++i) {
    const std::int64_t from = std::max(t.begin_ns, calls.gap_end_ns(i) - calls.gap_ns(i));
    if (from >= t.end_ns) return;
    const auto call = static_cast<CallIndex>(i);
    const std::int64_t to = std::min(t.end_ns, calls.gap_end_ns(i));
    const std::int64_t computed = std::min(to - from, calls.useful_ns(call));
    in_.code.split(rank, call, computed, [&](FrameId frame, std::int64_t ns) {
      places.frames[own_[frame]] += static_cast<double>(ns);
    });
    std::int64_t blocked = 0;
    if (i < in_.run.calls(rank)) {
      blocked = std::clamp<std::int64_t>(to - from - computed, 0, gaps_.of(rank, call).blocked);
    }
    in_.code.split_stretch(rank, call, blocked, true, [&](FrameId frame, std::int64_t ns) {
      places.frames[own_[frame]] += static_cast<double>(ns);
    });
    places.blocked_ns += static_cast<double>(blocked);
    places.add({{from, to}, static_cast<double>(computed + blocked), rank});
  }
}

}  // namespace slackline

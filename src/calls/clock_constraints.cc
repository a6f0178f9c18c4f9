#include "calls/clock_constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slackline {
namespace {

constexpr std::size_t kClocksInPairs = 16;  // of a collective whose clocks are all paired
constexpr std::uint32_t kNoVisit = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kNothing = std::numeric_limits<std::int64_t>::max();

}  // namespace

ClockConstraints::ClockConstraints(const Trace& trace, const CallMatching& matching,
                                   const ClockGroups& clocks)
    : trace_(trace),
      matching_(matching),
      clocks_(clocks),
      shapes_(collective_shapes(trace, matching)),
      visit_of_(clocks.size(), kNoVisit) {}

std::int64_t ClockConstraints::begin_of(std::int32_t rank, CallIndex call) const {
  return maps_[clocks_.of_rank[static_cast<std::size_t>(rank)]](trace_.calls(rank).begin_ns(call));
}

std::int64_t ClockConstraints::end_of(std::int32_t rank, CallIndex call) const {
  return maps_[clocks_.of_rank[static_cast<std::size_t>(rank)]](trace_.calls(rank).end_ns(call));
}

std::int64_t ClockConstraints::left_of(std::int32_t rank, CallIndex call) const {
  return trace_.calls(rank).is_cut(call) ? kNothing : end_of(rank, call);
}

void ClockConstraints::find_span() {
  begin_ns_ = kNothing;
  end_ns_ = std::numeric_limits<std::int64_t>::min();
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    const auto calls = static_cast<CallIndex>(trace_.calls(r).size());
    if (calls == 0) continue;
    begin_ns_ = std::min(begin_ns_, begin_of(r, 0));
    end_ns_ = std::max(end_ns_, end_of(r, calls - 1));
  }
  if (begin_ns_ > end_ns_) begin_ns_ = end_ns_ = 0;
}

void ClockConstraints::collect(const std::vector<ClockMap>& maps, std::size_t stretches) {
  maps_ = maps;
  stretches_ = stretches;
  index_.clear();
  pairs_.clear();
  bounds_.clear();
  find_span();
  walk();
}

void ClockConstraints::collect_more(const std::vector<ClockMap>& maps) {
  const auto moved = [&](std::uint64_t clock) {
    return maps[clock].offset_ns - maps_[clock].offset_ns;
  };
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const std::int64_t from = moved(pairs_[p] >> 32);
    const std::int64_t to = moved(pairs_[p] & UINT32_MAX);
    for (std::size_t i = p * stretches_; i < (p + 1) * stretches_; ++i) {
      if (bounds_[i].slack_ns == kNothing) continue;
      bounds_[i].at_ns += from;
      bounds_[i].slack_ns += to - from;
    }
  }
  maps_ = maps;
  find_span();
  walk();
}

void ClockConstraints::walk() {
  violations_ = 0;
  for (const MessageCalls& m : matching_.messages()) {
    if (m.receive_done == kNoCall) continue;
    const std::uint32_t from = clocks_.of_rank[static_cast<std::size_t>(m.source)];
    const std::uint32_t to = clocks_.of_rank[static_cast<std::size_t>(m.destination)];
    if (from == to) continue;
    if (add(from, to, begin_of(m.source, m.send), left_of(m.destination, m.receive_done))) {
      ++violations_;
    }
  }
  for (std::uint32_t id = 0; id < shapes_.size(); ++id) {
    if (shapes_[id] != CollectiveShape::none) add_collective(id);
  }
}

void ClockConstraints::gather(const CollectiveInstance& c) {
  for (const ClockVisit& v : visits_) visit_of_[v.clock] = kNoVisit;
  visits_.clear();
  for (const CollectiveMember& m : matching_.members(c)) {
    const std::uint32_t clock = clocks_.of_rank[static_cast<std::size_t>(m.rank)];
    const std::int64_t begin = begin_of(m.rank, m.enter);
    const std::int64_t end = left_of(m.rank, m.enter);
    if (visit_of_[clock] == kNoVisit) {
      visit_of_[clock] = static_cast<std::uint32_t>(visits_.size());
      visits_.push_back({clock, begin, end});
      continue;
    }
    ClockVisit& known = visits_[visit_of_[clock]];
    known.last_begin = std::max(known.last_begin, begin);
    known.first_end = std::min(known.first_end, end);
  }
}

void ClockConstraints::add_collective(std::uint32_t id) {
  const CollectiveInstance& c = matching_.collective(id);
  gather(c);
  const std::uint64_t before = violations_;
  if (shapes_[id] == CollectiveShape::all_to_all) {
    add_exchange();
  } else {
    add_rooted(c, shapes_[id]);
  }
  violations_ = std::min(violations_, before + 1);
}

void ClockConstraints::add_exchange() {
  const auto both = [this](const ClockVisit& a, const ClockVisit& b) {
    violations_ += add(a.clock, b.clock, a.last_begin, b.first_end) ? 1 : 0;
    violations_ += add(b.clock, a.clock, b.last_begin, a.first_end) ? 1 : 0;
  };
  if (visits_.size() <= kClocksInPairs) {
    for (std::size_t i = 0; i < visits_.size(); ++i) {
      for (std::size_t j = i + 1; j < visits_.size(); ++j) both(visits_[i], visits_[j]);
    }
    return;
  }
  const ClockVisit last = *std::ranges::max_element(visits_, {}, &ClockVisit::last_begin);
  const ClockVisit first = *std::ranges::min_element(visits_, {}, &ClockVisit::first_end);
  for (const ClockVisit& v : visits_) {
    both(visits_.front(), v);
    if (last.last_begin > v.first_end) both(last, v);
    if (v.last_begin > first.first_end) both(v, first);
  }
  both(last, first);
}

void ClockConstraints::add_rooted(const CollectiveInstance& c, CollectiveShape shape) {
  const CollectiveMember* const root = matching_.member(c, c.root);
  if (root == nullptr) return;
  const std::uint32_t clock = clocks_.of_rank[static_cast<std::size_t>(root->rank)];
  const std::int64_t begin = begin_of(root->rank, root->enter);
  const std::int64_t end = left_of(root->rank, root->enter);
  for (const ClockVisit& v : visits_) {
    const bool back = shape == CollectiveShape::root_to_all
                          ? add(clock, v.clock, begin, v.first_end)
                          : add(v.clock, clock, v.last_begin, end);
    violations_ += back ? 1 : 0;
  }
}

bool ClockConstraints::add(std::uint32_t from, std::uint32_t to, std::int64_t begin,
                           std::int64_t end) {
  if (from == to || end == kNothing) return false;
  const std::uint64_t key = std::uint64_t{from} << 32 | to;
  std::uint32_t* known = index_.find(key);
  if (known == nullptr) {
    known = &index_[key];
    *known = static_cast<std::uint32_t>(pairs_.size());
    pairs_.push_back(key);
    bounds_.resize(bounds_.size() + stretches_, ClockBound{0, kNothing});
  }
  std::size_t stretch = 0;
  if (stretches_ > 1) {
    const double share = static_cast<double>(begin - begin_ns_) /
                         static_cast<double>(std::max<std::int64_t>(1, end_ns_ - begin_ns_));
    const auto last = static_cast<double>(stretches_ - 1);
    stretch = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * last));
  }
  ClockBound& bound = bounds_[*known * stretches_ + stretch];
  if (end - begin < bound.slack_ns) bound = {begin, end - begin};
  return end < begin;
}

std::vector<ClockPair> ClockConstraints::pairs() const {
  std::vector<ClockPair> all;
  all.reserve(pairs_.size());
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    ClockPair pair{static_cast<std::uint32_t>(pairs_[p] >> 32),
                   static_cast<std::uint32_t>(pairs_[p] & UINT32_MAX)};
    for (std::size_t i = p * stretches_; i < (p + 1) * stretches_; ++i) {
      if (bounds_[i].slack_ns != kNothing) pair.bounds.push_back(bounds_[i]);
    }
    all.push_back(std::move(pair));
  }
  std::ranges::sort(all, {}, [](const ClockPair& p) { return std::pair(p.from, p.to); });
  return all;
}

}  // namespace slackline

#include "stretches/cut_search.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

namespace slackline {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// What the first process says that has something to say.
std::string first_said(const std::string& mine, ProcessGroup& group) {
  for (const Bytes& said : group.exchange_with_all(bytes_of(mine))) {
    if (!said.empty()) return {reinterpret_cast<const char*>(said.data()), said.size()};
  }
  return {};
}

}  // namespace

void CutSearch::Point::add(const Point& other) {
  last_enter_ns = std::max(last_enter_ns, other.last_enter_ns);
  first_exit_ns = std::min(first_exit_ns, other.first_exit_ns);
  balance += other.balance;
  calls_before += other.calls_before;
  open += other.open;
}

void CutSearch::add(RankScan::Result scan) {
  extents_.push_back(scan.extent);
  last_ends_ns_.push_back(scan.last_end_ns);
  if (obstacle_.empty()) obstacle_ = scan.obstacle;
  own_regions_.push_back(std::move(scan.regions));
  std::vector<Point> points;
  std::vector<PointCall>& calls = calls_.emplace_back();
  for (const CutPoint& p : scan.points) {
    points.push_back({p.number, p.begin_ns, p.end_ns, p.balance, p.call, p.open});
    calls.push_back({p.number, {p.call, p.path}});
  }
  if (calls_.size() == 1) {
    points_ = std::move(points);
  } else {
    join(points_, std::move(points));
  }
}

void CutSearch::join(std::vector<Point>& points, std::vector<Point> others) {
  std::size_t kept = 0;
  auto other = others.begin();
  for (const Point& point : points) {
    while (other != others.end() && other->number < point.number) ++other;
    if (other == others.end() || other->number != point.number) continue;
    Point both = point;
    both.add(*other);
    points[kept++] = both;
  }
  points.resize(kept);
}

void CutSearch::gather(ProcessGroup& group) {
  obstacle_ = first_said(obstacle_, group);
  gather_regions(group);
  extents_ = gather_all(group, extents_);
  last_ends_ns_ = gather_all(group, last_ends_ns_);
  if (group.size() == 1) return;
  // A process without ranks has no say in how many points there are.
  const bool any_rank = !calls_.empty();
  std::optional<std::vector<Point>> all;
  Bytes mine(points_.size() * sizeof(Point) + (any_rank ? 1 : 0));
  if (!points_.empty()) std::memcpy(mine.data(), points_.data(), points_.size() * sizeof(Point));
  for (const Bytes& of : group.exchange_with_all(mine)) {
    if (of.empty()) continue;
    std::vector<Point> points(of.size() / sizeof(Point));
    if (!points.empty()) std::memcpy(points.data(), of.data(), points.size() * sizeof(Point));
    if (all) {
      join(*all, std::move(points));
    } else {
      all = std::move(points);
    }
  }
  points_ = std::move(all).value_or(std::vector<Point>{});
}

/// One rank after the other, as CallPaths does.
void CutSearch::gather_regions(ProcessGroup& group) {
  struct RankPath {
    PathId path;  // of the rank; each begins with 0
    PathId parent;
    std::int32_t region;
  };
  std::vector<RankPath> mine;
  for (const RegionTree& of_rank : own_regions_) {
    for (PathId path = 0; path < of_rank.size(); ++path) {
      mine.push_back({path, of_rank[path].parent, of_rank[path].region});
    }
  }
  std::vector<std::vector<PathId>> numbers;  // of the run, by rank and path
  for (const RankPath& p : gather_all(group, mine)) {
    if (p.path == 0) {
      numbers.emplace_back(1, PathId{0});
    } else {
      numbers.back().push_back(regions_.child(numbers.back()[p.parent], p.region));
    }
  }
  for (std::size_t own = 0; own < calls_.size(); ++own) {
    for (PointCall& point : calls_[own]) {
      point.at.path = numbers[static_cast<std::size_t>(own_.first) + own][point.at.path];
    }
  }
  own_regions_.clear();
}

std::vector<std::size_t> CutSearch::chosen_points(std::uint64_t stretches) const {
  std::uint64_t calls = 0;
  for (const RankExtent& rank : extents_) calls += rank.calls;
  std::vector<std::size_t> possible;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    if (points_[k].can_be_cut() && points_[k].calls_before > 0) possible.push_back(k);
  }
  if (possible.size() < stretches) return possible;
  const auto before = [this](std::size_t k) { return points_[k].calls_before; };
  std::vector<std::size_t> chosen;
  for (std::uint64_t s = 1; s < stretches; ++s) {
    const auto wanted = static_cast<std::uint64_t>(
        static_cast<double>(calls) * static_cast<double>(s) / static_cast<double>(stretches));
    auto at = std::ranges::lower_bound(possible, wanted, {}, before);
    const bool earlier =
        at == possible.end() ||
        (at != possible.begin() && wanted - before(*std::prev(at)) < before(*at) - wanted);
    if (earlier) --at;
    if (chosen.empty() || *at > chosen.back()) chosen.push_back(*at);
  }
  return chosen;
}

std::vector<Cut> CutSearch::choose(std::uint64_t stretches, ProcessGroup& group) const {
  const std::vector<std::size_t> points = chosen_points(stretches);
  std::vector<CutCall> mine;
  for (const auto& of_rank : calls_) {
    for (const std::size_t k : points) {
      mine.push_back(
          std::ranges::lower_bound(of_rank, points_[k].number, {}, &PointCall::number)->at);
    }
  }
  const std::vector<CutCall> all = gather_all(group, mine);  // by rank and cut
  std::vector<Cut> cuts(points.size());
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    for (std::size_t r = 0; r < extents_.size(); ++r) {
      cuts[c].push_back(all[r * cuts.size() + c]);
    }
  }
  return cuts;
}

}  // namespace slackline

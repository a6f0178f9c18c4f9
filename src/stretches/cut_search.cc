#include "stretches/cut_search.h"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

#include "parallel/shared_rows.h"

namespace slackline {
namespace {

/// What the first process says that has something to say.
std::string first_said(const std::string& mine, ProcessGroup& group) {
  for (const Bytes& said : group.exchange_with_all(bytes_of(mine))) {
    if (!said.empty()) return std::string(text_of(said));
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
  join_processes(group);
}

/// What a process without ranks has is not asked for.
void CutSearch::join_processes(ProcessGroup& group) {
  /// A point over the ranks of this many processes.
  struct SharedPoint {
    Point point;
    std::uint32_t processes;

    std::uint32_t key() const { return point.number; }
    void add(const SharedPoint& other) {
      point.add(other.point);
      processes += other.processes;
    }
  };
  std::uint32_t processes = 0;
  for (const char any : gather_all(group, std::vector<char>{calls_.empty() ? '\0' : '\1'})) {
    if (any != '\0') ++processes;
  }
  std::vector<SharedPoint> points;
  for (const Point& point : points_) points.push_back({point, 1});
  spread_tables(group, std::tie(points));
  std::erase_if(points, [processes](const SharedPoint& p) {
    return p.processes != processes || !p.point.can_be_cut();
  });
  gather_tables(group, std::tie(points), Receiver::all);
  points_.clear();
  for (const SharedPoint& p : points) points_.push_back(p.point);
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

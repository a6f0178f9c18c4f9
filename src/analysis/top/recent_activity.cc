#include "analysis/top/recent_activity.h"

#include <algorithm>

namespace slackline {

namespace {

/// The number of the slice in which a time lies.
std::int64_t number_of(std::int64_t time_ns, std::int64_t slice_ns) {
  const std::int64_t number = time_ns / slice_ns;
  return time_ns < 0 && number * slice_ns != time_ns ? number - 1 : number;
}

TimeInterval part_after(const TimeInterval& time, std::int64_t from_ns) {
  return {std::max(time.begin_ns, from_ns), time.end_ns};
}

void add_to(RecentActivity::Period& period, std::uint32_t path, std::int64_t ns) {
  if (ns == 0) return;
  const auto at =
      std::ranges::find(period.by_path, path, &std::pair<std::uint32_t, std::int64_t>::first);
  if (at == period.by_path.end()) {
    period.by_path.emplace_back(path, ns);
  } else {
    at->second += ns;
  }
}

}  // namespace

MpiSums& MpiSums::operator+=(const MpiSums& other) {
  computation_ns += other.computation_ns;
  paused_ns += other.paused_ns;
  mpi_ns += other.mpi_ns;
  calls += other.calls;
  bytes += other.bytes;
  return *this;
}

// One more, as an interval that begins with a slice ends within one.
RecentActivity::RecentActivity(std::int64_t slice_ns, std::size_t slices)
    : slice_ns_(slice_ns), slices_(slices + 2) {}

void RecentActivity::add_call(TimeInterval call, std::uint32_t path, std::uint64_t bytes) {
  if (calls_ == 0) {
    begin_ns_ = call.begin_ns;
    last_.gap_begin_ns = call.begin_ns;
  } else {
    count(last_);
    last_ = LastCall{.gap_begin_ns = last_.call.end_ns, .call = {}};
    // As readers of whole recordings have it.
    call.begin_ns = std::max(call.begin_ns, last_.gap_begin_ns);
  }
  call.end_ns = std::max(call.end_ns, call.begin_ns);
  last_.call = call;
  last_.path = path;
  last_.bytes = bytes;
  for (const TimeInterval& written : recording_) {
    add_loss(TimeInterval{std::max(written.begin_ns, last_.gap_begin_ns),
                          std::min(written.end_ns, call.begin_ns)}
                 .length_ns());
  }
  std::erase_if(recording_, [&](const auto& w) { return w.end_ns <= call.end_ns; });
  ++calls_;
}

void RecentActivity::add_loss(std::int64_t ns) {
  const std::int64_t gap = last_.call.begin_ns - last_.gap_begin_ns;
  last_.lost_ns = std::min(gap, last_.lost_ns + std::clamp<std::int64_t>(ns, 0, gap));
}

void RecentActivity::add_recording(const TimeInterval& time) {
  recording_.push_back(time);
}

RecentActivity::Slice& RecentActivity::slice(std::int64_t number) {
  const auto count = static_cast<std::int64_t>(slices_.size());
  Slice& slice = slices_[static_cast<std::size_t>((number % count + count) % count)];
  if (slice.number != number) {
    slice.number = number;
    slice.period.sums = {};
    slice.period.by_path.clear();
  }
  return slice;
}

void RecentActivity::add_to_path(Slice& slice, std::uint32_t path, std::int64_t ns) {
  auto& of = slice.period.by_path;
  if (path >= places_.size()) places_.resize(path + std::size_t{1});
  std::size_t& place = places_[path];
  if (place >= of.size() || of[place].first != path) {
    place = of.size();
    of.emplace_back(path, 0);
  }
  of[place].second += ns;
}

/// A time that is longer than what is kept goes into slices with its end.
void RecentActivity::count(const TimeInterval& time, std::int64_t MpiSums::*part,
                           std::uint32_t path) {
  if (time.length_ns() == 0) return;
  const bool computes = part == &MpiSums::computation_ns;
  whole_.sums.*part += time.length_ns();
  if (computes) {
    while (whole_.by_path.size() <= path) {
      whole_.by_path.emplace_back(static_cast<std::uint32_t>(whole_.by_path.size()), 0);
    }
    whole_.by_path[path].second += time.length_ns();
  }
  const std::int64_t last = number_of(time.end_ns - 1, slice_ns_);
  const std::int64_t oldest = last - static_cast<std::int64_t>(slices_.size()) + 1;
  for (std::int64_t n = std::max(oldest, number_of(time.begin_ns, slice_ns_)); n <= last; ++n) {
    const std::int64_t begin = std::max(time.begin_ns, n * slice_ns_);
    const std::int64_t ns = std::min(time.end_ns, (n + 1) * slice_ns_) - begin;
    Slice& in = slice(n);
    in.period.sums.*part += ns;
    if (computes) add_to_path(in, path, ns);
  }
}

void RecentActivity::count(const LastCall& last) {
  const std::int64_t lost = last.call.begin_ns - last.lost_ns;
  count({last.gap_begin_ns, lost}, &MpiSums::computation_ns, last.path);
  count({lost, last.call.begin_ns}, &MpiSums::paused_ns, last.path);
  count(last.call, &MpiSums::mpi_ns, last.path);
  const MpiSums ended{.calls = 1, .bytes = last.bytes};
  whole_.sums += ended;
  slice(number_of(last.call.end_ns, slice_ns_)).period.sums += ended;
}

/// Calls add(time, part, path) for what is not in slices yet.
template <class Add>
void RecentActivity::visit_last(const Present& present, const Add& add) const {
  if (calls_ == 0) return;
  const std::int64_t lost = last_.call.begin_ns - last_.lost_ns;
  add({last_.gap_begin_ns, lost}, &MpiSums::computation_ns, last_.path);
  add({lost, last_.call.begin_ns}, &MpiSums::paused_ns, last_.path);
  add(last_.call, &MpiSums::mpi_ns, last_.path);
  std::int64_t until = last_.call.end_ns;
  for (const TimeInterval& call : present.calls) {
    const std::int64_t begin = std::max(until, call.begin_ns);
    add({until, begin}, &MpiSums::computation_ns, 0);
    until = std::max(begin, call.end_ns);
    add({begin, until}, &MpiSums::mpi_ns, 0);
  }
  add({until, present.until_ns}, &MpiSums::computation_ns, 0);
}

RecentActivity::Period RecentActivity::whole(const Present& present) const {
  Period all = whole_;
  visit_last(present, [&](const TimeInterval& time, auto part, std::uint32_t path) {
    all.sums.*part += time.length_ns();
    if (part == &MpiSums::computation_ns) add_to(all, path, time.length_ns());
  });
  if (calls_ > 0) all.sums += {.calls = 1, .bytes = last_.bytes};
  std::erase_if(all.by_path, [](const auto& path) { return path.second == 0; });
  return all;
}

RecentActivity::Period RecentActivity::since(std::int64_t from_ns, const Present& present) const {
  Period recent;
  std::vector<std::pair<std::uint32_t, std::int64_t>> paths;
  const std::int64_t first = number_of(from_ns, slice_ns_);
  for (const Slice& slice : slices_) {
    if (slice.number == kUnused || slice.number < first) continue;
    recent.sums += slice.period.sums;
    paths.insert(paths.end(), slice.period.by_path.begin(), slice.period.by_path.end());
  }
  visit_last(present, [&](const TimeInterval& time, auto part, std::uint32_t path) {
    const std::int64_t ns = part_after(time, from_ns).length_ns();
    recent.sums.*part += ns;
    if (part == &MpiSums::computation_ns && ns > 0) paths.emplace_back(path, ns);
  });
  if (calls_ > 0 && last_.call.end_ns >= from_ns) recent.sums += {.calls = 1, .bytes = last_.bytes};
  std::ranges::sort(paths);
  for (const auto& [path, ns] : paths) {
    if (recent.by_path.empty() || recent.by_path.back().first != path) {
      recent.by_path.emplace_back(path, 0);
    }
    recent.by_path.back().second += ns;
  }
  return recent;
}

}  // namespace slackline

#include "graph/training/rank_moments.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/units.h"

namespace slackline {
namespace {

// An activity that begins so soon after the end of another stream's has waited for that.
constexpr std::int64_t kSoon_ns = 20'000;
constexpr std::int64_t kLongest = std::numeric_limits<std::int64_t>::max();

}  // namespace

RankMoments::RankMoments(const ProfiledRank& profile, std::uint32_t rank,
                         const std::vector<bool>& in_collective, std::int64_t first_ns,
                         Moments& moments)
    : profile_(profile),
      rank_(rank),
      in_collective_(in_collective),
      first_ns_(first_ns),
      moments_(moments),
      calls_(profile.runtime_calls.size(), kNoVertex),
      returns_(profile.runtime_calls.size(), kNoVertex),
      begins_(profile.gpu.size(), kNoVertex),
      ends_(profile.gpu.size(), kNoVertex) {
  start_ = moments_.add({.rank = rank_});
  find_usual_gaps();
  add_calls();
  add_activities();
  add_synchronisations();
  add_end();
}

std::uint32_t RankMoments::add(std::int64_t time_ns, MomentKind kind, std::uint32_t index) {
  return moments_.add({rank_, (time_ns - first_ns_) * kFemtosPerNano, kind, index});
}

std::int64_t RankMoments::launched_ns(const GpuActivity& activity) const {
  return activity.launch == kNotRecorded ? std::numeric_limits<std::int64_t>::min()
                                         : profile_.runtime_calls[activity.launch].time.begin_ns;
}

void RankMoments::find_usual_gaps() {
  launch_ns_ = gap_ns_ = kLongest;
  std::vector<std::int64_t> ended(profile_.locations.size(), kLongest);
  for (const GpuActivity& activity : profile_.gpu) {
    const std::int64_t begin = activity.time.begin_ns;
    if (activity.launch != kNotRecorded && begin >= launched_ns(activity)) {
      launch_ns_ = std::min(launch_ns_, begin - launched_ns(activity));
    }
    std::int64_t& before = ended[activity.location];
    if (before <= begin) gap_ns_ = std::min(gap_ns_, begin - before);
    before = activity.time.end_ns;
  }
  if (launch_ns_ == kLongest) launch_ns_ = 0;
  if (gap_ns_ == kLongest) gap_ns_ = 0;
}

// The threads of a rank take turns, as autograd's works while the main one waits for it: calls are
// one chain, and those of a thread are another one where they overlap with others.
void RankMoments::add_calls() {
  std::vector<Tail> tails(profile_.locations.size());
  cpu_end_ = {start_, first_ns_};
  for (std::uint32_t i = 0; i < calls_.size(); ++i) add_call(i, tails);
}

void RankMoments::add_call(std::uint32_t call, std::vector<Tail>& tails) {
  const RuntimeCall& called = profile_.runtime_calls[call];
  const std::int64_t begin = called.time.begin_ns;
  Tail before{start_, first_ns_};
  for (const Tail& tail : tails) {
    if (tail.moment != kNoVertex && tail.time_ns <= begin && tail.time_ns >= before.time_ns) {
      before = tail;
    }
  }
  calls_[call] = add(begin, MomentKind::call, call);
  const auto follow = [&](const Tail& tail, std::uint32_t to, std::int64_t until) {
    moments_.edge({.from = tail.moment,
                   .to = to,
                   .work_ns = std::max<std::int64_t>(until - tail.time_ns, 0),
                   .work = WorkKind::cpu,
                   .call = call});
  };
  follow(before, calls_[call], begin);
  Tail& own = tails[called.location];
  if (own.moment != kNoVertex && own.moment != before.moment) follow(own, calls_[call], begin);
  own = {calls_[call], begin};
  if (called.synchronises) {
    returns_[call] = add(called.time.end_ns, MomentKind::call_return, call);
    moments_.edge({.from = calls_[call], .to = returns_[call]});
    own = {returns_[call], called.time.end_ns};
  }
  if (own.time_ns >= cpu_end_.time_ns) cpu_end_ = own;
}

void RankMoments::after(std::uint32_t activity, std::uint32_t to, std::int64_t gap_ns) {
  MomentEdge edge{.from = begins_[activity], .to = to, .rest_ns = gap_ns};
  if (in_collective_[activity]) {
    edge.from = ends_[activity];
  } else {
    edge.work_ns = profile_.gpu[activity].time.duration_ns();
    edge.work = WorkKind::activity;
    edge.call = profile_.gpu[activity].launch;
  }
  moments_.edge(edge);
}

void RankMoments::sort_computation() {
  for (std::uint32_t i = 0; i < profile_.gpu.size(); ++i) {
    const GpuActivity& activity = profile_.gpu[i];
    if (activity.work == GpuWork::computation && activity.launch != kNotRecorded) {
      computing_.push_back(i);
    }
  }
  std::ranges::stable_sort(computing_, {}, [&](std::uint32_t i) { return profile_.gpu[i].launch; });
}

void RankMoments::add_activities() {
  sort_computation();
  std::vector<std::uint32_t> last(profile_.locations.size(), kNoVertex);
  for (std::uint32_t i = 0; i < begins_.size(); ++i) {
    const GpuActivity& activity = profile_.gpu[i];
    begins_[i] = add(activity.time.begin_ns, MomentKind::activity_begin, i);
    if (in_collective_[i]) ends_[i] = add(activity.time.end_ns, MomentKind::activity_end, i);
    if (activity.launch != kNotRecorded) {
      moments_.edge({.from = calls_[activity.launch], .to = begins_[i], .rest_ns = launch_ns_});
    } else if (last[activity.location] == kNoVertex) {
      moments_.edge({.from = start_, .to = begins_[i]});
    }
    if (last[activity.location] != kNoVertex) after(last[activity.location], begins_[i], gap_ns_);
    add_waits(i, last);
    last[activity.location] = i;
  }
}

// What computed and was launched last before a collective; kNotRecorded if nothing did.
std::uint32_t RankMoments::input_of(const GpuActivity& collective) const {
  const auto after_it = std::ranges::lower_bound(
      computing_, collective.launch, {}, [&](std::uint32_t i) { return profile_.gpu[i].launch; });
  return after_it == computing_.begin() ? kNotRecorded : *std::prev(after_it);
}

// Profiles do not say which event a stream waits for. A collective waits for what computed and was
// launched before it; any activity for one of another stream at whose end it begins.
void RankMoments::add_waits(std::uint32_t activity, const std::vector<std::uint32_t>& last) {
  const GpuActivity& own = profile_.gpu[activity];
  std::uint32_t input = kNotRecorded;
  if (own.work == GpuWork::communication && own.launch != kNotRecorded) input = input_of(own);
  if (input != kNotRecorded) {
    const GpuActivity& before = profile_.gpu[input];
    const bool waits = before.location != own.location && begins_[input] != kNotRecorded &&
                       before.time.end_ns <= own.time.begin_ns;
    if (waits) after(input, begins_[activity], gap_ns_);
  }
  for (const std::uint32_t other : last) {
    if (other == kNoVertex || other == input) continue;
    const GpuActivity& before = profile_.gpu[other];
    if (before.location == own.location) continue;
    const std::int64_t gap = own.time.begin_ns - before.time.end_ns;
    if (gap < 0 || launched_ns(before) > launched_ns(own)) continue;
    const bool soon = gap <= kSoon_ns && before.time.end_ns > launched_ns(own);
    if (soon) after(other, begins_[activity], gap_ns_);
  }
}

// A synchronising call waits for what was launched before it and has ended when it returns.
void RankMoments::add_synchronisations() {
  std::vector<std::uint32_t> by_launch;
  for (std::uint32_t i = 0; i < begins_.size(); ++i) {
    if (profile_.gpu[i].launch != kNotRecorded) by_launch.push_back(i);
  }
  std::ranges::stable_sort(by_launch, {}, [&](std::uint32_t i) { return profile_.gpu[i].launch; });
  std::vector<std::uint32_t> last(profile_.locations.size(), kNoVertex);
  std::size_t next = 0;
  for (std::uint32_t call = 0; call < calls_.size(); ++call) {
    for (; next < by_launch.size() && profile_.gpu[by_launch[next]].launch < call; ++next) {
      last[profile_.gpu[by_launch[next]].location] = by_launch[next];
    }
    if (returns_[call] == kNoVertex) continue;
    for (const std::uint32_t activity : last) {
      if (activity == kNoVertex) continue;
      const std::int64_t end = profile_.gpu[activity].time.end_ns;
      if (end <= profile_.runtime_calls[call].time.end_ns) after(activity, returns_[call], 0);
    }
  }
}

void RankMoments::add_end() {
  end_ = add(std::max(whole_profile(profile_).end_ns, first_ns_), MomentKind::end);
  moments_.edge({.from = cpu_end_.moment, .to = end_});
  std::vector<std::uint32_t> last(profile_.locations.size(), kNoVertex);
  for (std::uint32_t i = 0; i < begins_.size(); ++i) last[profile_.gpu[i].location] = i;
  for (const std::uint32_t activity : last) {
    if (activity != kNoVertex) after(activity, end_, 0);
  }
}

}  // namespace slackline

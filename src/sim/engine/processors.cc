#include "sim/engine/processors.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace slackline {
namespace {

// A remainder this small, in flops, is rounding.
constexpr double kNoFlopsLeft = 1e-14;
// With more computations on a host than these, only those whose share changes are rounded as
// SimGrid does: which of two ends first at exactly the same time is not worth it then.
constexpr std::size_t kMostRounded = 32;

}  // namespace

double Processors::rate_on(HostId host) const {
  const HostSpec& spec = platform_.host(host);
  const auto running = static_cast<double>(hosts_[host].running.size());
  const double speed = hosts_[host].speed * spec.speed();
  return std::min(speed, static_cast<double>(spec.cores) * speed / running);
}

bool Processors::set_speed(HostId host, double fraction) {
  hosts_[host].speed = fraction;
  mark_changed(host);
  return !hosts_[host].running.empty();
}

void Processors::mark_changed(HostId host) {
  if (hosts_[host].changed) return;
  hosts_[host].changed = true;
  changed_.push_back(host);
}

void Processors::start(std::uint32_t id, HostId host, double flops, double now) {
  if (id >= works_.size()) works_.resize(id + 1);
  works_[id] = {flops, 0, now, host};
  hosts_[host].running.push_back(id);
  ++size_;
  mark_changed(host);
}

void Processors::pause(std::uint32_t id, HostId host, double time) {
  if (id >= works_.size()) works_.resize(id + 1);
  works_[id].host = kPause;
  new_pauses_.push_back({id, time});
  ++size_;
  mark_changed(host);
}

/// Shares the host among its computations, from the newest to the oldest, after one came or went.
void Processors::share(HostId host, double now) {
  const double rate = rate_on(host);
  auto& running = hosts_[host].running;
  if (rate <= 0 && !running.empty()) {
    throw Error(
        fmt::format("the program cannot go on at {:.9g} s", now),
        fmt::format("host '{}', on which it computes, has speed 0", platform_.host_name(host)),
        "Change the profile in the platform.");
  }
  for (auto id = running.rbegin(); id != running.rend(); ++id) {
    Work& work = works_[*id];
    if (running.size() > kMostRounded && work.rate == rate) continue;
    work.remaining -= work.rate * (now - work.updated);
    if (work.remaining < kNoFlopsLeft) work.remaining = 0;
    work.updated = now;
    work.rate = rate;
    ends_.set(*id, now + work.remaining / rate);
  }
}

/// Pauses come first, the newest before the others: equal times end in the order in which they are
/// set.
void Processors::update_shares(double now) {
  for (auto p = new_pauses_.rbegin(); p != new_pauses_.rend(); ++p) ends_.set(p->id, p->time);
  new_pauses_.clear();
  for (const HostId host : changed_) {
    hosts_[host].changed = false;
    share(host, now);
  }
  changed_.clear();
}

void Processors::advance(double until, std::vector<Ended>& ended) {
  const std::size_t before = ended.size();
  while (ends_.next_time() < until) {
    const double time = ends_.next_time();
    ended.push_back({ends_.pop(), time});
  }
  for (std::size_t i = before; i < ended.size(); ++i) {
    const std::uint32_t id = ended[i].id;
    const HostId host = works_[id].host;
    --size_;
    if (host == kPause) continue;
    std::erase(hosts_[host].running, id);
    mark_changed(host);
  }
}

}  // namespace slackline

// One message in flight: a latency phase that uses no bandwidth, then payload and envelope are
// transferred at factor times the rate that bandwidth sharing allots. The rules in full:
// SimGrid 4.1, src/kernel/resource/models/network_cm02.cpp.
//
// What is left of a message is only brought up to date when its rate changes; until then its end
// has a fixed time in the heap. Messages of a share group end by the group's clock, so that their
// rates need not be touched when they change together.

#include "sim/network/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"

namespace slackline {
namespace {

constexpr double kNothingLeft = 1e-14;  // bytes; a smaller remainder is rounding
constexpr std::uint64_t kMessages =
    ~std::uint64_t{0};  // the stream of their noise; others are ranks

[[noreturn]] void throw_link_down(const Platform& platform, LinkId link, HostId from, HostId to,
                                  double bandwidth, double now) {
  const char* const why = bandwidth > 0 ? "is down" : "has bandwidth 0";
  throw Error(
      fmt::format("the program cannot go on at {:.9g} s", now),
      fmt::format("link '{}', which a message from host '{}' to host '{}' needs, {}",
                  platform.link_name(link), platform.host_name(from), platform.host_name(to), why),
      "MPI programs do not survive this; change the link or its profile in the platform, or end "
      "the program before.");
}

}  // namespace

Network::Network(const Platform& platform, LinkView& links, const NetworkModel& model,
                 const Noise& noise, std::unique_ptr<BandwidthSharing> sharing, LinkUsage* usage)
    : platform_(platform),
      model_(model),
      noise_(noise),
      links_(links),
      paths_(platform, links, model),
      sharing_(std::move(sharing)),
      usage_(usage) {}

FlightId Network::create() {
  const FlightId id = flights_.acquire();
  if (!platform_.profiles().empty()) changed_.resize(flights_.size());
  if (usage_ == nullptr) return id;
  costliest_.resize(flights_.size());
  costliest_[id] = {};
  return id;
}

FlightId Network::start(HostId from, HostId to, double bytes, std::uint32_t tag, double now) {
  const NetworkPath& path = paths_.path(from, to);
  if (path.down != kNoLink) {
    throw_link_down(platform_, path.down, from, to, links_.bandwidth(path.down), now);
  }
  const FlightId id = create();
  if (!changed_.empty()) changed_[id] = {path.latency, path.penalty, path.narrowest};
  Flight& flight = flights_[id];
  flight.used = true;
  flight.remaining = bytes + model_.envelope;
  flight.factor = model_.bandwidth_factor.factor(flight.remaining);
  flight.started = now;
  flight.from = from;
  flight.to = to;
  flight.tag = tag;
  const double latency_factor = model_.latency_factor.factor(flight.remaining);
  double latency = model_.constant ? latency_factor : path.latency * latency_factor;
  if (latency > 0) latency *= noise_.factor(latency, kMessages, messages_++);
  if (model_.constant) {
    flight.phase = Phase::alone;
    flight.alone = latency;
    events_.set(id, now + latency);
    return id;
  }
  flight.alone = latency + flight.remaining / (flight.factor * path.rate_alone);
  flight.rate = path.bound;
  flight.lone_fatpipe = path.lone_fatpipe;
  if (contends(flight)) {
    flight.flow = create_flow(path);
    sharing_->announce(flight.flow, latency <= 0);
  }
  if (latency > 0) {
    events_.set(id, now + latency);
  } else {
    begin_transfer(id, now);
  }
  return id;
}

bool Network::uses(const Flight& flight, LinkId link) {
  if (!flight.used) return false;
  const auto shares = paths_.shares(paths_.path(flight.from, flight.to));
  return std::ranges::find(shares, link, &LinkShare::link) != shares.end();
}

bool Network::set_link(Profiled what, LinkId link, double value, double now) {
  const double bandwidth = links_.bandwidth(link);
  const double latency = links_.latency(link);
  switch (what) {
    case Profiled::bandwidth:
      links_.set_bandwidth(link, value);
      break;
    case Profiled::latency:
      links_.set_latency(link, value);
      break;
    default:
      links_.set_failed(link, value <= 0);
  }
  paths_.clear();
  sharing_->set_capacity(link, links_.bandwidth(link));
  const double later = links_.latency(link) - latency;
  // To the last bit: among flows on a fatpipe, that decides which of them is limited by it.
  const double heavier = what == Profiled::bandwidth ? model_.weight_s / links_.bandwidth(link) -
                                                           model_.weight_s / bandwidth
                                                     : later;
  bool used = false;
  for (FlightId id = 0; id < flights_.size(); ++id) {
    const Flight& flight = flights_[id];
    if (model_.constant || !uses(flight, link)) continue;
    used = true;
    if (links_.is_down(link)) {
      throw_link_down(platform_, link, flight.from, flight.to, links_.bandwidth(link), now);
    }
    change_flight(id, later, heavier, now);
  }
  return used;
}

/// As in SimGrid 3.32 (src/surf/network_cm02.cpp), a message that is under way keeps the latency
/// and the narrowest bandwidth that it began with, while its weight and window follow each of its
/// links, those of the acknowledgements included. Where SimGrid gives up because the latter adds up
/// to nothing, they are those of a new message. A message that waits for its latency goes on
/// waiting; SimGrid forgets it (doc/formats/platform.md).
void Network::change_flight(FlightId id, double latency, double penalty, double now) {
  Flight& flight = flights_[id];
  ChangedFlow& flow = changed_[id];
  const NetworkPath& path = paths_.path(flight.from, flight.to);
  flow.latency += latency;
  flow.penalty += penalty;
  if (flow.penalty <= 0) flow.penalty = path.penalty;
  if (flow.latency <= 0) flow.latency = path.latency;
  double bound = flow.narrowest;
  if (model_.tcp_gamma > 0 && flow.latency > 0) {
    bound = std::min(bound, model_.tcp_gamma / (2 * flow.latency));
  }
  if (contends(flight)) return sharing_->change(flight.flow, flow.penalty, bound);
  if (flight.phase == Phase::alone) update_progress(id, flight, now);
  flight.rate = std::min(bound, path.narrowest);
  if (flight.phase == Phase::alone) set_rate(id, flight, flight.rate, now);
}

/// Whether the rate depends on other messages.
bool Network::contends(const Flight& flight) const {
  return model_.contention && (!flight.lone_fatpipe || sharing_->quirks().shares_lone_fatpipes);
}

FlowId Network::create_flow(const NetworkPath& path) {
  const bool unbounded =
      sharing_->quirks().unbounded_without_window && model_.tcp_gamma <= 0 && path.latency > 0;
  return sharing_->create(paths_.shares(path), path.penalty,
                          unbounded ? std::numeric_limits<double>::infinity() : path.bound);
}

void Network::begin_transfer(FlightId id, double now) {
  Flight& flight = flights_[id];
  flight.updated = now;
  flight.order = ++transfers_begun_;
  if (contends(flight)) {
    flight.phase = Phase::sharing;
    start_flow(id);
  } else {
    flight.phase = Phase::alone;
    set_rate(id, flight, flight.rate, now);
  }
}

void Network::start_flow(FlightId id) {
  const FlowId flow = flights_[id].flow;
  sharing_->start(flow);
  if (flow >= flight_of_flow_.size()) flight_of_flow_.resize(flow + 1);
  flight_of_flow_[flow] = id;
}

void Network::set_rate(FlightId id, Flight& flight, double rate, double now) {
  flight.rate = rate;
  events_.set(id, now + flight.remaining / (rate * flight.factor));
}

/// Subtracts what has been transferred at the present rate.
void Network::update_progress(FlightId id, Flight& flight, double now) {
  const double seconds = now - flight.updated;
  if (seconds > 0) {
    flight.remaining -= flight.rate * flight.factor * seconds;
    if (flight.remaining < kNothingLeft) flight.remaining = 0;
    if (usage_ != nullptr && flight.phase == Phase::sharing) record_usage(id, now);
  }
  flight.updated = now;
}

void Network::record_usage(FlightId id, double now) {
  const Flight& flight = flights_[id];
  const NetworkPath& path = paths_.path(flight.from, flight.to);
  usage_->add(paths_.shares(path), flight.rate, path.bound, flight.bottleneck, flight.updated, now);
  const double lost = (1 - flight.rate / path.rate_alone) * (now - flight.updated);
  if (flight.bottleneck != kNoLink && lost > 0) costliest_[id].add(flight.bottleneck, lost);
}

/// The flight continues at another rate, or in another share group, or both. Inlined, as under lazy
/// updates this is what a simulation does most often.
[[gnu::always_inline]] inline void Network::apply_allocation(FlightId id, double now) {
  Flight& flight = flights_[id];
  const FlowAllocation allocation = sharing_->allocation(flight.flow);
  if (flight.group != kNoLink || allocation.group != kNoLink) {
    return change_group(id, allocation, now);
  }
  update_progress(id, flight, now);
  flight.bottleneck = allocation.bottleneck;
  set_rate(id, flight, allocation.rate, now);
}

void Network::update_rates(double now) {
  SharingChanges changes = sharing_->solve();
  if (changes.exhausted) {
    replace_sharing(sharing_->successor());
    changes = sharing_->solve();
  }
  for (const LinkId group : changes.moved_groups) {
    clocks_.set_level(group, sharing_->group_level(group), now);
  }
  for (const FlowId flow : changes.flows) apply_allocation(flight_of_flow_[flow], now);
}

void Network::change_group(FlightId id, const FlowAllocation& allocation, double now) {
  Flight& flight = flights_[id];
  if (flight.group == allocation.group) return;
  if (flight.group != kNoLink) {
    flight.remaining = clocks_.leave(flight.group, id, now) * work_per_level(flight);
    flight.updated = now;
  } else {
    update_progress(id, flight, now);
  }
  flight.group = allocation.group;
  flight.bottleneck = allocation.bottleneck;
  if (flight.group == kNoLink) return set_rate(id, flight, allocation.rate, now);
  events_.remove(id);
  clocks_.enter(flight.group, id, flight.remaining / work_per_level(flight), now);
}

/// Bytes of the flight per unit of its group's clock.
double Network::work_per_level(const Flight& flight) const {
  return flight.factor / sharing_->penalty(flight.flow);
}

void Network::receive_posted(FlightId id, double now) {
  if (!sharing_->quirks().updates_at_receive) return;
  Flight& flight = flights_[id];
  if (flight.phase == Phase::sharing) update_progress(id, flight, now);
}

/// All flows go on under another way to share bandwidth.
void Network::replace_sharing(std::unique_ptr<BandwidthSharing> sharing) {
  sharing_ = std::move(sharing);
  flight_of_flow_.clear();
  for (FlightId id = 0; id < flights_.size(); ++id) {
    Flight& flight = flights_[id];
    if (!flight.used || flight.phase == Phase::alone) continue;
    if (flight.phase == Phase::sharing || contends(flight)) {
      flight.flow = create_flow(paths_.path(flight.from, flight.to));
    }
    if (flight.phase == Phase::sharing) start_flow(id);
  }
}

void Network::advance(double now, double until, std::vector<Arrival>& arrivals) {
  last_event_time_ = 0;
  while (events_.next_time() < until) {
    const double time = last_event_time_ = events_.next_time();
    const FlightId id = events_.pop();
    if (flights_[id].phase == Phase::latency) {
      begin_transfer(id, now);
    } else {
      end_transfer(id, time, now);
    }
  }
  while (clocks_.next_time() < until) {
    const double time = clocks_.next_time();
    last_event_time_ = std::max(last_event_time_, time);
    end_transfer(clocks_.pop(), time, now);
  }
  if (sharing_->quirks().newest_ends_first) order_simultaneous_ends();
  for (const Ended& ended : ended_) arrive(ended, arrivals);
  ended_.clear();
}

void Network::end_transfer(FlightId id, double time, double now) {
  Flight& flight = flights_[id];
  if (flight.phase == Phase::sharing && flight.group == kNoLink) {
    update_progress(id, flight, now);
  }
  ended_.push_back({time, flight.order, id, false});
}

/// SimGrid enters the flows of a link into its heap from the newest to the oldest after it has
/// solved for them, and takes those with equal times out in that order. Which of two flows ends
/// first that end too close together is a guess.
void Network::order_simultaneous_ends() {
  std::ranges::stable_sort(ended_, [](const Ended& a, const Ended& b) {
    return a.time != b.time ? a.time < b.time : a.order > b.order;
  });
  for (std::size_t i = 1; i < ended_.size(); ++i) {
    if (ended_[i].time - ended_[i - 1].time > kSameTime * ended_[i].time) continue;
    ended_[i - 1].tied = ended_[i].tied = true;
  }
}

void Network::arrive(const Ended& ended, std::vector<Arrival>& arrivals) {
  Flight& flight = flights_[ended.id];
  if (flight.phase == Phase::sharing) sharing_->remove(flight.flow);
  flight.used = false;
  const LinkId limited_by = usage_ == nullptr ? kNoLink : costliest_[ended.id].link();
  arrivals.push_back({flight.tag, flight.started, flight.alone, ended.tied, limited_by});
  flights_.release(ended.id);
}

}  // namespace slackline

// One message in flight: a latency phase that uses no bandwidth, then payload and envelope go down
// at factor times the rate that bandwidth sharing allots.
//
// What is left of a message is only brought up to date when its rate changes; until then its end
// has a fixed date in the heap.
//
// Rates come from BandwidthSharing, whose cost follows what changes. Under SimGrid's lazy update it
// knows the order of things but for messages that end at one date. A program in which there are
// such messages is simulated again (simulation.cc) with SelectiveSharing, which follows SimGrid to
// the last bit, but computes all rates that hang together again and again; where that becomes too
// much, BandwidthSharing takes over.

#include "sim/network.h"

#include <algorithm>
#include <limits>

namespace slackline {
namespace {

constexpr double kAcknowledgements = 0.05;  // of a flow's rate, on the way back
// Paths that are remembered: what repeats is between neighbours; in an all-to-all nothing does.
constexpr std::size_t kPathsAHost = 32;
constexpr std::size_t kFewestPaths = 1024;
constexpr std::size_t kMostPaths = std::size_t{1} << 18;
constexpr std::size_t kMostShares = std::size_t{1} << 22;  // of all of these: 64 MB

// Selective sharing may look at so many shares: divided by the hosts, as what hangs together grows
// with these (a tenth of a second's work on 60 hosts), and a few at each date.
constexpr std::uint64_t kAllowance = 2'500'000'000;
constexpr std::uint64_t kAllowanceADate = 1000;
// What it looks at for each flow that transfers at a date, if all hang together; and by how much
// that may be wrong.
constexpr std::uint64_t kSharesAFlow = 8;
constexpr std::uint64_t kDoubt = 4;
// Times the capacity of a flow's narrowest link, and nothing but links holds it back.
constexpr double kNoBound = 4;
// A remainder this small is rounding.
constexpr double kNothingLeft = 1e-14;

}  // namespace

Network::Network(const Platform& platform, const LinkView& links, const NetworkModel& model,
                 OrderOfEnds order, LinkUsage* usage)
    : links_(links),
      model_(model),
      platform_(platform),
      sharing_(links, {.lazy = model.lazy, .pools = usage == nullptr}),
      allowance_(kAllowance / std::max(platform.host_count(), 1U)),
      usage_(usage),
      most_paths_(std::clamp(kPathsAHost * platform.host_count(), kFewestPaths, kMostPaths)) {
  if (model.lazy && model.contention && order == OrderOfEnds::follow) {
    selective_ = std::make_unique<SelectiveSharing>(links);
  }
}

/// The links of both ways with their weights, each once.
Network::Path Network::make_path(HostId from, HostId to) {
  Path path;
  path.first = static_cast<std::uint32_t>(shares_.size());
  platform_.route(from, to, there_);
  path.bound = std::numeric_limits<double>::infinity();
  for (const LinkId link : there_) path.latency += links_.latency(link);
  path.penalty = path.latency;
  for (const LinkId link : there_) {
    const double bandwidth = links_.bandwidth(link);
    path.bound = std::min(path.bound, bandwidth);
    path.penalty += model_.weight_s / bandwidth;
    add_share(path, link, 1);
  }
  path.lone_pipe = there_.size() == 1 && links_.is_pipe(there_[0]);
  if (model_.tcp_gamma > 0 && path.latency > 0) {
    path.bound = std::min(path.bound, model_.tcp_gamma / (2 * path.latency));
  }
  if (path.latency <= 0 || path.penalty <= 0) path.penalty = 1;
  if (model_.cross_traffic) {
    platform_.route(to, from, back_);
    for (const LinkId link : back_) add_share(path, link, kAcknowledgements);
  }
  path.alone = path.bound;
  for (std::uint32_t i = 0; i < path.count; ++i) {
    const LinkShare& share = shares_[path.first + i];
    path.alone = std::min(path.alone, links_.bandwidth(share.link) / share.weight);
  }
  return path;
}

/// Weights of a shared link add, of a fatpipe the larger counts.
void Network::add_share(Path& path, LinkId link, double weight) {
  LinkShare* const shares = shares_.data() + path.first;
  for (std::uint32_t i = 0; i < path.count; ++i) {
    if (shares[i].link != link) continue;
    const double before = shares[i].weight;
    shares[i].weight = links_.is_pipe(link) ? std::max(before, weight) : before + weight;
    return;
  }
  shares_.push_back({link, weight});
  ++path.count;
}

const Network::Path& Network::path(HostId from, HostId to) {
  const std::uint64_t key = std::uint64_t{from} << 32 | to;
  if (const std::uint32_t* known = path_index_.find(key)) return paths_[*known];
  if (paths_.size() == most_paths_ || shares_.size() > kMostShares) {
    path_index_.clear();
    paths_.clear();
    shares_.clear();
  }
  const auto index = static_cast<std::uint32_t>(paths_.size());
  paths_.push_back(make_path(from, to));
  path_index_[key] = index;
  return paths_[index];
}

FlightId Network::create() {
  const FlightId id = flights_.take();
  if (usage_ == nullptr) return id;
  costliest_.resize(flights_.size());
  costliest_[id] = {};
  return id;
}

FlightId Network::start(HostId from, HostId to, double bytes, std::uint32_t tag, double now) {
  const Path& way = path(from, to);
  const FlightId id = create();
  Flight& flight = flights_[id];
  flight.used = true;
  flight.remaining = bytes + model_.envelope;
  flight.factor = model_.bandwidth_factor.factor(flight.remaining);
  flight.started = now;
  flight.from = from;
  flight.to = to;
  flight.tag = tag;
  const double latency_factor = model_.latency_factor.factor(flight.remaining);
  if (model_.constant) {
    flight.phase = Phase::alone;
    flight.alone = latency_factor;
    events_.set(id, now + latency_factor);
    return id;
  }
  const double latency = way.latency * latency_factor;
  flight.alone = latency + flight.remaining / (flight.factor * way.alone);
  flight.rate = way.bound;
  flight.lone_pipe = way.lone_pipe;
  if (contends(flight)) flight.flow = create_flow(way);
  // Where nothing is waited for, SimGrid's procedure enters the flow into its links as it starts.
  if (selective_ == nullptr || latency > 0) announce(flight);
  if (latency > 0) {
    events_.set(id, now + latency);
  } else {
    begin_transfer(id, now);
  }
  return id;
}

/// Or is it alone whatever else is on the network?
bool Network::contends(const Flight& flight) const {
  return selective_ != nullptr || (model_.contention && !flight.lone_pipe);
}

FlowId Network::create_flow(const Path& way) {
  const std::span<const LinkShare> shares{shares_.data() + way.first, way.count};
  // SimGrid takes no window at all for one of no size.
  const bool unbounded = model_.lazy && model_.tcp_gamma <= 0 && way.latency > 0;
  if (selective_ != nullptr) {
    return selective_->create(shares, way.penalty, unbounded ? 0 : way.bound);
  }
  return sharing_.create(shares, way.penalty, unbounded ? kNoBound * way.bound : way.bound);
}

void Network::announce(const Flight& flight) {
  if (selective_ != nullptr) {
    selective_->announce(flight.flow);
  } else if (contends(flight)) {
    sharing_.announce(flight.flow);
  }
}

void Network::begin_transfer(FlightId id, double now) {
  Flight& flight = flights_[id];
  flight.updated = now;
  flight.order = ++began_;
  if (contends(flight)) {
    flight.phase = Phase::sharing;
    share(id);
  } else {
    flight.phase = Phase::alone;
    fly(id, flight.rate, now);
  }
}

/// The flight's flow takes part from now on.
void Network::share(FlightId id) {
  const FlowId flow = flights_[id].flow;
  ++sharing_flows_;
  if (selective_ != nullptr) {
    selective_->start(flow);
  } else {
    sharing_.start(flow);
  }
  if (flow >= flight_of_flow_.size()) flight_of_flow_.resize(flow + 1);
  flight_of_flow_[flow] = id;
}

/// From `now` on at that rate.
void Network::fly(FlightId id, double rate, double now) {
  Flight& flight = flights_[id];
  flight.rate = rate;
  events_.set(id, now + flight.remaining / (rate * flight.factor));
}

/// What has been done at the rate so far.
void Network::update(FlightId id, double now) {
  Flight& flight = flights_[id];
  const double seconds = now - flight.updated;
  if (seconds > 0) {
    flight.remaining -= flight.rate * flight.factor * seconds;
    if (flight.remaining < kNothingLeft) flight.remaining = 0;
    if (usage_ != nullptr && flight.phase == Phase::sharing) add_usage(id, now);
  }
  flight.updated = now;
}

void Network::add_usage(FlightId id, double now) {
  const Flight& flight = flights_[id];
  const Path& way = path(flight.from, flight.to);
  usage_->add({shares_.data() + way.first, way.count}, flight.rate, way.bound, flight.bottleneck,
              flight.updated, now);
  const double lost = (1 - flight.rate / way.alone) * (now - flight.updated);
  if (flight.bottleneck != kNoLink && lost > 0) costliest_[id].add(flight.bottleneck, lost);
}

void Network::settle(double now) {
  ++settled_;
  expected_work_ += kSharesAFlow * sharing_flows_;
  if (selective_ != nullptr) check_allowance();
  if (selective_ != nullptr) {
    for (const FlowId flow : selective_->solve()) {
      const FlightId id = flight_of_flow_[flow];
      update(id, now);
      flights_[id].bottleneck = selective_->bottleneck(flow);
      fly(id, selective_->rate(flow), now);
    }
    return;
  }
  const std::span<const FlowId> changed = sharing_.solve();
  for (const LinkId pool : sharing_.moved_pools()) {
    clocks_.set_level(pool, sharing_.level(pool), now);
  }
  for (const FlowId flow : changed) go_on(flight_of_flow_[flow], now);
}

/// At another rate, or in another pool, or both.
void Network::go_on(FlightId id, double now) {
  Flight& flight = flights_[id];
  const LinkId pool = sharing_.pool(flight.flow);
  if (flight.pool != kNoLink && flight.pool == pool) return;
  if (flight.pool != kNoLink) {
    flight.remaining = clocks_.leave(flight.pool, id, now) * work_of(flight);
    flight.updated = now;
  } else {
    update(id, now);
  }
  flight.pool = pool;
  flight.bottleneck = sharing_.bottleneck(flight.flow);
  if (pool == kNoLink) return fly(id, sharing_.rate(flight.flow), now);
  events_.remove(id);
  clocks_.enter(pool, id, flight.remaining / work_of(flight), now);
}

/// Bytes of the flight for a unit of its pool's clock.
double Network::work_of(const Flight& flight) const {
  return flight.factor / sharing_.penalty(flight.flow);
}

void Network::look_at(FlightId id, double now) {
  if (selective_ != nullptr && flights_[id].phase == Phase::sharing) update(id, now);
}

std::uint64_t Network::solved_flows() const {
  return sharing_.work().flows + (selective_ == nullptr ? 0 : selective_->solved_flows());
}

void Network::check_allowance() {
  if (selective_->work() > allowance_ + kAllowanceADate * settled_) give_up_order();
}

/// The flows go on in BandwidthSharing.
void Network::give_up_order() {
  selective_.reset();
  sharing_flows_ = 0;
  flight_of_flow_.clear();
  for (FlightId id = 0; id < flights_.size(); ++id) {
    Flight& flight = flights_[id];
    if (!flight.used || flight.phase == Phase::alone) continue;
    if (flight.phase == Phase::sharing || contends(flight)) {
      flight.flow = create_flow(path(flight.from, flight.to));
    }
    if (flight.phase == Phase::sharing) share(id);
  }
}

/// SimGrid enters a link's flows into its heap from the newest to the oldest when it has solved for
/// them, and takes those with equal dates out in that order.
void Network::sort_ended() {
  std::ranges::stable_sort(ended_, [](const Ended& a, const Ended& b) {
    return a.date != b.date ? a.date < b.date : a.order > b.order;
  });
}

bool Network::can_follow() const {
  return expected_work_ <= kDoubt * (allowance_ + kAllowanceADate * settled_);
}

/// Those who end too close together.
void Network::look_for_ties() {
  for (std::size_t i = 1; i < ended_.size(); ++i) {
    if (ended_[i].date - ended_[i - 1].date > kSameDate * ended_[i].date) continue;
    ended_[i - 1].tied = ended_[i].tied = true;
  }
}

void Network::end(FlightId id, double date, double now) {
  Flight& flight = flights_[id];
  if (flight.phase == Phase::sharing && flight.pool == kNoLink) update(id, now);
  ended_.push_back({date, flight.order, id, false});
}

void Network::advance(double now, double until, std::vector<Arrival>& arrivals) {
  last_date_ = 0;
  while (events_.next_date() < until) {
    const double date = last_date_ = events_.next_date();
    const FlightId id = events_.pop();
    if (flights_[id].phase == Phase::latency) {
      begin_transfer(id, now);
    } else {
      end(id, date, now);
    }
  }
  while (clocks_.next_date() < until) {
    const double date = clocks_.next_date();
    last_date_ = std::max(last_date_, date);
    end(clocks_.pop(), date, now);
  }
  if (model_.lazy && selective_ == nullptr) {
    sort_ended();
    look_for_ties();
  }
  for (const auto& [date, order, id, tied] : ended_) {
    Flight& flight = flights_[id];
    if (flight.phase == Phase::sharing) {
      --sharing_flows_;
      if (selective_ != nullptr) {
        selective_->remove(flight.flow);
      } else {
        sharing_.remove(flight.flow);
      }
    }
    flight.used = false;
    const LinkId held_by = usage_ == nullptr ? kNoLink : costliest_[id].link();
    arrivals.push_back({flight.tag, flight.started, flight.alone, tied, held_by});
    flights_.give_back(id);
  }
  ended_.clear();
}

}  // namespace slackline

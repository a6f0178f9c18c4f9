// LogGOPSim's timing at a cost that does not grow with the number of waiting events.
//
// The model: a rank's cpu runs calcs, pays o (and O a byte) for a send, and o plus (s-1)G for every
// message that arrives, posted or not; a network card is busy g + (s-1)G with each. An event that
// finds its resources busy tries again when they are free, and of all events that then try, the one
// that was created first proceeds. Receives cost nothing; a message longer than S frees its sender
// when it meets its receive. (Hoefler, Schneider, Lumsdaine, HPDC 2010, and LogGOPSim's
// own program where the paper leaves the order open.)
//
// The problem: LogGOPSim puts every waiting event back into its one heap each time the cpu turns
// out to be busy: with n messages waiting for one cpu, n*n/2 times.
//
// The idea: events that wait for the same resources form a queue by age, and only the oldest is in
// the event queue, for the time at which the resources are free as far as is known. When it is due
// and they are not free, it is put back for the later time; that costs one step per event that took
// the resources, not one per event that waits.
//
// Why it is right: trying has no effect but waiting on, and of the events that try at one time the
// oldest wins in both, so the order of events is the same. Operations of a rank that become
// executable together, for the same time, are one event: their ages are consecutive, and nothing
// that happens at a time creates an event for an earlier time, or for the same time with a smaller
// age; so nothing can come between them.

#include "sim/loggops/simulation.h"

#include <algorithm>
#include <utility>

namespace slackline {

LogGOPSRun LogGOPSSimulation::run() {
  for (std::uint32_t r = 0; r < program_.ranks.size(); ++r) {
    for (std::uint32_t i = 0; i < program_.ranks[r].size(); ++i) {
      if (missing_[number({r, i})] == 0) executable_.push_back({r, i});
    }
    create(r, true);
  }
  while (!events_.empty()) {
    const Event event = events_.pop();
    switch (event.kind) {
      case Event::Kind::operations:
        try_operations(event);
        break;
      case Event::Kind::message:
        attempt({event.time, event.age, {event.rank, event.operation}, event.peer, true});
        break;
      case Event::Kind::queue:
        serve(event);
        break;
    }
  }
  require_all_done();
  return result();
}

void LogGOPSSimulation::try_operations(const Event& event) {
  std::uint32_t operation = event.operation;
  for (std::uint32_t k = 0; k < event.peer; ++k) {
    const Place place{event.rank, operation};
    operation = next_[number(place)];
    attempt({event.time, event.age + k, place, 0, false});
  }
}

void LogGOPSSimulation::attempt(const Attempt& a) {
  const GoalOperation op = operation_of(a);
  if (free_at(a, op) <= a.time) {
    perform(a, op);
    return;
  }
  const std::size_t number = queue_of(a, op);
  queues_[number].push({a.age, a.place.operation, a.peer, a.message});
  schedule_oldest(number);
}

/// When the resources of an attempt are free, as far as is known.
LogGOPSSimulation::Time LogGOPSSimulation::free_at(const Attempt& a,
                                                   const GoalOperation& op) const {
  const std::uint32_t rank = a.place.rank;
  const Time cpu_time = cpu_free_[cpu(rank, op.cpu)];
  if (a.message) return std::max(cpu_time, receive_free_[nic(rank, op.nic)]);
  switch (op.kind) {
    case GoalKind::calc:
      return cpu_time;
    case GoalKind::send:
      return std::max(cpu_time, send_free_[nic(rank, op.nic)]);
    case GoalKind::recv:
      break;
  }
  return 0;
}

std::size_t LogGOPSSimulation::queue_of(const Attempt& a, const GoalOperation& op) const {
  const std::uint32_t group = a.message                   ? 1 + nics_ + op.nic
                              : op.kind == GoalKind::calc ? 0
                                                          : 1 + std::uint32_t{op.nic};
  return std::size_t{a.place.rank} * queues_per_rank_ + op.cpu * (1 + 2 * nics_) + group;
}

/// Puts the oldest entry of a waiting queue into the event queue, unless it is there already.
void LogGOPSSimulation::schedule_oldest(std::size_t number) {
  LogGOPSWaitingQueue& queue = queues_[number];
  if (queue.empty()) {
    queue.scheduled = LogGOPSWaitingQueue::kNone;
    return;
  }
  const LogGOPSWaitingQueue::Entry& oldest = queue.oldest();
  if (queue.scheduled == oldest.age) return;
  queue.scheduled = oldest.age;
  const auto rank = static_cast<std::uint32_t>(number / queues_per_rank_);
  const Attempt a{0, oldest.age, {rank, oldest.operation}, oldest.peer, oldest.message};
  events_.push({.time = free_at(a, operation_of(a)),
                .age = oldest.age,
                .rank = rank,
                .operation = static_cast<std::uint32_t>(number % queues_per_rank_),
                .peer = 0,
                .kind = Event::Kind::queue});
}

void LogGOPSSimulation::serve(const Event& event) {
  const std::size_t number = std::size_t{event.rank} * queues_per_rank_ + event.operation;
  LogGOPSWaitingQueue& queue = queues_[number];
  if (queue.scheduled != event.age) return;  // an older entry has come since
  const LogGOPSWaitingQueue::Entry oldest = queue.oldest();
  const Attempt a{
      event.time, oldest.age, {event.rank, oldest.operation}, oldest.peer, oldest.message};
  const GoalOperation op = operation_of(a);
  queue.scheduled = LogGOPSWaitingQueue::kNone;
  if (free_at(a, op) <= a.time) {
    queue.pop();
    perform(a, op);
  }
  schedule_oldest(number);
}

void LogGOPSSimulation::perform(const Attempt& a, const GoalOperation& op) {
  ++performed_;
  if (a.message) {
    perform_message(a, op);
  } else {
    switch (op.kind) {
      case GoalKind::calc:
        perform_calc(a, op);
        break;
      case GoalKind::send:
        perform_send(a, op);
        break;
      case GoalKind::recv:
        perform_receive(a, op);
        break;
    }
  }
  if (!executable_.empty()) create_for_ranks();
}

void LogGOPSSimulation::perform_calc(const Attempt& a, const GoalOperation& op) {
  const Time length = static_cast<Time>(op.size) * ticks_.ns;
  const Time end = a.time + length + noise_.during(a.place.rank, a.time, length);
  set(cpu_free_[cpu(a.place.rank, op.cpu)], end);
  if (starts_matter_) satisfy(a.place, true, a.time);
  satisfy(a.place, false, end);
}

void LogGOPSSimulation::perform_send(const Attempt& a, const GoalOperation& op) {
  const std::uint32_t rank = a.place.rank;
  if (starts_matter_) satisfy(a.place, true, a.time);
  const Time end = a.time + ticks_.overhead + per_byte(op.size, ticks_.overhead_byte) +
                   noise_.during(rank, a.time, ticks_.overhead);
  set(cpu_free_[cpu(rank, op.cpu)], end);
  set(send_free_[nic(rank, op.nic)], a.time + ticks_.gap + per_byte(op.size, ticks_.byte));
  events_.push({.time = a.time + ticks_.overhead + ticks_.latency,
                .age = next_age_++,
                .rank = op.peer,
                .operation = a.place.operation,
                .peer = rank,
                .kind = Event::Kind::message});
  if (op.size <= model_.eager_threshold_bytes) satisfy(a.place, false, end);
}

void LogGOPSSimulation::perform_receive(const Attempt& a, const GoalOperation& op) {
  if (starts_matter_) satisfy(a.place, true, a.time);
  const LogGOPSMatching::Arrival arrival = matching_.post(a.place.rank, a.place.operation, op);
  if (!arrival.found) return;
  const Place sender{arrival.source, arrival.send};
  if (op.size > model_.eager_threshold_bytes) free_sender(sender, op, a.time);
  satisfy(a.place, false, a.time);
}

void LogGOPSSimulation::perform_message(const Attempt& a, const GoalOperation& op) {
  const std::uint32_t rank = a.place.rank;
  const Time bytes =
      std::max(per_byte(op.size, ticks_.overhead_byte), per_byte(op.size, ticks_.byte));
  // LogGOPSim's negative G is a huge number, being unsigned there, and is the larger of the two.
  const Time charged = model_.loggopsim_deviations && op.size == 0 ? -ticks_.byte : bytes;
  const Time end =
      a.time + ticks_.overhead + noise_.during(rank, a.time, ticks_.overhead) + charged;
  set(cpu_free_[cpu(rank, op.cpu)], end);
  set(receive_free_[nic(rank, op.nic)], a.time + ticks_.gap + per_byte(op.size, ticks_.byte));
  const std::uint32_t receive = matching_.arrive(rank, a.peer, a.place.operation, op);
  if (receive == LogGOPSMatching::kNone) return;
  if (op.size > model_.eager_threshold_bytes) free_sender({a.peer, a.place.operation}, op, a.time);
  satisfy({rank, receive}, false, end);
}

/// The sender of a rendezvous continues at the match. `op` is the operation that completed it.
[[gnu::noinline]] void LogGOPSSimulation::free_sender(Place send, const GoalOperation& op,
                                                      Time now) {
  const GoalOperation own = model_.loggopsim_deviations ? op : operation(send);
  satisfy(send, false, now);
  Time& cpu_time = cpu_free_[cpu(send.rank, own.cpu)];
  Time& nic_time = send_free_[nic(send.rank, own.nic)];
  set(cpu_time, std::max(cpu_time, now));
  set(nic_time, std::max(nic_time, now));
}

void LogGOPSSimulation::set(Time& free, Time time) {
  if (time > kMostTime) fail_range();
  free = time;
}

/// One dependency less for all operations that depend on the start, or on the end, of this one.
void LogGOPSSimulation::satisfy(Place p, bool start, Time now) {
  for (const GoalAdjacency::Entry e : successors_[p.rank].of(p.operation)) {
    if ((e.on_start != 0) != start) continue;
    const Place waiting{p.rank, e.operation};
    if (!ready_.empty()) ready_[number(waiting)] = std::max(ready_[number(waiting)], now);
    if (--missing_[number(waiting)] == 0) executable_.push_back(waiting);
  }
}

/// Creates the events of operations that have become executable: by ascending rank, as LogGOPSim.
void LogGOPSSimulation::create_for_ranks() {
  const std::uint32_t first = executable_.front().rank;
  if (std::ranges::all_of(executable_, [&](const Place& p) { return p.rank == first; })) {
    create(first, false);
    return;
  }
  std::vector<Place>& all = of_several_ranks_;
  std::swap(all, executable_);
  std::ranges::stable_sort(all, {}, &Place::rank);
  for (auto begin = all.begin(); begin != all.end();) {
    const auto end =
        std::find_if(begin, all.end(), [&](const Place& p) { return p.rank != begin->rank; });
    executable_.assign(begin, end);
    create(begin->rank, false);
    begin = end;
  }
  all.clear();
}

/// Operations that are executable at one time become one event.
void LogGOPSSimulation::create(std::uint32_t rank, bool initial) {
  if (executable_.size() > 1) {
    // Not stable beyond 16 elements, and LogGOPSim's order depends on how: so this is the same
    // call.
    std::sort(executable_.begin(), executable_.end(),
              [&](const Place& a, const Place& b) { return kind_of(a) < kind_of(b); });
  }
  for (std::size_t i = 0; i < executable_.size();) {
    const auto time_of = [&](const Place& p) { return initial ? 0 : first_chance(p); };
    Event event{.time = time_of(executable_[i]),
                .age = next_age_,
                .rank = rank,
                .operation = executable_[i].operation,
                .peer = 0,
                .kind = Event::Kind::operations};
    do {
      if (event.peer++ > 0) next_[number(executable_[i - 1])] = executable_[i].operation;
      ++i;
    } while (i < executable_.size() && time_of(executable_[i]) == event.time);
    next_age_ += event.peer;
    events_.push(event);
  }
  executable_.clear();
}

LogGOPSSimulation::Time LogGOPSSimulation::first_chance(Place p) const {
  const GoalOperation op = operation(p);
  Time time = cpu_free_[cpu(p.rank, op.cpu)];
  if (op.kind == GoalKind::send) time = std::max(time, send_free_[nic(p.rank, op.nic)]);
  // With several cpus a predecessor may end later than the own cpu is free.
  if (!ready_.empty()) time = std::max(time, ready_[number(p)]);
  return time;
}

}  // namespace slackline

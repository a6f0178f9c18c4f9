// LogGOPSim's timing without its waiting.
//
// The model: a rank's cpu runs calcs, pays o (and O a byte) for a send, and o plus (s-1)G for every
// message that arrives, posted or not; a network card is busy g + (s-1)G with each. An event that
// finds its resources busy tries again when they are free, and of all that then try, the one that
// was created first goes on. Receives cost nothing; a message longer than S frees its sender when
// it meets its receive. (The rules in full: Hoefler, Schneider, Lumsdaine, HPDC 2010, and the
// program that came with it.)
//
// That program puts every waiting event back into its one heap each time the cpu turns out to be
// busy: with n messages waiting for one cpu, n*n/2 times. Here those that wait for the same
// resources form a queue by age, and only the oldest stands in the heap, for the time at which the
// resources are free as far as is known. When its turn comes and they are not, it is put back for
// the later time; that costs one step per event that took the resources, not one per event that
// waits. Since trying has no effect but waiting on, and of those that try at one moment the oldest
// wins in both, the order of events is the same.

#include "sim/loggops/loggops.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>

#include "base/error.h"
#include "base/int128.h"
#include "base/units.h"
#include "sim/loggops/matching.h"
#include "sim/loggops/noise.h"

namespace slackline {
namespace {

using Time = std::int64_t;

constexpr Time kMostTime = std::numeric_limits<Time>::max() / 4;

/// The parameters in ticks.
struct TickModel {
  Time latency;
  Time overhead;
  Time gap;
  Time byte;
  Time overhead_byte;
  Time ns;
  std::int64_t tick_fs;

  explicit TickModel(const LogGOPS& m) {
    tick_fs = kFemtosPerNano;
    for (const std::int64_t fs :
         {m.latency_fs, m.overhead_fs, m.gap_fs, m.gap_per_byte_fs, m.overhead_per_byte_fs}) {
      tick_fs = std::gcd(tick_fs, fs);
    }
    latency = m.latency_fs / tick_fs;
    overhead = m.overhead_fs / tick_fs;
    gap = m.gap_fs / tick_fs;
    byte = m.gap_per_byte_fs / tick_fs;
    overhead_byte = m.overhead_per_byte_fs / tick_fs;
    ns = kFemtosPerNano / tick_fs;
  }
};

[[noreturn]] void fail_range(std::string_view name) {
  throw Error(fmt::format("cannot simulate '{}'", name),
              "a time does not fit in 63 bits of the smallest unit of the parameters",
              "Give the parameters with fewer digits.");
}

/// What an event is about to do. The order is LogGOPSim's order of types.
enum class EventKind : std::uint8_t { send, recv, calc, message };

struct Event {
  Time time;
  std::uint64_t age;  // number of its creation: of two at one time the older goes first
  std::uint32_t rank;
  std::uint32_t operation;  // of a message its send, on rank `peer`
  std::uint32_t peer;
  EventKind kind;
  bool queue;  // stands for the oldest of a queue: `operation` is the queue's number
};

struct Later {
  bool operator()(const Event& a, const Event& b) const {
    return a.time > b.time || (a.time == b.time && a.age > b.age);
  }
};
struct Younger {
  bool operator()(const Event& a, const Event& b) const { return a.age > b.age; }
};

/// Events that wait for the same cpu and card.
struct WaitingQueue {
  std::priority_queue<Event, std::vector<Event>, Younger> events;
  std::uint64_t shown = std::numeric_limits<std::uint64_t>::max();  // age of who is in the heap
};

class Simulation {
 public:
  Simulation(const GoalProgram& program, const LogGOPS& model, std::string_view name)
      : program_(program),
        model_(model),
        ticks_(model),
        name_(name),
        noise_(model.noise, program.ranks.size(), ticks_.ns),
        matching_(program) {
    prepare();
  }

  LogGOPSRun run() {
    for (std::uint32_t r = 0; r < program_.ranks.size(); ++r) {
      for (std::uint32_t i = 0; i < program_.ranks[r].size(); ++i) {
        if (missing_[base_[r] + i] == 0) executable_.push_back({r, i});
      }
      create_executable(r, true);
    }
    while (!heap_.empty()) {
      const Event event = heap_.top();
      heap_.pop();
      if (event.queue) {
        serve(event);
      } else {
        try_event(event);
      }
    }
    require_all_done();
    return result();
  }

 private:
  struct Place {
    std::uint32_t rank;
    std::uint32_t operation;
  };

  void prepare() {
    std::uint8_t most_cpu = 0;
    std::uint8_t most_nic = 0;
    base_.push_back(0);
    for (const GoalRank& rank : program_.ranks) {
      base_.push_back(base_.back() + rank.size());
      successors_.push_back(GoalAdjacency::successors(rank));
      for (std::uint32_t i = 0; i < rank.size(); ++i) {
        const GoalOperation op = rank[i];
        most_cpu = std::max(most_cpu, op.cpu);
        most_nic = std::max(most_nic, op.nic);
        check_range(op);
      }
    }
    missing_.assign(base_.back(), 0);
    for (std::size_t r = 0; r < program_.ranks.size(); ++r) {
      for (const GoalDependency& d : program_.ranks[r].dependencies()) {
        ++missing_[base_[r] + d.dependent];
      }
    }
    cpus_ = most_cpu + std::uint32_t{1};
    nics_ = most_nic + std::uint32_t{1};
    const std::size_t ranks = program_.ranks.size();
    cpu_free_.assign(ranks * cpus_, 0);
    send_free_.assign(ranks * nics_, 0);
    receive_free_.assign(ranks * nics_, 0);
    // Per cpu one queue for calcs, and one per card for sends and for messages.
    queues_per_rank_ = cpus_ * (1 + 2 * nics_);
    queues_.resize(ranks * queues_per_rank_);
    if (cpus_ > 1) ready_.assign(base_.back(), 0);
  }

  /// No single step may come near the limit; the running times are checked as they grow.
  void check_range(const GoalOperation& op) const {
    const Int128 bytes = static_cast<Int128>(op.size);
    const Int128 step = op.kind == GoalKind::calc
                            ? bytes * ticks_.ns
                            : bytes * std::max(ticks_.byte, ticks_.overhead_byte);
    const Int128 fixed = Int128{ticks_.latency} + ticks_.overhead + ticks_.gap;
    if (step + fixed > kMostTime) fail_range(name_);
  }

  GoalOperation operation(Place p) const { return program_.ranks[p.rank][p.operation]; }
  Time& cpu_free(std::uint32_t rank, std::uint32_t cpu) {
    return cpu_free_[std::size_t{rank} * cpus_ + cpu];
  }
  Time& send_free(std::uint32_t rank, std::uint32_t nic) {
    return send_free_[std::size_t{rank} * nics_ + nic];
  }
  Time& receive_free(std::uint32_t rank, std::uint32_t nic) {
    return receive_free_[std::size_t{rank} * nics_ + nic];
  }
  /// Times (s - 1): a message of no bytes as one of one byte, unless LogGOPSim's way is asked for.
  Time per_byte(std::uint64_t bytes, Time each) const {
    if (bytes == 0) return model_.simulator_flaws ? -each : 0;
    return static_cast<Time>(bytes - 1) * each;
  }

  /// When the resources of `event` are free.
  Time free_at(const Event& event, const GoalOperation& op) {
    const Time cpu = cpu_free(event.rank, op.cpu);
    switch (event.kind) {
      case EventKind::calc:
        return cpu;
      case EventKind::send:
        return std::max(cpu, send_free(event.rank, op.nic));
      case EventKind::message:
        return std::max(cpu, receive_free(event.rank, op.nic));
      case EventKind::recv:
        break;
    }
    return 0;
  }

  std::size_t queue_of(const Event& event, const GoalOperation& op) const {
    const std::uint32_t group = event.kind == EventKind::calc   ? 0
                                : event.kind == EventKind::send ? 1 + std::uint32_t{op.nic}
                                                                : 1 + nics_ + op.nic;
    return std::size_t{event.rank} * queues_per_rank_ + op.cpu * (1 + 2 * nics_) + group;
  }

  GoalOperation operation_of(const Event& event) const {
    return operation({event.kind == EventKind::message ? event.peer : event.rank, event.operation});
  }

  void try_event(const Event& event) {
    const GoalOperation op = operation_of(event);
    if (event.kind == EventKind::recv || free_at(event, op) <= event.time) {
      perform(event, op);
      return;
    }
    const std::size_t number = queue_of(event, op);
    queues_[number].events.push(event);
    show(number);
  }

  /// Puts the oldest of a queue into the heap, unless it stands there.
  void show(std::size_t number) {
    WaitingQueue& queue = queues_[number];
    if (queue.events.empty()) {
      queue.shown = std::numeric_limits<std::uint64_t>::max();
      return;
    }
    const Event& oldest = queue.events.top();
    if (queue.shown == oldest.age) return;
    queue.shown = oldest.age;
    Event shown = oldest;
    shown.time = free_at(oldest, operation_of(oldest));
    shown.queue = true;
    shown.peer = static_cast<std::uint32_t>(number);
    heap_.push(shown);
  }

  void serve(const Event& shown) {
    const std::size_t number = shown.peer;
    WaitingQueue& queue = queues_[number];
    if (queue.shown != shown.age) return;  // an older one has come since
    Event event = queue.events.top();
    event.time = shown.time;
    const GoalOperation op = operation_of(event);
    queue.shown = std::numeric_limits<std::uint64_t>::max();
    if (free_at(event, op) <= event.time) {
      queue.events.pop();
      perform(event, op);
    }
    show(number);
  }

  void perform(const Event& event, const GoalOperation& op) {
    ++events_;
    switch (event.kind) {
      case EventKind::calc:
        perform_calc(event, op);
        break;
      case EventKind::send:
        perform_send(event, op);
        break;
      case EventKind::recv:
        perform_recv(event, op);
        break;
      case EventKind::message:
        perform_message(event, op);
        break;
    }
    create_for_hosts();
  }

  void perform_calc(const Event& e, const GoalOperation& op) {
    const Time length = static_cast<Time>(op.size) * ticks_.ns;
    const Time end = e.time + length + noise_.during(e.rank, e.time, length);
    set(cpu_free(e.rank, op.cpu), end);
    started({e.rank, e.operation}, e.time);
    done({e.rank, e.operation}, end);
  }

  void perform_send(const Event& e, const GoalOperation& op) {
    started({e.rank, e.operation}, e.time);
    const Time end = e.time + ticks_.overhead + per_byte(op.size, ticks_.overhead_byte) +
                     noise_.during(e.rank, e.time, ticks_.overhead);
    set(cpu_free(e.rank, op.cpu), end);
    set(send_free(e.rank, op.nic), e.time + ticks_.gap + per_byte(op.size, ticks_.byte));
    heap_.push({.time = e.time + ticks_.overhead + ticks_.latency,
                .age = next_age_++,
                .rank = op.peer,
                .operation = e.operation,
                .peer = e.rank,
                .kind = EventKind::message,
                .queue = false});
    if (op.size <= model_.eager_threshold_bytes) done({e.rank, e.operation}, end);
  }

  void perform_recv(const Event& e, const GoalOperation& op) {
    started({e.rank, e.operation}, e.time);
    const LogGOPSMatching::Arrival arrival = matching_.post(e.rank, e.operation, op);
    if (!arrival.found) return;
    if (op.size > model_.eager_threshold_bytes) {
      free_sender({arrival.source, arrival.send}, op, e.time);
    }
    done({e.rank, e.operation}, e.time);
  }

  void perform_message(const Event& e, const GoalOperation& op) {
    const Time bytes =
        std::max(per_byte(op.size, ticks_.overhead_byte), per_byte(op.size, ticks_.byte));
    // A negative G of the simulator's is a huge unsigned one there, and wins.
    const Time charged = model_.simulator_flaws && op.size == 0 ? -ticks_.byte : bytes;
    const Time end =
        e.time + ticks_.overhead + noise_.during(e.rank, e.time, ticks_.overhead) + charged;
    set(cpu_free(e.rank, op.cpu), end);
    set(receive_free(e.rank, op.nic), e.time + ticks_.gap + per_byte(op.size, ticks_.byte));
    const std::uint32_t receive = matching_.arrive(e.rank, e.peer, e.operation, op);
    if (receive == LogGOPSMatching::kNone) return;
    if (op.size > model_.eager_threshold_bytes) free_sender({e.peer, e.operation}, op, e.time);
    done({e.rank, receive}, end);
  }

  /// The sender of a rendezvous goes on at the match. `op` is the operation that found it.
  void free_sender(Place send, const GoalOperation& op, Time now) {
    const GoalOperation own = model_.simulator_flaws ? op : operation(send);
    done(send, now);
    set(cpu_free(send.rank, own.cpu), std::max(cpu_free(send.rank, own.cpu), now));
    set(send_free(send.rank, own.nic), std::max(send_free(send.rank, own.nic), now));
  }

  void set(Time& free, Time time) {
    if (time > kMostTime) fail_range(name_);
    free = time;
  }

  void started(Place p, Time now) { satisfy(p, true, now); }
  void done(Place p, Time end) { satisfy(p, false, end); }

  /// One step nearer for all that wait for the start, or for the end, of an operation.
  void satisfy(Place p, bool start, Time now) {
    for (const GoalAdjacency::Entry e : successors_[p.rank].of(p.operation)) {
      if ((e.on_start != 0) != start) continue;
      const std::size_t number = base_[p.rank] + e.operation;
      if (!ready_.empty()) ready_[number] = std::max(ready_[number], now);
      if (--missing_[number] == 0) executable_.push_back({p.rank, e.operation});
    }
  }

  /// What has become executable gets its events: ranks in ascending order, as in LogGOPSim.
  void create_for_hosts() {
    if (executable_.empty()) return;
    const auto other = std::ranges::find_if(
        executable_, [&](const Place& p) { return p.rank != executable_.front().rank; });
    if (other == executable_.end()) {
      create_executable(executable_.front().rank, false);
      return;
    }
    std::vector<Place> all = std::move(executable_);
    std::ranges::stable_sort(all, {}, &Place::rank);
    for (auto begin = all.begin(); begin != all.end();) {
      const auto end =
          std::find_if(begin, all.end(), [&](const Place& p) { return p.rank != begin->rank; });
      executable_.assign(begin, end);
      create_executable(begin->rank, false);
      begin = end;
    }
  }

  void create_executable(std::uint32_t rank, bool initial) {
    if (executable_.size() > 1) {
      // Not stable beyond 16 elements, and LogGOPSim's order hangs on how exactly: the same call.
      std::sort(executable_.begin(), executable_.end(),
                [&](const Place& a, const Place& b) { return kind_of(a) < kind_of(b); });
    }
    for (const Place& p : executable_) {
      Event event{.time = 0,
                  .age = next_age_++,
                  .rank = rank,
                  .operation = p.operation,
                  .peer = 0,
                  .kind = kind_of(p),
                  .queue = false};
      if (!initial) event.time = first_chance(event, operation(p));
      heap_.push(event);
    }
    executable_.clear();
  }

  EventKind kind_of(const Place& p) const {
    return static_cast<EventKind>(program_.ranks[p.rank].kind(p.operation));
  }

  Time first_chance(const Event& event, const GoalOperation& op) {
    Time time = cpu_free(event.rank, op.cpu);
    if (event.kind == EventKind::send) time = std::max(time, send_free(event.rank, op.nic));
    // With several cpus a predecessor may end later than the own cpu is free.
    if (!ready_.empty()) time = std::max(time, ready_[base_[event.rank] + event.operation]);
    return time;
  }

  void require_all_done() const {
    matching_.require_empty(name_);
    for (std::uint32_t r = 0; r < program_.ranks.size(); ++r) {
      for (std::uint32_t i = 0; i < program_.ranks[r].size(); ++i) {
        if (missing_[base_[r] + i] == 0) continue;
        throw Error(fmt::format("cannot simulate '{}' to its end", name_),
                    fmt::format("operation {} of rank {} waits for ever, and it may not be alone",
                                i + 1, r),
                    "Operations wait for each other in a circle; --model loggps prints it.");
      }
    }
  }

  LogGOPSRun result() const {
    LogGOPSRun run;
    run.events = events_;
    for (std::size_t r = 0; r < program_.ranks.size(); ++r) {
      const auto first = cpu_free_.begin() + static_cast<std::ptrdiff_t>(r * cpus_);
      const Time end = *std::max_element(first, first + static_cast<std::ptrdiff_t>(cpus_));
      run.finish_ns.push_back(
          static_cast<double>(static_cast<long double>(end) / static_cast<long double>(ticks_.ns)));
      run.makespan_ns = std::max(run.makespan_ns, run.finish_ns.back());
    }
    return run;
  }

  const GoalProgram& program_;
  const LogGOPS& model_;
  TickModel ticks_;
  std::string_view name_;
  NoiseClock noise_;
  LogGOPSMatching matching_;
  std::vector<std::size_t> base_;  // number of each rank's first operation
  std::vector<GoalAdjacency> successors_;
  std::vector<std::uint32_t> missing_;  // dependencies of each operation that are not satisfied yet
  std::vector<Time> ready_;             // with several cpus: when they were
  std::uint32_t cpus_ = 1;
  std::uint32_t nics_ = 1;
  std::vector<Time> cpu_free_;
  std::vector<Time> send_free_;
  std::vector<Time> receive_free_;
  std::size_t queues_per_rank_ = 0;
  std::vector<WaitingQueue> queues_;
  std::priority_queue<Event, std::vector<Event>, Later> heap_;
  std::vector<Place> executable_;
  std::uint64_t next_age_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace

LogGOPSRun simulate_loggops(const GoalProgram& program, const LogGOPS& model,
                            std::string_view name) {
  return Simulation(program, model, name).run();
}

}  // namespace slackline

// An interpreter of MPI programs that writes down, for every completion, when it happens.
//
// Each rank is a line of execution with a clock. A message has no state but the two posting times:
// the k-th send and the k-th receive of a channel (sender, receiver, communicator, tag) belong
// together, and all times follow from the two postings by the protocol's formulas. Execution is
// polling: every line tries its next call, again and again, until nothing moves.
//
// Differs on purpose from src/graph: no hand-over vertices, no path edges, no bound left out; a
// clock is a term (point + cost), a completion the maximum of everything the formula names.

#include "oracle/reference_model.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <variant>

namespace slackline::oracle {
namespace {

using Time = TimeSystem::Term;

Time operator+(const Time& t, const Cost& c) {
  return {t.from, t.cost + c};
}

constexpr Cost kOverhead{0, 0, 1, 0};

struct Sent {
  Time posted;
  std::uint64_t bytes;
  bool rendezvous;
};

// sender, receiver, communicator, tag, collective call (0: point-to-point)
using ChannelKey =
    std::tuple<std::int32_t, std::int32_t, std::uint32_t, std::int64_t, std::int64_t>;

struct Channel {
  bool local = false;
  std::vector<Sent> sends;
  std::vector<Time> receives;
};

/// Something that can be waited for.
struct Open {
  enum class Kind { send, receive, line } kind;
  ChannelKey channel{};
  std::size_t index = 0;  // of the message in its channel; of the line
};

/// A rank's program or a nonblocking collective.
struct RankLine {
  std::int32_t rank = 0;
  Time clock{};
  std::size_t next_call = 0;
  std::vector<CollectiveStep> steps{};
  std::size_t next_step = 0;
  std::vector<std::int32_t> members{};
  std::uint32_t comm = 0;
  std::int64_t collective = 0;
  std::vector<Open> started{};
  std::vector<Open> waiting{};
  bool done = false;
};

bool is_any(Operation op, std::initializer_list<Operation> list) {
  return std::ranges::find(list, op) != list.end();
}

class Interpreter {
 public:
  Interpreter(const Trace& trace, const GraphOptions& options) : trace_(trace), options_(options) {
    options_.collectives.resolve_automatic(trace.info().mpi_library);
  }

  TimeSystem run() {
    start();
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t i = 0; i < lines_.size(); ++i) moved = step(i) || moved;
    }
    for (std::size_t r = 0; r < ranks(); ++r) {
      if (!lines_[r].done) throw Unsupported("rank " + std::to_string(r) + " waits forever");
      system_.ends.push_back(lines_[r].clock);
    }
    return std::move(system_);
  }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(trace_.ranks()); }

  /// Execution begins when the first rank leaves MPI_Init.
  void start() {
    std::vector<std::int64_t> begin(ranks(), 0);
    std::optional<std::int64_t> zero;
    lines_.resize(ranks());
    for (std::size_t r = 0; r < ranks(); ++r) {
      const RankCalls& calls = trace_.calls(static_cast<std::int32_t>(r));
      begin[r] = calls.start_ns();
      for (std::size_t i = 0; i < calls.size(); ++i) {
        if (!is_any(calls.operation(i), {Operation::init, Operation::init_thread})) continue;
        begin[r] = calls.end_ns(i);
        lines_[r].next_call = i + 1;
        break;
      }
      if (!calls.empty()) zero = std::min(zero.value_or(begin[r]), begin[r]);
    }
    for (std::size_t r = 0; r < ranks(); ++r) {
      const bool empty = trace_.calls(static_cast<std::int32_t>(r)).empty();
      lines_[r].rank = static_cast<std::int32_t>(r);
      lines_[r].clock = {system_.zero(), {empty ? 0 : begin[r] - *zero, 0, 0, 0}};
    }
  }

  // --- Messages ---

  Channel& channel(const ChannelKey& name) {
    Channel& c = channels_[name];
    c.local = std::get<0>(name) == std::get<1>(name);
    return c;
  }

  static Cost wire(const Channel& c, std::uint64_t bytes, std::int64_t crossings = 1) {
    if (c.local) return {};
    return {0, crossings, 0, bytes > 0 ? static_cast<std::int64_t>(bytes) - 1 : 0};
  }

  Time latest(std::vector<Time> times) { return {system_.maximum(std::move(times)), {}}; }

  /// When the receiver answers a rendezvous request: max(ts + o + L, tr) + o.
  Time answer(const Channel& c, std::size_t k) {
    return latest({c.sends[k].posted + kOverhead + wire(c, 1), c.receives[k]}) + kOverhead;
  }

  /// When the completion of send k can return; nothing if its receive is not posted and needed.
  std::optional<Time> send_completion(const ChannelKey& name, std::size_t k) {
    const Channel& c = channel(name);
    const Sent& s = c.sends[k];
    const Time handed_over = s.posted + kOverhead;
    if (!s.rendezvous) return handed_over;
    if (c.receives.size() <= k) return std::nullopt;
    switch (options_.rendezvous) {
      case Rendezvous::handshake:  // d + (s-1)G, d = m + L + o
        return answer(c, k) + wire(c, s.bytes) + kOverhead;
      case Rendezvous::rdma_read:  // tr' + L + o
        return *receive_completion(name, k) + wire(c, 1) + kOverhead;
      case Rendezvous::sync:  // max(ts + o, tr')
        return latest({handed_over, *receive_completion(name, k)});
      case Rendezvous::loggopsim:  // the match
        return latest({handed_over + wire(c, 1), c.receives[k]});
    }
    return std::nullopt;
  }

  std::optional<Time> receive_completion(const ChannelKey& name, std::size_t k) {
    const Channel& c = channel(name);
    if (c.sends.size() <= k) return std::nullopt;
    const Sent& s = c.sends[k];
    if (s.rendezvous && options_.rendezvous == Rendezvous::handshake) {
      // d + L + (s-1)G + o with d = m + L + o
      return answer(c, k) + wire(c, s.bytes, 2) + kOverhead + kOverhead;
    }
    if (s.rendezvous && options_.rendezvous == Rendezvous::rdma_read) {
      return answer(c, k) + wire(c, s.bytes, 2) + kOverhead;  // m + 2L + (s-1)G + o
    }
    const Time arrival = s.posted + kOverhead + wire(c, s.bytes);
    return latest({c.receives[k], arrival}) + kOverhead;
  }

  std::optional<Time> completion(const Open& open) {
    switch (open.kind) {
      case Open::Kind::send:
        return send_completion(open.channel, open.index);
      case Open::Kind::receive:
        return receive_completion(open.channel, open.index);
      case Open::Kind::line:
        if (lines_[open.index].done) return lines_[open.index].clock;
    }
    return std::nullopt;
  }

  bool real(std::int32_t rank) const { return rank >= 0 && rank < trace_.ranks(); }

  Open post_send(RankLine& line, std::int32_t to, std::uint32_t comm, std::int64_t tag,
                 std::uint64_t bytes, Operation mode, std::int64_t collective = 0) {
    const ChannelKey name{line.rank, to, comm, tag, collective};
    const bool buffered =
        is_any(mode, {Operation::bsend, Operation::ibsend, Operation::bsend_init});
    const bool synchronous =
        is_any(mode, {Operation::ssend, Operation::issend, Operation::ssend_init});
    Channel& c = channel(name);
    c.sends.push_back(
        {line.clock, bytes, !buffered && (synchronous || bytes > options_.eager_threshold_bytes)});
    line.clock = line.clock + kOverhead;
    return {Open::Kind::send, name, c.sends.size() - 1};
  }

  Open post_receive(const RankLine& line, std::int32_t from, std::uint32_t comm, std::int64_t tag,
                    std::int64_t collective = 0) {
    const ChannelKey name{from, line.rank, comm, tag, collective};
    Channel& c = channel(name);
    c.receives.push_back(line.clock);
    return {Open::Kind::receive, name, c.receives.size() - 1};
  }

  // --- Execution ---

  /// One call or step of a line; false if it cannot go on now.
  bool step(std::size_t index) {
    RankLine& line = lines_[index];
    if (line.done || !finish_waiting(line)) return false;
    if (line.next_step < line.steps.size()) {
      take_step(line);
      return true;
    }
    if (index >= ranks()) {
      line.done = true;
      return true;
    }
    const RankCalls& calls = trace_.calls(line.rank);
    if (line.next_call == calls.size()) {
      line.done = true;
      return true;
    }
    if (probe_blocks(line)) return false;
    const std::size_t at = line.next_call++;
    line.clock = line.clock + Cost{calls.gap_ns(at), 0, 0, 0};
    take_call(index, calls[at]);
    return true;
  }

  bool finish_waiting(RankLine& line) {
    if (line.waiting.empty()) return true;
    std::vector<Time> times{line.clock};
    for (const Open& open : line.waiting) {
      const auto t = completion(open);
      if (!t) return false;
      times.push_back(*t);
    }
    line.clock = latest(std::move(times));
    line.waiting.clear();
    return true;
  }

  void take_step(RankLine& line) {
    using Kind = CollectiveStep::Kind;
    const CollectiveStep& s = line.steps[line.next_step++];
    if (s.kind == Kind::wait_all) {
      line.waiting.swap(line.started);
      return;
    }
    if (s.kind == Kind::wait) {
      const auto which = line.started.begin() + s.peer;
      line.waiting.push_back(*which);
      line.started.erase(which);
      return;
    }
    const std::int32_t peer = line.members[static_cast<std::size_t>(s.peer)];
    const bool sends = s.kind == Kind::send || s.kind == Kind::isend;
    const Open open =
        sends ? post_send(line, peer, line.comm, 0, s.bytes, Operation::send, line.collective)
              : post_receive(line, peer, line.comm, 0, line.collective);
    const bool blocks = s.kind == Kind::send || s.kind == Kind::recv;
    (blocks ? line.waiting : line.started).push_back(open);
  }

  bool is_probe(const Call& call) const {
    return operation_class(call.operation) == OperationClass::probe && !call.has(SLK_FLAG_FAILED) &&
           real(call.peer);
  }

  Channel& probed(const RankLine& line, const Call& call) {
    return channel({call.peer, line.rank, call.comm, call.tag, 0});
  }

  bool probe_blocks(const RankLine& line) {
    const Call call = trace_.calls(line.rank)[line.next_call];
    if (!is_probe(call)) return false;
    const Channel& c = probed(line, call);
    return c.sends.size() <= c.receives.size();
  }

  void take_call(std::size_t index, const Call& call) {
    RankLine& line = lines_[index];
    const bool void_call = call.has(SLK_FLAG_CANCELLED) || !real(call.peer);
    switch (operation_class(call.operation)) {
      case OperationClass::send:
        if (!void_call) line.waiting.push_back(send(line, call));
        return;
      case OperationClass::recv:
        if (!void_call) line.waiting.push_back(receive(line, call));
        return;
      case OperationClass::isend:
        if (!void_call) request(line, call.request) = send(line, call);
        return;
      case OperationClass::irecv:
        if (!void_call) request(line, call.request) = receive(line, call);
        return;
      case OperationClass::sendrecv:
        return sendrecv(line, call);
      case OperationClass::start:
        return persistent(line, call);
      case OperationClass::completion:
        if (call.has(SLK_FLAG_FAILED)) return;
        wait_for(line, call.request);
        for (const std::int64_t serial : call.args) {
          wait_for(line, static_cast<std::uint32_t>(serial));
        }
        return;
      case OperationClass::request_other:
        if (call.operation == Operation::request_free) requests_.erase({line.rank, call.request});
        return;
      case OperationClass::probe:
        if (is_probe(call)) probe(line, call);
        return;
      case OperationClass::collective:
      case OperationClass::icollective:
      case OperationClass::comm_create:
        return collective(index, call);
      case OperationClass::environment:
        if (call.operation == Operation::finalize) line.next_call = trace_.calls(line.rank).size();
        return;
      default:
        return;
    }
  }

  Open send(RankLine& line, const Call& call) {
    return post_send(line, call.peer, call.comm, call.tag, call.bytes, call.operation);
  }
  Open receive(RankLine& line, const Call& call) {
    return post_receive(line, call.peer, call.comm, call.tag);
  }

  void sendrecv(RankLine& line, const Call& call) {
    const auto source = static_cast<std::int32_t>(call.args[0]);
    if (real(source)) line.waiting.push_back(post_receive(line, source, call.comm, call.args[1]));
    if (real(call.peer)) line.waiting.push_back(send(line, call));
  }

  void persistent(RankLine& line, const Call& call) {
    for (std::size_t i = 0; i + 6 <= call.args.size(); i += 6) {
      const auto& a = call.args;
      const auto mode = static_cast<Operation>(a[i + 1]);
      const auto peer = static_cast<std::int32_t>(a[i + 2]);
      const auto comm = static_cast<std::uint32_t>(a[i + 5]);
      if (!real(peer)) continue;
      request(line, static_cast<std::uint32_t>(a[i])) =
          mode == Operation::recv_init
              ? post_receive(line, peer, comm, a[i + 3])
              : post_send(line, peer, comm, a[i + 3], static_cast<std::uint64_t>(a[i + 4]), mode);
    }
  }

  Open& request(const RankLine& line, std::uint32_t serial) {
    return requests_[{line.rank, serial}];
  }

  void wait_for(RankLine& line, std::uint32_t serial) {
    const auto found = requests_.find({line.rank, serial});
    if (found == requests_.end()) return;
    line.waiting.push_back(found->second);
    requests_.erase(found);
  }

  /// Returns when the envelope of the oldest unreceived message is there: all of an eager one, the
  /// request of a rendezvous.
  void probe(RankLine& line, const Call& call) {
    const Channel& c = probed(line, call);
    const Sent& s = c.sends[c.receives.size()];
    line.clock =
        latest({line.clock, s.posted + kOverhead + (s.rendezvous ? wire(c, 1) : wire(c, s.bytes))});
  }

  // --- Collectives ---

  void collective(std::size_t index, const Call& call) {
    if (is_any(call.operation, {Operation::none}) || call.comm == kCommSelf) return;
    const std::int64_t sequence = ++collectives_entered_[{lines_[index].rank, call.comm}];
    if (call.request == kRequestNone) return enter(lines_[index], call, sequence);
    lines_.push_back(RankLine{.rank = lines_[index].rank, .clock = lines_[index].clock});
    enter(lines_.back(), call, sequence);
    request(lines_[index], call.request) = {Open::Kind::line, {}, lines_.size() - 1};
  }

  void enter(RankLine& line, const Call& call, std::int64_t sequence) {
    const auto& members = trace_.communicators()[call.comm].members;
    if (members.size() < 2) return;
    line.comm = call.comm;
    line.members = members;
    line.collective = sequence;
    line.next_step = 0;
    line.steps = steps_of(call, line.rank, members, sequence);
    line.steps.push_back({.kind = CollectiveStep::Kind::wait_all});
  }

  /// The call of `rank` that is its `sequence`-th collective on that communicator.
  Call nth_collective(std::int32_t rank, std::uint32_t comm, std::int64_t sequence) const {
    const RankCalls& calls = trace_.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Call call = calls[i];
      const auto op_class = operation_class(call.operation);
      const bool counts = op_class == OperationClass::collective ||
                          op_class == OperationClass::icollective ||
                          op_class == OperationClass::comm_create;
      if (counts && call.comm == comm && --sequence == 0) return call;
    }
    throw Unsupported("a collective that not all ranks enter");
  }

  std::vector<CollectiveStep> steps_of(const Call& call, std::int32_t rank,
                                       const std::vector<std::int32_t>& members,
                                       std::int64_t sequence) {
    CollectiveCall c;
    c.single_waits = true;
    c.size = static_cast<std::int32_t>(members.size());
    const auto place = [&](std::int32_t world) {
      return static_cast<std::int32_t>(std::ranges::find(members, world) - members.begin());
    };
    const bool creates = operation_class(call.operation) == OperationClass::comm_create;
    c.operation = creates ? Operation::allreduce : blocking_form(call.operation);
    if (creates) {
      c.bytes = 8;
    } else {
      for (const std::int32_t m : members) {
        const Call theirs = nth_collective(m, call.comm, sequence);
        c.bytes = std::max(c.bytes, theirs.bytes);
        c.element_bytes = std::max(c.element_bytes, static_cast<std::uint32_t>(theirs.tag));
        if (theirs.peer >= 0) c.root = place(theirs.peer);
        const bool vector = is_any(c.operation, {Operation::gatherv, Operation::scatterv,
                                                 Operation::allgatherv, Operation::reduce_scatter});
        if (vector && theirs.args.size() == members.size()) c.counts = theirs.args;
      }
      const Call first = nth_collective(*std::ranges::min_element(members), call.comm, sequence);
      c.commutative = !first.has(SLK_FLAG_NON_COMMUTATIVE);
    }
    std::vector<CollectiveStep> steps;
    const bool own = is_any(c.operation, {Operation::alltoallv, Operation::alltoallw});
    options_.collectives.algorithm(c).expand(
        c, place(rank), OwnCounts{own ? call.args : std::span<const std::int64_t>{}}, steps);
    return steps;
  }

  const Trace& trace_;
  GraphOptions options_;
  TimeSystem system_;
  std::deque<RankLine> lines_;
  std::map<ChannelKey, Channel> channels_;
  std::map<std::pair<std::int32_t, std::uint32_t>, Open> requests_;
  std::map<std::pair<std::int32_t, std::uint32_t>, std::int64_t> collectives_entered_;
};

}  // namespace

TimeSystem reference_times(const Trace& trace, const GraphOptions& options) {
  return Interpreter(trace, options).run();
}

}  // namespace slackline::oracle

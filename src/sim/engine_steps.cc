// What happens when a rank sends, receives and waits. spec: SMPI model, 3.1.
//
// A send pays its overhead first and is posted then. Small messages leave at once (eager), others
// when both sides have posted. A detached send is over for its sender when it is posted; otherwise
// both sides are done when the message has arrived. After a detached message the receiver pays the
// receive overhead, one message after the other when it waits for several.

#include <algorithm>

#include "sim/engine.h"

namespace slackline::sim {
namespace {

bool is_synchronous(Operation mode) {
  return mode == Operation::ssend || mode == Operation::issend || mode == Operation::ssend_init;
}
bool is_buffered(Operation mode) {
  return mode == Operation::bsend || mode == Operation::ibsend || mode == Operation::bsend_init;
}

}  // namespace

void Engine::sleep(StrandId id, double seconds, State state) {
  strands_[id].state = state;
  processors_.pause(id, host(strands_[id].rank), now_ + std::max(seconds, model_.timing_precision));
}

/// SimGrid's actors run in turns, each up to its next call of the kernel. That only shows in the
/// order of what happens at one date, which only lazy rates depend on.
void Engine::take_turn(Strand& strand) {
  if (model_.lazy) ++strand.turns;
}

void Engine::compute(StrandId id, double flops) {
  Strand& strand = strands_[id];
  strand.state = State::computing;
  strand.computing_since = now_;
  processors_.start(id, host(strand.rank), flops, now_);
}

/// Of `outgoing`.
Channel Engine::channel_of(const Strand& strand) const {
  const Message& message = strand.outgoing;
  const std::int32_t source = message.send ? strand.rank : message.peer;
  return {.source = message.anonymous ? kPeerAny : source,
          .destination = message.send ? message.peer : strand.rank,
          .tag = message.tag,
          .comm = message.comm};
}

void Engine::start_message(StrandId id, const Message& message) {
  if (message.send) return begin_send(id, message);
  strands_[id].outgoing = message;
  post(id);
}

/// `outgoing` comes into its receiver's mailbox; of which there are two when some messages are
/// eager.
void Engine::post(StrandId id) {
  Strand& strand = strands_[id];
  if (mailboxes_.empty()) {
    if (strand.outgoing.send) return hand_over(id);
    return post_receive(id, strand.outgoing);
  }
  strand.posting = Posting::lock;
}

void Engine::begin_send(StrandId id, const Message& message) {
  Strand& strand = strands_[id];
  const auto bytes = static_cast<double>(message.bytes);
  strand.outgoing = message;
  strand.detached =
      !is_synchronous(message.mode) && (is_buffered(message.mode) || bytes < model_.detached_below);
  double overhead = 0;
  if (!message.blocking) {
    overhead = overheads_.isend(host(strand.rank), bytes);
  } else if (strand.detached || is_synchronous(message.mode)) {
    overhead = overheads_.send(host(strand.rank), bytes);
  }
  if (overhead <= 0) return post(id);
  overhead = std::max(overhead, model_.timing_precision);
  if (strand.main) times(strand.rank).overhead += overhead;
  sleep(id, overhead, State::posting);
}

void Engine::hand_over(StrandId id) {
  Strand& strand = strands_[id];
  const Message& message = strand.outgoing;
  const TransferId transfer = matching_.post_send(channel_of(strand), strand.rank, message.bytes);
  take_turn(strand);
  Transfer& t = matching_[transfer];
  t.detached = strand.detached;
  const bool eager =
      !is_synchronous(message.mode) && static_cast<double>(message.bytes) < model_.eager_below;
  if (t.posted || eager) leave(transfer, id);
  if (strand.detached) {
    matching_.drop(transfer);
    return started(id, message, Request{});
  }
  started(id, message, {Request::Kind::send, transfer});
}

void Engine::post_receive(StrandId id, const Message& message) {
  const TransferId transfer = matching_.post_receive(channel_of(strands_[id]));
  take_turn(strands_[id]);
  const Transfer& t = matching_[transfer];
  if (t.sent && !t.left) leave(transfer, id);
  if (t.left && !t.arrived) network_.look_at(t.flight, now_);
  started(id, message, {Request::Kind::receive, transfer});
}

void Engine::leave(TransferId id, StrandId by) {
  start_in_order(by);
  Transfer& t = matching_[id];
  t.left = true;
  t.started = now_;
  t.flight = network_.start(host(t.sender), host(t.channel.destination),
                            static_cast<double>(t.bytes), id, now_);
}

/// The message is on its way as far as its side can bring it.
void Engine::started(StrandId id, const Message& message, Request request) {
  Strand& strand = strands_[id];
  if (strand.posting == Posting::post) {
    strand.posted = request;
    return;
  }
  if (message.blocking) {
    const Request only = request;
    return wait_for(id, {&only, 1});
  }
  if (message.serial != kRequestNone) {
    state(strand.rank).requests[message.serial] = request;
  } else {
    strand.outstanding.push_back(request);
  }
}

void Engine::collective_step(StrandId id) {
  Strand& strand = strands_[id];
  if (strand.look != Look::none) end_look(strand);
  if (strand.step == strand.steps.size()) {
    strand.collective = nullptr;
    strand.steps.clear();
    strand.outstanding.clear();
    return;
  }
  const CollectiveStep step = strand.steps[strand.step++];
  using Kind = CollectiveStep::Kind;
  if (step.kind == Kind::wait_all) return wait_outstanding(id);
  if (step.kind == Kind::wait) {
    const auto chosen = strand.outstanding.begin() + step.peer;
    const Request only = *chosen;
    strand.outstanding.erase(chosen);
    return wait_for(id, {&only, 1});
  }
  if (step.kind == Kind::look || step.kind == Kind::poll) return look(id, step);
  if (step.kind == Kind::clock) return pass_time(id, model_.clock_sleep);
  if (step.kind == Kind::pause) return pass_time(id, static_cast<double>(step.bytes) * 1e-9);
  if (step.kind == Kind::more) {
    --strand.step;  // what comes instead of it
    return expand_collective(strand);
  }
  Message message;
  message.peer = step.peer < 0 ? kPeerAny : member(strand, step.peer);
  message.anonymous = step.anonymous;
  message.tag = strand.collective_tag;
  message.comm = strand.collective->comm;
  message.bytes = step.bytes;
  message.send = step.kind == Kind::send || step.kind == Kind::isend;
  message.blocking = step.kind == Kind::send || step.kind == Kind::recv;
  start_message(id, message);
}

/// The rank that a step of the strand's collective names.
std::int32_t Engine::member(const Strand& strand, std::int32_t peer) const {
  const CollectiveIndex::Instance& instance = *strand.collective;
  if (is_neighbourhood(instance.call.operation)) return peer;
  return instance.members[static_cast<std::size_t>(peer)];
}

/// Overhead that is no message's.
void Engine::pass_time(StrandId id, double seconds) {
  if (seconds <= 0) return;
  if (strands_[id].main) times(strands_[id].rank).overhead += seconds;
  sleep(id, seconds, State::computing);
}

/// Rank 0 of a collective by order of arrival looks whether a message of another has come. What it
/// finds is known when the look has taken its time.
void Engine::look(StrandId id, const CollectiveStep& step) {
  Strand& strand = strands_[id];
  const bool polls = step.kind == CollectiveStep::Kind::poll;
  strand.look = polls ? Look::polls : Look::once;
  strand.since = now_;
  strand.probed = {.source = member(strand, step.peer),
                   .destination = strand.rank,
                   .tag = strand.collective_tag,
                   .comm = strand.collective->comm};
  if (polls) ++polling_;
  if (polls || model_.probe_sleep > 0) spend_on_look(id, State::computing);
}

/// The time of one look (MPI_Iprobe), which takes a core like computation.
void Engine::spend_on_look(StrandId id, State state) {
  Strand& strand = strands_[id];
  strand.accounted = now_;
  const double seconds = failed_probes_ * model_.probe_sleep;
  if (seconds <= 0) return sleep(id, 0, state);
  strand.state = state;
  const HostId own = host(strand.rank);
  processors_.start(id, own, seconds * platform_.host(own).speed(), now_);
}

/// The next look takes the longer, the more in a row were in vain.
void Engine::account_look(const Strand& strand, bool found) {
  if (strand.main) times(strand.rank).overhead += now_ - strand.accounted;
  if (found) {
    failed_probes_ = 1;
  } else if (model_.grow_injected_times) {
    ++failed_probes_;
  }
}

void Engine::end_look(Strand& strand) {
  if (strand.look == Look::polls) --polling_;
  strand.look = Look::none;
  const bool found = matching_.can_probe(strand.probed);
  account_look(strand, found);
  arrivals_.at({strand.collective->comm, strand.collective_sequence}).record.found.push_back(found);
}

void Engine::wait_outstanding(StrandId id) {
  waited_.swap(strands_[id].outstanding);
  wait_for(id, waited_);
  waited_.clear();
}

bool Engine::is_over(const Request& request) const {
  switch (request.kind) {
    case Request::Kind::done:
      return true;
    case Request::Kind::send:
    case Request::Kind::receive:
      return matching_[request.id].arrived;
    case Request::Kind::strand:
      return strands_[request.id].state == State::finished;
  }
  return true;
}

void Engine::wait_for(StrandId id, std::span<const Request> requests) {
  Strand& strand = strands_[id];
  strand.state = State::waiting;
  strand.since = strand.accounted = strand.busy_until = now_;
  strand.open = 0;
  strand.wait_began = ++waits_;
  for (const Request& request : requests) {
    if (is_over(request)) {
      complete(strand, request, now_);
      if (request.kind != Request::Kind::done) take_turn(strand);
      continue;
    }
    ++strand.open;
    if (request.kind == Request::Kind::strand) {
      strands_[request.id].waiter = id;
    } else if (request.kind == Request::Kind::send) {
      matching_[request.id].sender_waiting = id;
    } else {
      matching_[request.id].receiver_waiting = id;
    }
    strand.waits_for = request;
  }
  if (strand.open == 0) all_there(id);
}

/// One of those that the strand waits for is over now.
void Engine::request_over(StrandId id, const Request& request, double message_started) {
  Strand& strand = strands_[id];
  complete(strand, request, message_started);
  strand.together = strand.last_over == now_ ? strand.together + 1 : 0;
  strand.last_over = now_;
  strand.wait_began = ++waits_;
  if (--strand.open > 0) return;
  strand.turns = model_.lazy ? strand.together : 0;
  all_there(id);
  resume(id);
}

/// Time until now was spent waiting for the message to leave, then for it to arrive; unless
/// overheads of other messages filled it.
void Engine::account_wait(Strand& strand, double message_started) {
  const double from = std::max(strand.accounted, strand.busy_until);
  if (strand.main && now_ > from) {
    const double left = std::clamp(message_started, from, now_);
    times(strand.rank).wait += left - from;
    times(strand.rank).transfer += now_ - left;
  }
  strand.accounted = now_;
}

void Engine::complete(Strand& strand, const Request& request, double message_started) {
  account_wait(strand, message_started);
  if (request.kind == Request::Kind::strand) {
    strands_.give_back(request.id);
  } else if (request.kind != Request::Kind::done) {
    const Transfer& t = matching_[request.id];
    if (request.kind == Request::Kind::receive && t.detached) {
      double overhead = overheads_.receive(host(strand.rank), static_cast<double>(t.bytes));
      if (overhead > 0) {
        overhead = std::max(overhead, model_.timing_precision);
        strand.busy_until = std::max(strand.busy_until, now_) + overhead;
        if (strand.main) times(strand.rank).overhead += overhead;
      }
    }
    matching_.drop(request.id);
  }
}

void Engine::all_there(StrandId id) {
  Strand& strand = strands_[id];
  strand.state = State::running;
  if (strand.busy_until <= now_) return;
  strand.state = State::settling;
  processors_.pause(id, host(strand.rank), strand.busy_until);
}

/// An MPI_Test whose outcome is for the simulation to find out, after its time has been paid.
void Engine::test(StrandId id) {
  Strand& strand = strands_[id];
  strand.state = State::running;
  if (!is_over(strand.tested)) {
    if (model_.grow_injected_times) ++failed_tests_;
    return;
  }
  failed_tests_ = 1;
  state(strand.rank).requests.erase(strand.tested_serial);
  const Request only = strand.tested;
  wait_for(id, {&only, 1});
}

/// Looks for the probed message, and again later.
void Engine::poll(StrandId id) {
  Strand& strand = strands_[id];
  const bool found = matching_.peek(strand.probed) != kNone;
  account_look(strand, found);
  if (!found) return spend_on_look(id, State::probing);
  --polling_;
  strand.state = State::running;
}

}  // namespace slackline::sim

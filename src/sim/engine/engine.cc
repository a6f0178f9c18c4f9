// The event loop: runs every rank's program as far as it goes, brings the network's rates up to
// date, moves on to the next simulated time, and wakes up what waited for what happens then.
//
// The problem: simulate what each rank does (rank_program.cc, collective_execution.cc), by which
// rules its messages leave (message_passing.cc) and its waits end (requests.cc, polling.cc), and
// how the network carries messages (network.h), with all of them at one simulated time.
//
// The idea: a rank is a cursor over its calls and a small state, an execution context, so that a
// wake-up is a function call. Only messages, computation and pauses take time; everything else
// happens at one simulated time. As in SimGrid, all that happens within the timing precision of a
// simulated time happens at that time, and rates are computed once per simulated time, after all
// contexts have run until they block.
//
// Cost: O(log n) an event beside the network's rates.

#include "sim/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "calls/findings.h"
#include "calls/run_span.h"

namespace slackline::sim {
namespace {

using State = ExecutionContext::State;

constexpr double kLongest_s = 9.2e9;  // what 64 bits hold in ns

}  // namespace

Engine::Engine(const Input& input, std::unique_ptr<BandwidthSharing> sharing, ContextOrder* order)
    : trace_(input.trace),
      platform_(input.platform),
      model_(input.options.model),
      order_(order),
      live_(input.live),
      usage_(input.options.link_usage ? std::make_shared<LinkUsage>(input.platform) : nullptr),
      overheads_(input.platform, model_),
      network_(input.platform, input.links, model_, input.options.message_noise, std::move(sharing),
               usage_.get()),
      profiles_(input.platform, input.links),
      contexts_(input.platform, input.host_of_rank, input.options.compute_noise,
                model_.timing_precision),
      accounting_(trace_, input.options.record, result_),
      contention_(input.options.slowed_kept, result_),
      requests_(trace_.ranks(), contexts_, matching_, overheads_, accounting_, order),
      messages_(model_, contexts_, matching_, network_, overheads_, requests_, accounting_, order),
      polling_(model_, input.platform, contexts_, matching_, requests_, accounting_),
      collectives_(trace_, input.host_of_rank, input.options.choose, model_,
                   {contexts_, messages_, requests_, polling_, accounting_, input.live},
                   result_.findings),
      program_(
          trace_, input.platform, input.options,
          {contexts_, messages_, requests_, polling_, collectives_, accounting_, order, input.live},
          result_.findings) {
  expects(input.options.choose != nullptr, "a simulation needs a choice of algorithms");
  if (order_ != nullptr) order_->attach(contexts_, messages_, matching_, network_);
  if (input.live != nullptr) input.live->begin(contexts_, messages_, requests_, polling_);
}

MaxMinSharing::Options sharing_options(const Engine::Input& input) {
  return {.groups = !input.options.link_usage && input.platform.profiles().empty()};
}

std::optional<Simulation> Engine::run() {
  create_programs();
  follow_profiles(0);
  std::vector<Network::Arrival> arrivals;
  std::vector<Processors::Ended> ended;
  Processors& processors = contexts_.processors();
  for (;;) {
    contexts_.run_ready([this](ExecutionContext& context) { advance(context); });
    if (order_ != nullptr && order_->gives_up()) return std::nullopt;
    processors.update_shares(contexts_.now());
    network_.update_rates(contexts_.now());
    if (is_stuck()) deadlock();
    const double event =
        std::min({network_.next_time(), processors.next_time(), contexts_.disks().next_time()});
    if (event == EventHeap::kNever && unfinished_ == 0) break;
    if (event > kLongest_s) {
      throw Error("the program does not end", "it would run for more than 292 years",
                  "Correct what is that slow in the platform or its profiles.");
    }
    const double next = follow_profiles(event);
    // With SimGrid's rounding.
    const double now = contexts_.now() + std::max(next - contexts_.now(), 0.0);
    contexts_.advance_to(now);
    ++result_.events;
    // Late in a long simulation the precision is less than the distance of two doubles.
    const double until =
        std::max(now + model_.timing_precision, std::nextafter(now, EventHeap::kNever));
    arrivals.clear();
    ended.clear();
    network_.advance(now, until, arrivals);
    processors.advance(until, ended);
    if (order_ != nullptr) order_->time_advanced(until, ended);
    contexts_.disks().advance(now, until, ended);
    for (const auto& [id, time] : ended) resume_after_time(contexts_[id]);
    for (const Network::Arrival& arrival : arrivals) arrive(arrival);
  }
  finish_result();
  return std::move(result_);
}

Simulation Engine::given_up() {
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    if (is_finished(r)) continue;
    // What it is in the middle of counts as waiting.
    RankTimes& times = result_.ranks[static_cast<std::size_t>(r)];
    times.wait = contexts_.now() - times.compute - times.overhead - times.transfer;
    accounting_.end_rank(r, contexts_.now());
  }
  accounting_.finish();
  contention_.finish();
  result_.solved_flows = network_.computed_rates();
  result_.links = usage_;
  return std::move(result_);
}

void Engine::create_programs() {
  const std::int64_t origin_ns = run_span(trace_).analysed.begin_ns;
  unfinished_ = static_cast<std::size_t>(trace_.ranks());
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    program_.create(r, origin_ns);
  }
}

/// Runs a context until it waits, yields or finishes.
void Engine::advance(ExecutionContext& context) {
  while (context.state == State::running) {
    if (order_ != nullptr) {
      const ContextOrder::Turn turn = order_->next_turn(context.id);
      if (turn == ContextOrder::Turn::yield) return contexts_.resume(context);
      if (turn == ContextOrder::Turn::taken) continue;
    }
    if (messages_.start_queued(context)) continue;
    if (context.collective.instance != nullptr) {
      collectives_.step(context);
    } else if (!context.main || !program_.next(context)) {
      return finish(context);
    }
  }
}

/// The pause or computation of the context has ended.
void Engine::resume_after_time(ExecutionContext& context) {
  switch (context.state) {
    case State::sending:
      messages_.overhead_paid(context);
      break;
    case State::testing:
      polling_.end_test(context);
      break;
    case State::probing:
      polling_.poll_again(context);
      break;
    case State::accessing:
      accounting_.add_overhead(context, contexts_.now() - context.waiting.accounted);
      [[fallthrough]];
    default:
      context.state = State::running;
  }
  contexts_.resume(context);
}

void Engine::arrive(const Network::Arrival& arrival) {
  const TransferId id = arrival.tag;
  Transfer& t = matching_[id];
  t.arrived = true;
  contention_.add(arrival, t, contexts_.now());
  const ContextId sender = std::exchange(t.sender_waiting, kNone);
  const ContextId receiver = std::exchange(t.receiver_waiting, kNone);
  if (order_ != nullptr) order_->message_arrived(sender, receiver, arrival.tied);
  const auto wake_sender = [&] {
    if (sender != kNone) {
      requests_.request_over(contexts_[sender], {Request::Kind::send, id}, arrival.started);
    }
  };
  // The side that has waited longer goes on first.
  const bool sender_last = sender != kNone && receiver != kNone &&
                           contexts_[receiver].waiting.number < contexts_[sender].waiting.number;
  if (!sender_last) wake_sender();
  if (receiver != kNone) {
    requests_.request_over(contexts_[receiver], {Request::Kind::receive, id}, arrival.started);
  }
  if (sender_last) wake_sender();
}

/// What profiles change up to a time, and that time; or the time of the first change that affects
/// what is under way, and what changes then.
double Engine::follow_profiles(double until) {
  while (profiles_.next_time() <= until) {
    const ProfileEvents::Event event = profiles_.pop();
    if (follow(event)) until = event.time;
  }
  return until;
}

bool Engine::follow(const ProfileEvents::Event& event) {
  const auto& [what, id, profile] = *event.resource;
  if (what == Profiled::speed) return contexts_.processors().set_speed(id, event.value);
  if (what != Profiled::host_state) return network_.set_link(what, id, event.value, event.time);
  for (std::int32_t r = 0; event.value <= 0 && r < trace_.ranks(); ++r) {
    if (contexts_.host(r) != id || is_finished(r)) continue;
    throw Error(
        fmt::format("the program cannot go on at {:.9g} s", event.time),
        fmt::format("host '{}', on which rank {} runs, is down", platform_.host_name(id), r),
        "MPI programs do not survive this; change the profile in the platform, or end the "
        "program before.");
  }
  return false;
}

bool Engine::is_finished(std::int32_t rank) const {
  return contexts_[static_cast<ContextId>(rank)].state == State::finished;
}

/// Whether no context is left that could do anything: nothing lasts but polls for messages that
/// will never come.
bool Engine::is_stuck() const {
  const Processors& processors = contexts_.processors();
  if (!network_.idle() || !contexts_.disks().idle()) return false;
  if (processors.size() > polling_.polling()) return false;
  if (polling_.polling() == 0) return unfinished_ > 0;
  bool hope = false;
  processors.for_each([&](ContextId id) {
    const ExecutionContext& context = contexts_[id];
    const bool live = live_ != nullptr && context.main && !context.program.call_open;
    hope = hope || (live ? live_->can_find(context) : polling_.can_find(context));
  });
  return !hope;
}

void Engine::finish(ExecutionContext& context) {
  context.state = State::finished;
  if (context.main) {
    accounting_.end_rank(context.rank, contexts_.now());
    --unfinished_;
    return;
  }
  const ContextId waiter = std::exchange(context.waiter, kNone);
  if (waiter == kNone) return;
  if (order_ != nullptr) order_->joined(waiter, context.id);
  requests_.request_over(contexts_[waiter], {Request::Kind::context, context.id}, contexts_.now());
}

void Engine::deadlock() const {
  throw_deadlock(trace_, contexts_, matching_, live_);
}

void Engine::finish_result() {
  if (unfinished_ > 0) deadlock();
  accounting_.finish();
  contention_.finish();
  result_.solved_flows = network_.computed_rates();
  result_.links = usage_;
  report_unmatched();
}

/// In a program an unmatched send is an error; a recording may have lost the other side.
void Engine::report_unmatched() {
  std::vector<const Transfer*> unmatched;
  matching_.for_each_unmatched([&](const Transfer& t) {
    // SimGrid has broadcasts that send more than is received.
    if (!in_collective(t.channel)) unmatched.push_back(&t);
  });
  std::ranges::sort(unmatched, {}, [](const Transfer* t) {
    return std::tuple{t->sender, t->channel.destination, t->channel.tag, t->bytes};
  });
  std::string first;
  for (const Transfer* t : unmatched) {
    const std::string text = fmt::format("rank {} to rank {}, tag {}, {} bytes", t->sender,
                                         t->channel.destination, t->channel.tag, t->bytes);
    if (t == unmatched.front()) first = text;
    result_.findings.add(unmatched_send(trace_, t->channel.destination), text);
  }
  const std::size_t count = unmatched.size();
  if (count == 0 || trace_.timed()) return;
  throw Error(fmt::format("{} never received",
                          count == 1 ? "a message is" : fmt::format("{} messages are", count)),
              fmt::format("for example, from {}", first), "Every send needs a matching receive.");
}

}  // namespace slackline::sim

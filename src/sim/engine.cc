// The event loop: runs every rank's program as far as it goes, brings the network's rates up to
// date, moves on to the next date, and wakes who waited for what happens then.
//
// The problem: simulate what each rank does (engine_program.cc), by which rules its messages leave
// and complete (engine_steps.cc), and how the network carries them (network.h), with all of them at
// one date.
//
// The idea: a rank is a cursor over its calls and a small state, a strand, so that a wake-up is a
// function call. Nothing but the network and computation lasts; everything else happens at a date.
// As in SimGrid, all that happens within the timing precision of a date happens at that date, and
// rates are computed once a date, after all strands have run until they block.
//
// Cost: O(log n) an event beside the network's rates.

#include "sim/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"

namespace slackline::sim {
namespace {

constexpr FindingKind kUnmatchedSend{
    "unmatched_send", Severity::data_loss,
    "A send has no matching receive; it was simulated as if nobody waited for it."};
constexpr double kSlowed = 1.01;

}  // namespace

Engine::Engine(const Trace& trace, const Platform& platform, const std::vector<HostId>& hosts,
               const SimulationOptions& options, OrderOfEnds order)
    : trace_(trace),
      platform_(platform),
      hosts_(hosts),
      options_(options),
      model_(options.model),
      in_flops_(trace.info().flops_per_second > 0),
      order_(order),
      usage_(options.link_usage ? std::make_shared<LinkUsage>(platform) : nullptr),
      slowed_(options.slowed_kept),
      overheads_(platform, options.model),
      collectives_(trace, CollectiveChoice{}, result_.findings),
      nodes_(hosts),
      links_(platform, options.link_scales),
      network_(platform, links_, options.model, order, usage_.get()),
      processors_(platform),
      rank_states_(static_cast<std::size_t>(trace.ranks())) {
  expects(options.choose != nullptr, "a simulation needs a choice of algorithms");
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  if (model_.lazy && model_.eager_below > 0) mailboxes_.resize(ranks);
  result_.ranks.resize(ranks);
  result_.rank_end.resize(ranks);
  result_.operations.resize(kOperationCount);
  if (!options.record) return;
  result_.calls.resize(ranks);
  result_.region_ends.resize(ranks);
  for (std::int32_t r = 0; r < trace.ranks(); ++r) {
    result_.calls[static_cast<std::size_t>(r)].resize(trace.calls(r).size());
  }
}

void Engine::start_rank(std::int32_t rank, std::int64_t origin_ns) {
  const StrandId id = strands_.take();
  Strand& strand = strands_[id];
  strand.rank = rank;
  const RankCalls& calls = trace_.calls(rank);
  if (calls.empty()) return;
  const ProgramStart origin = program_start(calls);
  strand.next_call = static_cast<std::uint32_t>(origin.first_call);
  const double late = static_cast<double>(origin.ns - origin_ns) * 1e-9;
  if (in_flops_ || late <= 0) return;
  times(rank).compute += late;
  sleep(id, late, State::computing);
}

std::optional<Simulation> Engine::run() {
  std::int64_t zero = std::numeric_limits<std::int64_t>::max();
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) {
    if (!trace_.calls(r).empty()) zero = std::min(zero, program_start(trace_.calls(r)).ns);
  }
  unfinished_ = static_cast<std::size_t>(trace_.ranks());
  for (std::int32_t r = 0; r < trace_.ranks(); ++r) start_rank(r, zero);
  for (StrandId id = 0; id < strands_.size(); ++id) {
    if (strands_[id].state == State::running) ready_.push_back(id);
  }
  std::vector<Network::Arrival> arrivals;
  std::vector<Processors::Ended> ended;
  for (;;) {
    run_ready();
    if (order_matters()) return std::nullopt;
    processors_.settle(now_);
    network_.settle(now_);
    if (stuck()) deadlock();
    const double next = std::min(network_.next_date(), processors_.next_date());
    if (next == EventHeap::kNever) break;
    now_ += std::max(next - now_, 0.0);  // with SimGrid's rounding
    ++result_.events;
    // Late in a long simulation the precision is less than what a date can tell.
    const double until =
        std::max(now_ + model_.timing_precision, std::nextafter(now_, EventHeap::kNever));
    arrivals.clear();
    ended.clear();
    network_.advance(now_, until, arrivals);
    processors_.advance(until, ended);
    untie(ended);
    look_around(until, ended);
    for (const auto& [id, date] : ended) resume_after_date(id);
    for (const Network::Arrival& arrival : arrivals) arrive(arrival);
  }
  finish_result();
  return std::move(result_);
}

void Engine::finish_result() {
  if (unfinished_ > 0) deadlock();
  const auto last = std::ranges::max_element(result_.rank_end);
  if (last != result_.rank_end.end()) {
    result_.makespan = *last;
    result_.last_rank = static_cast<std::int32_t>(last - result_.rank_end.begin());
  }
  for (std::size_t r = 0; r < result_.ranks.size(); ++r) {
    result_.ranks[r].wait += result_.makespan - result_.rank_end[r];
  }
  result_.solved_flows = network_.solved_flows();
  result_.links = usage_;
  result_.slowed = slowed_.sorted();
  report_unmatched();
}

/// In a program that is an error; a recording may have lost the other side.
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
    result_.findings.add(kUnmatchedSend, text);
  }
  const std::size_t count = unmatched.size();
  if (count == 0 || trace_.timed()) return;
  throw Error(fmt::format("{} never received",
                          count == 1 ? "a message is" : fmt::format("{} messages are", count)),
              fmt::format("for one, from {}", first), "Every send needs its receive.");
}

void Engine::run_ready() {
  for (ready_at_ = 0; ready_at_ < ready_.size(); ++ready_at_) advance(ready_[ready_at_]);
  ready_.clear();
}

/// The strand goes on once those before it have run.
void Engine::resume(StrandId id) {
  if (strands_[id].state == State::running) ready_.push_back(id);
}

/// What the strand slept or computed for is over.
void Engine::resume_after_date(StrandId id) {
  Strand& strand = strands_[id];
  switch (strand.state) {
    case State::posting:
      strand.state = State::running;
      post(id);
      break;
    case State::testing:
      test(id);
      break;
    case State::probing:
      poll(id);
      break;
    default:
      strand.state = State::running;
  }
  resume(id);
}

void Engine::count(const Network::Arrival& arrival, const Transfer& transfer) {
  const double lasted = now_ - arrival.started;
  Contention& c = result_.contention;
  ++c.messages;
  c.alone_seconds += arrival.alone;
  c.actual_seconds += lasted;
  if (arrival.alone > 0) c.worst_ratio = std::max(c.worst_ratio, lasted / arrival.alone);
  if (lasted <= kSlowed * arrival.alone) return;
  ++c.slowed;
  if (!slowed_.wants(lasted - arrival.alone)) return;
  slowed_.add({.sender = transfer.sender,
               .receiver = transfer.channel.destination,
               .bytes = transfer.bytes,
               .within = operation_of(transfer.channel),
               .began = arrival.started,
               .lasted = lasted,
               .alone = arrival.alone,
               .held_by = arrival.held_by});
}

void Engine::arrive(const Network::Arrival& arrival) {
  const TransferId id = arrival.tag;
  Transfer& t = matching_[id];
  t.arrived = true;
  count(arrival, t);
  exact_ = false;
  const StrandId sender = std::exchange(t.sender_waiting, kNone);
  const StrandId receiver = std::exchange(t.receiver_waiting, kNone);
  const auto wake_sender = [&] {
    if (sender != kNone) request_over(sender, {Request::Kind::send, id}, arrival.started);
  };
  const bool both = sender != kNone && receiver != kNone && strands_[sender].tie != 0 &&
                    strands_[sender].tie == strands_[receiver].tie;
  if (sender != kNone) tie(sender, arrival.tied || both);
  if (receiver != kNone) tie(receiver, arrival.tied || both);
  // Who has waited longer goes on first.
  const bool sender_last = sender != kNone && receiver != kNone &&
                           strands_[receiver].wait_began < strands_[sender].wait_began;
  if (!sender_last) wake_sender();
  if (receiver != kNone) request_over(receiver, {Request::Kind::receive, id}, arrival.started);
  if (sender_last) wake_sender();
}

/// Is there nobody left who could do anything?
bool Engine::stuck() {
  if (!network_.idle() || processors_.size() > polling_) return false;
  if (polling_ == 0) return unfinished_ > 0;
  bool hope = false;
  processors_.for_each([&](StrandId id) { hope = hope || can_find(strands_[id]); });
  return !hope;
}

/// Is there a message of those that the strand looks for?
bool Engine::can_find(const Strand& strand) {
  if (strand.look == Look::none) return matching_.peek(strand.probed) != kNone;
  Channel channel = strand.probed;
  return std::ranges::any_of(strand.collective->members, [&](std::int32_t rank) {
    channel.source = rank;
    return matching_.peek(channel) != kNone;
  });
}

void Engine::finish(StrandId id) {
  Strand& strand = strands_[id];
  strand.state = State::finished;
  if (strand.main) {
    result_.rank_end[static_cast<std::size_t>(strand.rank)] = now_;
    --unfinished_;
    return;
  }
  const StrandId waiter = std::exchange(strand.waiter, kNone);
  if (waiter == kNone) return;
  strands_[waiter].tie = strand.tie;
  request_over(waiter, {Request::Kind::strand, id}, now_);
}

}  // namespace slackline::sim

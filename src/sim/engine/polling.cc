#include "sim/engine/polling.h"

#include <algorithm>

namespace slackline::sim {

using State = ExecutionContext::State;

void Polling::begin_test(ExecutionContext& context, const Request& request, std::uint32_t serial) {
  context.polled.tested = request;
  context.polled.tested_serial = serial;
  const double seconds = failed_tests_ * model_.test_sleep;
  accounting_.add_overhead(context, seconds);
  if (seconds > 0) return contexts_.sleep(context, seconds, State::testing);
  end_test(context);
}

void Polling::end_test(ExecutionContext& context) {
  context.state = State::running;
  if (!requests_.is_over(context.polled.tested)) {
    if (model_.grow_injected_times) ++failed_tests_;
    return;
  }
  failed_tests_ = 1;
  requests_.erase(context.rank, context.polled.tested_serial);
  requests_.wait_for(context, Request{context.polled.tested});
}

void Polling::begin_probe(ExecutionContext& context, const Channel& channel) {
  context.polled.probed = channel;
  ++polling_;
  context.waiting.since = contexts_.now();
  pay_for_probe(context, State::probing);
}

void Polling::poll_again(ExecutionContext& context) {
  const bool found = matching_.peek(context.polled.probed) != kNone;
  account_probe(context, found);
  if (!found) return pay_for_probe(context, State::probing);
  --polling_;
  context.state = State::running;
}

void Polling::begin_live_poll(ExecutionContext& context, bool blocking) {
  if (blocking) ++polling_;
  context.waiting.since = contexts_.now();
  pay_for_probe(context, State::computing);
}

void Polling::end_live_poll(ExecutionContext& context, bool blocking, bool found) {
  if (blocking) --polling_;
  account_probe(context, found);
}

void Polling::begin_collective_probe(ExecutionContext& context, const Channel& channel,
                                     CollectiveProbe kind) {
  context.polled.by_collective = kind;
  context.polled.probed = channel;
  context.waiting.since = contexts_.now();
  const bool polls = kind == CollectiveProbe::until_found;
  if (polls) ++polling_;
  if (polls || model_.probe_sleep > 0) return pay_for_probe(context, State::computing);
  context.waiting.accounted = contexts_.now();
}

bool Polling::end_collective_probe(ExecutionContext& context) {
  if (context.polled.by_collective == CollectiveProbe::until_found) --polling_;
  context.polled.by_collective = CollectiveProbe::none;
  const bool found = matching_.can_probe(context.polled.probed);
  account_probe(context, found);
  return found;
}

bool Polling::can_find(const ExecutionContext& context) const {
  const PolledFor& polled = context.polled;
  if (polled.by_collective == CollectiveProbe::none) return matching_.peek(polled.probed) != kNone;
  Channel channel = polled.probed;
  return std::ranges::any_of(context.collective.instance->members, [&](std::int32_t rank) {
    channel.source = rank;
    return matching_.peek(channel) != kNone;
  });
}

/// The time of one probe, which takes a core as computation does.
void Polling::pay_for_probe(ExecutionContext& context, State state) {
  context.waiting.accounted = contexts_.now();
  const double seconds = failed_probes_ * model_.probe_sleep;
  if (seconds <= 0) return contexts_.sleep(context, 0, state);
  contexts_.compute(context, seconds * platform_.host(contexts_.host(context)).speed(), state);
}

void Polling::account_probe(const ExecutionContext& context, bool found) {
  accounting_.add_overhead(context, contexts_.now() - context.waiting.accounted);
  if (found) {
    failed_probes_ = 1;
  } else if (model_.grow_injected_times) {
    ++failed_probes_;
  }
}

}  // namespace slackline::sim

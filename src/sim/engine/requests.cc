// Waiting for requests (Bédaride et al., PMBS 2013, section 4.1; SimGrid 4.1,
// src/smpi/mpi/smpi_request.cpp). A detached send is over for its sender when it is posted; all
// other sends and receives are over when the message has arrived. After a detached message the
// receiver pays the receive overhead, one message after the other when it waits for several.

#include "sim/engine/requests.h"

#include <algorithm>

namespace slackline::sim {

using State = ExecutionContext::State;

Requests::Requests(std::int32_t ranks, ContextScheduler& contexts, Matching& matching,
                   Overheads& overheads, TimeAccounting& accounting, ContextOrder* order)
    : contexts_(contexts),
      matching_(matching),
      overheads_(overheads),
      accounting_(accounting),
      order_(order),
      by_rank_(static_cast<std::size_t>(ranks)) {}

std::vector<Request> Requests::take_all(std::int32_t rank) {
  std::vector<Request> all;
  of(rank).for_each([&](std::uint32_t, const Request& r) { all.push_back(r); });
  of(rank) = {};
  return all;
}

bool Requests::is_over(const Request& request) const {
  switch (request.kind) {
    case Request::Kind::done:
      return true;
    case Request::Kind::send:
    case Request::Kind::receive:
      return matching_[request.id].arrived;
    case Request::Kind::context:
      return contexts_[request.id].state == State::finished;
  }
  return true;
}

void Requests::wait_for(ExecutionContext& context, std::span<const Request> requests) {
  Waiting& waiting = context.waiting;
  context.state = State::waiting;
  waiting.since = waiting.accounted = waiting.busy_until = contexts_.now();
  waiting.pending = 0;
  waiting.number = ++waits_;
  for (const Request& request : requests) {
    if (is_over(request)) {
      complete(context, request, contexts_.now());
      if (order_ != nullptr && request.kind != Request::Kind::done) order_->acted(context.id);
      continue;
    }
    ++waiting.pending;
    set_waiter(request, context.id);
    waiting.for_request = request;
  }
  if (waiting.pending == 0) all_over(context);
}

void Requests::set_waiter(const Request& request, ContextId waiter) {
  if (request.kind == Request::Kind::context) {
    contexts_[request.id].waiter = waiter;
  } else if (request.kind == Request::Kind::send) {
    matching_[request.id].sender_waiting = waiter;
  } else {
    matching_[request.id].receiver_waiting = waiter;
  }
}

void Requests::wait_for_first(ExecutionContext& context, std::span<const Request> requests) {
  if (std::ranges::any_of(requests, [&](const Request& r) { return is_over(r); })) return;
  Waiting& waiting = context.waiting;
  context.state = State::waiting;
  waiting.since = waiting.accounted = waiting.busy_until = contexts_.now();
  waiting.pending = 1;
  waiting.number = ++waits_;
  waiting.first_of.assign(requests.begin(), requests.end());
  waiting.for_request = requests.front();
  for (const Request& request : requests) set_waiter(request, context.id);
}

/// None of the requests is waited for any more; the program completes those that it chooses.
void Requests::first_is_over(ExecutionContext& context, double message_left) {
  accounting_.add_wait(context, message_left, contexts_.now());
  for (const Request& request : context.waiting.first_of) set_waiter(request, kNone);
  context.waiting.first_of.clear();
  context.state = State::running;
  contexts_.resume(context);
}

void Requests::wait_for_outstanding(ExecutionContext& context) {
  waited_.swap(context.outstanding);
  wait_for(context, waited_);
  waited_.clear();
}

void Requests::request_over(ExecutionContext& context, const Request& request,
                            double message_left) {
  if (!context.waiting.first_of.empty()) return first_is_over(context, message_left);
  complete(context, request, message_left);
  context.waiting.number = ++waits_;
  const bool last = --context.waiting.pending == 0;
  if (order_ != nullptr) order_->request_over(context.id, last);
  if (!last) return;
  all_over(context);
  contexts_.resume(context);
}

void Requests::complete(ExecutionContext& context, const Request& request, double message_left) {
  accounting_.add_wait(context, message_left, contexts_.now());
  if (request.kind == Request::Kind::context) {
    contexts_.release(request.id);
  } else if (request.kind != Request::Kind::done) {
    if (request.kind == Request::Kind::receive) {
      pay_receive_overhead(context, matching_[request.id]);
    }
    matching_.drop(request.id);
  }
}

void Requests::pay_receive_overhead(ExecutionContext& context, const Transfer& transfer) {
  if (!transfer.detached) return;
  const double overhead =
      overheads_.receive(contexts_.host(context), static_cast<double>(transfer.bytes));
  if (overhead <= 0) return;
  const double paid = std::max(overhead, contexts_.timing_precision());
  Waiting& waiting = context.waiting;
  waiting.busy_until = std::max(waiting.busy_until, contexts_.now()) + paid;
  accounting_.add_overhead(context, paid);
}

/// The context goes on once it has paid its receive overheads.
void Requests::all_over(ExecutionContext& context) {
  context.state = State::running;
  if (context.waiting.busy_until <= contexts_.now()) return;
  contexts_.sleep_until(context, context.waiting.busy_until, State::overhead);
}

}  // namespace slackline::sim

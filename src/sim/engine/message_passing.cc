// What happens when a rank sends and receives (Bédaride et al., PMBS 2013, section 4.1;
// SimGrid 4.1, src/smpi/mpi/smpi_request.cpp).
//
// A send pays its overhead first and is posted then. Small messages leave at once (eager), others
// when both sides have posted. What becomes of the requests: requests.cc.

#include "sim/engine/message_passing.h"

#include <algorithm>

#include "calls/call_actions.h"

namespace slackline::sim {
namespace {

using State = ExecutionContext::State;

}  // namespace

MessagePassing::MessagePassing(const NetworkModel& model, ContextScheduler& contexts,
                               Matching& matching, Network& network, Overheads& overheads,
                               Requests& requests, TimeAccounting& accounting, ContextOrder* order)
    : model_(model),
      contexts_(contexts),
      matching_(matching),
      network_(network),
      overheads_(overheads),
      requests_(requests),
      accounting_(accounting),
      order_(order),
      poster_(order != nullptr && order->posts_messages() ? order : nullptr) {}

Channel MessagePassing::channel_of(const ExecutionContext& context) {
  const Message& message = context.posting.outgoing;
  const std::int32_t source = message.send ? context.rank : message.peer;
  return {.source = message.anonymous ? kPeerAny : source,
          .destination = message.send ? message.peer : context.rank,
          .tag = message.tag,
          .comm = message.comm};
}

void MessagePassing::start(ExecutionContext& context, const Message& message) {
  context.posting.outgoing = message;
  if (message.send) return begin_send(context);
  post(context);
}

bool MessagePassing::start_queued(ExecutionContext& context) {
  Posting& posting = context.posting;
  if (posting.queue.empty()) return false;
  if (posting.queued < posting.queue.size()) {
    start(context, posting.queue[posting.queued++]);
    return true;
  }
  posting.queue.clear();
  posting.queued = 0;
  if (!context.outstanding.empty()) requests_.wait_for_outstanding(context);
  return true;
}

void MessagePassing::begin_send(ExecutionContext& context) {
  const Message& message = context.posting.outgoing;
  context.posting.detached =
      !is_synchronous(message.mode) &&
      (is_buffered(message.mode) || static_cast<double>(message.bytes) < model_.detached_below);
  const double overhead = send_overhead(context);
  if (overhead <= 0) return post(context);
  const double paid = std::max(overhead, model_.timing_precision);
  accounting_.add_overhead(context, paid);
  contexts_.sleep(context, paid, State::sending);
}

/// The overhead of the context's outgoing send, in seconds; none for a blocking send that waits for
/// its receive.
double MessagePassing::send_overhead(const ExecutionContext& context) {
  const Message& message = context.posting.outgoing;
  const HostId host = contexts_.host(context);
  const auto bytes = static_cast<double>(message.bytes);
  if (!message.blocking) return overheads_.isend(host, bytes);
  const bool pays = context.posting.detached || is_synchronous(message.mode);
  return pays ? overheads_.send(host, bytes) : 0;
}

void MessagePassing::overhead_paid(ExecutionContext& context) {
  context.state = State::running;
  post(context);
}

void MessagePassing::post(ExecutionContext& context) {
  if (poster_ != nullptr) return poster_->begin_post(context.id);
  post_now(context);
}

void MessagePassing::post_now(ExecutionContext& context) {
  if (context.posting.outgoing.send) return post_send(context);
  post_receive(context);
}

void MessagePassing::post_send(ExecutionContext& context) {
  const Message& message = context.posting.outgoing;
  const TransferId transfer = matching_.post_send(channel_of(context), context.rank, message.bytes);
  if (order_ != nullptr) order_->acted(context.id);
  Transfer& t = matching_[transfer];
  t.detached = context.posting.detached;
  const bool eager =
      !is_synchronous(message.mode) && static_cast<double>(message.bytes) < model_.eager_below;
  if (t.receive_posted || eager) leave(transfer, context);
  if (context.posting.detached) {
    matching_.drop(transfer);
    return finish_posting(context, Request{});
  }
  finish_posting(context, {Request::Kind::send, transfer});
}

void MessagePassing::post_receive(ExecutionContext& context) {
  const TransferId transfer = matching_.post_receive(channel_of(context));
  if (order_ != nullptr) order_->acted(context.id);
  const Transfer& t = matching_[transfer];
  if (t.send_posted && !t.left) leave(transfer, context);
  if (t.left && !t.arrived) network_.receive_posted(t.flight, contexts_.now());
  finish_posting(context, {Request::Kind::receive, transfer});
}

void MessagePassing::leave(TransferId id, const ExecutionContext& by) {
  if (order_ != nullptr) order_->message_left(by.id);
  Transfer& t = matching_[id];
  t.left = true;
  t.started = contexts_.now();
  t.flight = network_.start(contexts_.host(t.sender), contexts_.host(t.channel.destination),
                            static_cast<double>(t.bytes), id, contexts_.now());
}

void MessagePassing::finish_posting(ExecutionContext& context, const Request& request) {
  if (poster_ != nullptr) return poster_->posted(context.id, request);
  started(context, request);
}

void MessagePassing::started(ExecutionContext& context, const Request& request) {
  const Message& message = context.posting.outgoing;
  if (message.blocking) return requests_.wait_for(context, request);
  if (message.serial != kRequestNone) {
    requests_.add(context.rank, message.serial, request);
  } else {
    context.outstanding.push_back(request);
  }
}

}  // namespace slackline::sim

// Scalasca's patterns of messages. A receive, or the wait for it, that begins before its send has a
// late sender; a send, or its wait, that is still under way when its receive is posted has a late
// receiver. What a call waits for is charged once, for the message that made it wait longest; a
// late sender comes first where the protocol is not known: a call that receives, too, lasts for
// that, and shows nothing of its sends. So, as in Scalasca, MPI_Sendrecv has no late receiver by
// the overlap alone; where the eager threshold is known, it has.
//
// Wrong order: a message that is taken now, but was sent before that of a late sender that this
// rank waited for earlier. Had they been taken in the order of sending, that wait would have been
// shorter. As in Scalasca the last 100 late senders are looked through, each is found wrong once.
// Few messages need the look: those sent before the latest of them.

#include "analysis/waits/message_waits.h"

#include <algorithm>
#include <limits>

namespace slackline {
namespace {

constexpr std::size_t kRemembered = 100;

}  // namespace

bool can_wait(Operation operation) {
  switch (operation_class(operation)) {
    case OperationClass::recv:
    case OperationClass::send:
    case OperationClass::sendrecv:
      return true;
    case OperationClass::probe:
      return operation == Operation::probe || operation == Operation::mprobe;
    case OperationClass::completion:
      return operation == Operation::wait || operation == Operation::waitall ||
             operation == Operation::waitany || operation == Operation::waitsome;
    default:
      return false;
  }
}

MessageWaits::MessageWaits(const Trace& trace, const CallMatching& matching,
                           const WaitOptions& options, std::int32_t rank,
                           std::vector<WaitState>& states)
    : trace_(trace), matching_(matching), options_(options), rank_(rank), states_(states) {}

std::int64_t MessageWaits::sent_ns(const MessageCalls& m) const {
  const std::int64_t begin = trace_.calls(m.source).begin_ns(m.send);
  return options_.sends == nullptr ? begin : begin + options_.sends->offset_ns(m.source, m.send);
}

void MessageWaits::incoming(CallIndex call, std::uint32_t id) {
  const MessageCalls& m = matching_.message(id);
  const RankCalls& mine = trace_.calls(rank_);
  const std::int64_t sent = trace_.calls(m.source).begin_ns(m.send);
  const std::int64_t exit = mine.end_ns(call);
  note_order(m);
  if (sent > exit) {
    ++clipped_;
    clipped_ns_ += sent - exit;
  }
  const std::int64_t wait = std::min(sent, exit) - mine.begin_ns(call);
  if (wait <= late_sender_.wait_ns || !can_wait(mine.operation(call))) return;
  late_sender_ = {.wait_ns = wait,
                  .rank = rank_,
                  .call = call,
                  .cause_rank = m.source,
                  .cause_call = m.send,
                  .pattern = WaitPattern::late_sender};
  late_sent_ns_ = sent_ns(m);
}

/// 0 when the sender did not wait.
std::int64_t MessageWaits::late_receiver_ns(const MessageCalls& m) const {
  if (!sender_waited(trace_, m)) return 0;
  if (options_.eager_bytes && m.bytes <= *options_.eager_bytes && m.synchronous == 0) return 0;
  const RankCalls& mine = trace_.calls(rank_);
  const Operation done = mine.operation(m.send_done);
  if (!can_wait(done)) return 0;
  // MPI_Sendrecv receives, too: that it lasts tells nothing of its send.
  const bool receives = operation_class(done) == OperationClass::sendrecv;
  if (receives && !options_.eager_bytes) return 0;
  return trace_.calls(m.destination).begin_ns(m.receive) - mine.begin_ns(m.send_done);
}

void MessageWaits::outgoing(CallIndex call, std::uint32_t id) {
  const MessageCalls& m = matching_.message(id);
  const std::int64_t wait = late_receiver_ns(m);
  if (wait <= late_receiver_.wait_ns) return;
  late_receiver_ = {.wait_ns = wait,
                    .rank = rank_,
                    .call = call,
                    .cause_rank = m.destination,
                    .cause_call = m.receive,
                    .pattern = WaitPattern::late_receiver};
  receiver_is_known_ = options_.eager_bytes.has_value() || m.synchronous != 0;
}

const WaitState& MessageWaits::longest() const {
  if (late_sender_.wait_ns <= 0) return late_receiver_;
  const bool receiver = receiver_is_known_ && late_receiver_.wait_ns > late_sender_.wait_ns;
  return receiver ? late_receiver_ : late_sender_;
}

bool MessageWaits::finish_call(std::int64_t others_ns) {
  const WaitState& state = longest();
  const bool waited = state.wait_ns > others_ns;
  if (waited) {
    if (&state == &late_sender_) remember();
    states_.push_back(state);
  }
  late_sender_ = {};
  late_receiver_ = {};
  return waited;
}

void MessageWaits::remember() {
  if (remembered_.size() == kRemembered) remembered_.erase(remembered_.begin());
  if (remembered_.empty()) latest_sent_ns_ = std::numeric_limits<std::int64_t>::min();
  remembered_.push_back({states_.size(), late_sent_ns_});
  latest_sent_ns_ = std::max(latest_sent_ns_, late_sent_ns_);
}

void MessageWaits::note_order(const MessageCalls& m) {
  if (remembered_.empty()) return;
  const std::int64_t sent = sent_ns(m);
  if (sent >= latest_sent_ns_) return;
  std::erase_if(remembered_, [&](const LateSender& late) {
    if (sent >= late.sent_ns) return false;
    WaitState& s = states_[late.state];
    s.order = s.cause_rank == m.source ? MessageOrder::wrong_same_source
                                       : MessageOrder::wrong_different_source;
    return true;
  });
  latest_sent_ns_ = std::numeric_limits<std::int64_t>::min();
  for (const LateSender& late : remembered_) {
    latest_sent_ns_ = std::max(latest_sent_ns_, late.sent_ns);
  }
}

}  // namespace slackline

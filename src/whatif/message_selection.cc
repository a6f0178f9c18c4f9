// Finding both sides of the selected messages.
//
// A message is selected by its sender's call, and its receive follows from the matching of the
// trace (calls/call_matching.h). Most calls send or receive one message, so a bit for either half
// tells all. A start call starts several requests: there the requests' serials tell which are
// meant; of receives with one source, tag and communicator in one call the first that is left is
// the next message's, as MPI matches them.

#include "whatif/message_selection.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "calls/call_actions.h"
#include "calls/run_span.h"
#include "whatif/selection.h"

namespace slackline {
namespace {

/// The arguments beside those of Selection.
class Filter {
 public:
  Filter(const Edit& edit, const Trace& trace)
      : min_bytes_(edit.bytes("min-bytes").value_or(0)),
        max_bytes_(edit.bytes("max-bytes").value_or(std::numeric_limits<std::uint64_t>::max())),
        tag_(edit.integer("tag")),
        comm_(edit.integer("comm")) {
    if (const std::string* word = edit.find("operation")) {
      operation_ = operation_from_identifier(*word);
      if (!operation_ || !may_send(operation_class(*operation_))) {
        refuse(edit, "operation", "it is not a send operation",
               "Examples: send, isend or sendrecv.");
      }
    }
    if (const auto listed = edit.ranks("to-ranks")) {
      receivers_.assign(static_cast<std::size_t>(trace.ranks()), false);
      for (const std::int32_t rank : *listed) {
        require_rank(edit, "to-ranks", rank, trace);
        receivers_[static_cast<std::size_t>(rank)] = true;
      }
    }
  }

  bool takes(const Call& call, const PostedMessage& p) const {
    return p.bytes >= min_bytes_ && p.bytes <= max_bytes_ && (!tag_ || *tag_ == p.tag) &&
           (!comm_ || *comm_ == std::int64_t{p.comm}) &&
           (!operation_ || *operation_ == call.operation) &&
           (receivers_.empty() || receivers_[static_cast<std::size_t>(p.peer)]);
  }

 private:
  std::uint64_t min_bytes_, max_bytes_;
  std::optional<std::int64_t> tag_, comm_;
  std::optional<Operation> operation_{};
  std::vector<bool> receivers_{};
};

}  // namespace

MessageSelection::MessageSelection(const Edit& edit, const ProgramView& program,
                                   const CallPaths& paths) {
  const Trace& trace = program.trace;
  const Filter filter(edit, trace);
  const Selection where(edit, program, paths);
  const CallMatching matching(trace);
  const std::int64_t zero_ns = run_span(trace).analysed.begin_ns;
  const auto ranks = static_cast<std::size_t>(trace.ranks());
  halves_.resize(ranks);
  requests_.resize(ranks);
  sent_.resize(ranks);
  completed_.resize(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    halves_[r].resize(trace.calls(static_cast<std::int32_t>(r)).size());
  }
  std::uint32_t id = 0;  // messages are numbered by sender, in the order of sending
  for (std::int32_t rank = 0; rank < trace.ranks(); ++rank) {
    const RankCalls& calls = trace.calls(rank);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!may_send(operation_class(calls.operation(i)))) continue;
      const Call call = calls[i];
      for_each_send(call, [&](const PostedMessage& p) {
        if (p.peer < 0 || p.peer >= trace.ranks()) return;
        const MessageCalls& message = matching.message(id++);
        if (!filter.takes(call, p)) return;
        const PathId path = paths.at_call(rank, static_cast<std::uint32_t>(i));
        if (where.has_call(rank, path, call.frame, call.begin_ns - zero_ns)) {
          select(trace, message, p.tag, p.comm, p.request);
        }
      });
    }
  }
  for (auto& volumes : completed_) std::ranges::sort(volumes, {}, &Volume::call);
}

void MessageSelection::select(const Trace& trace, const MessageCalls& message, std::int32_t tag,
                              std::uint32_t comm, std::uint32_t request) {
  ++count_;
  mark(message.source, message.send, kSends, request);
  sent_[static_cast<std::size_t>(message.source)].push_back({message.send, message.bytes});
  if (!message.matched()) return;
  mark(message.destination, message.receive, kReceives, receive_request(trace, message, tag, comm));
  if (message.receive_done == kNoCall) return;
  completed_[static_cast<std::size_t>(message.destination)].push_back(
      {message.receive_done, message.bytes});
}

void MessageSelection::mark(std::int32_t rank, CallIndex call, std::uint8_t half,
                            std::uint32_t request) {
  halves_[static_cast<std::size_t>(rank)][call] |= half;
  if (request != kRequestNone) requests_[static_cast<std::size_t>(rank)].insert(request);
}

std::uint32_t MessageSelection::receive_request(const Trace& trace, const MessageCalls& message,
                                                std::int32_t tag, std::uint32_t comm) const {
  std::uint32_t request = kRequestNone;
  for_each_receive(trace.calls(message.destination)[message.receive], [&](const PostedMessage& p) {
    const bool taken = has_request(message.destination, p.request);
    const bool same = p.peer == message.source && p.tag == tag && p.comm == comm;
    if (request == kRequestNone && same && !taken) request = p.request;
  });
  return request;
}

namespace {

template <class Volumes>
std::uint64_t bytes_at(const Volumes& volumes, std::size_t call) {
  const auto at = std::ranges::equal_range(volumes, static_cast<std::uint32_t>(call), {},
                                           [](const auto& v) { return v.call; });
  std::uint64_t bytes = 0;
  for (const auto& v : at) bytes += v.bytes;
  return bytes;
}

}  // namespace

std::uint64_t MessageSelection::bytes_sent(std::int32_t rank, std::size_t call) const {
  return bytes_at(sent_[static_cast<std::size_t>(rank)], call);
}

std::uint64_t MessageSelection::bytes_completed(std::int32_t rank, std::size_t call) const {
  return bytes_at(completed_[static_cast<std::size_t>(rank)], call);
}

}  // namespace slackline

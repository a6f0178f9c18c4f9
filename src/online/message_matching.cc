#include "online/message_matching.h"

#include <algorithm>

namespace slackline::online {
namespace {

bool accepts(const PostedReceive& receive, const SentMessage& message) {
  return (receive.source == kPeerAny || receive.source == message.source) &&
         (receive.tag == kTagAny || receive.tag == message.tag);
}

}  // namespace

MessageMatching::Match MessageMatching::post_send(std::int32_t destination, std::uint32_t comm,
                                                  const SentMessage& message) {
  Queues& queues = queues_[{destination, comm}];
  const auto found = std::ranges::find_if(
      queues.receives, [&](const auto& posted) { return accepts(posted.item, message); });
  if (found == queues.receives.end()) {
    queues.messages.push_back({++last_number_, message});
    return {.number = last_number_};
  }
  const Match match{.number = found->number, .receive = found->item};
  queues.receives.erase(found);
  return match;
}

MessageMatching::Match MessageMatching::post_receive(std::uint32_t comm,
                                                     const PostedReceive& receive) {
  Queues& queues = queues_[{receive.rank, comm}];
  const auto found = std::ranges::find_if(
      queues.messages, [&](const auto& sent) { return accepts(receive, sent.item); });
  if (found == queues.messages.end()) {
    queues.receives.push_back({++last_number_, receive});
    return {.number = last_number_};
  }
  const Match match{.number = found->number, .message = found->item};
  queues.messages.erase(found);
  return match;
}

std::optional<SentMessage> MessageMatching::find(std::uint32_t comm,
                                                 const PostedReceive& receive) const {
  const auto queues = queues_.find({receive.rank, comm});
  if (queues == queues_.end()) return std::nullopt;
  const auto found = std::ranges::find_if(
      queues->second.messages, [&](const auto& sent) { return accepts(receive, sent.item); });
  if (found == queues->second.messages.end()) return std::nullopt;
  return found->item;
}

}  // namespace slackline::online

#include "online/message_matching.h"

#include <algorithm>

#include "trace/online_wire.h"

namespace slackline::online {
namespace {

bool accepts(const PostedReceive& receive, const SentMessage& message) {
  const bool any_tag = receive.tag == kTagAny && message.tag < SLK_ONLINE_OWN_TAGS;
  return (receive.source == kPeerAny || receive.source == message.source) &&
         (any_tag || receive.tag == message.tag);
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

std::int64_t MessageMatching::cancel_receive(std::uint32_t comm, const PostedReceive& receive) {
  std::deque<Numbered<PostedReceive>>& posted = queues_[{receive.rank, comm}].receives;
  const auto found = std::ranges::find_if(
      posted, [&](const auto& other) { return other.item.request == receive.request; });
  if (found == posted.end()) return 0;
  const std::int64_t number = found->number;
  posted.erase(found);
  return number;
}

std::int64_t MessageMatching::cancel_send(std::int32_t destination, std::uint32_t comm,
                                          std::uint64_t data) {
  std::deque<Numbered<SentMessage>>& sent = queues_[{destination, comm}].messages;
  const auto found =
      std::ranges::find_if(sent, [&](const auto& message) { return message.item.data == data; });
  if (found == sent.end()) return 0;
  const std::int64_t number = found->number;
  sent.erase(found);
  return number;
}

MessageChannel MessageMatching::as_asked_for(MessageChannel channel) const {
  const auto queues = queues_.find({channel.destination, channel.comm});
  if (queues == queues_.end()) return channel;
  const auto look_in = [&](const auto& queue) {
    for (const auto& [number, item] : queue) {
      if (number != channel.tag) continue;
      channel.source = item.source;
      channel.tag = item.tag;
      return true;
    }
    return false;
  };
  if (!look_in(queues->second.receives)) look_in(queues->second.messages);
  return channel;
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

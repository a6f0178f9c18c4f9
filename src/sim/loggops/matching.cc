#include "sim/loggops/matching.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/units.h"

namespace slackline {
namespace {

constexpr std::uint64_t kShown = 3;

}  // namespace

LogGOPSMatching::LogGOPSMatching(const GoalProgram& program) {
  for (const GoalRank& rank : program.ranks) {
    bool wildcards = false;
    for (std::uint32_t i = 0; i < rank.size() && !wildcards; ++i) {
      wildcards =
          rank.kind(i) == GoalKind::recv && (rank.peer(i) == kGoalAny || rank.tag(i) == kGoalAny);
    }
    has_wildcards_.push_back(wildcards ? 1 : 0);
  }
}

MessageChannel LogGOPSMatching::channel(std::uint32_t rank, std::uint32_t source,
                                        std::uint32_t tag) {
  return {.source = static_cast<std::int32_t>(source),
          .destination = static_cast<std::int32_t>(rank),
          .tag = tag};
}

void LogGOPSMatching::wait(MessageId id, std::uint32_t operation) {
  queues_[id].number = next_number_++;
  queues_[id].operation = operation;
}

std::uint32_t LogGOPSMatching::end_wait(MessageId id) {
  const std::uint32_t operation = queues_[id].operation;
  queues_.drop_whole(id);
  return operation;
}

/// A wildcard searches all queues; receives with wildcards are few.
MessageId LogGOPSMatching::oldest_unexpected(const MessageChannel& wanted) const {
  const auto any = static_cast<std::int32_t>(kGoalAny);
  MessageId best = kNoMessage;
  queues_.for_each_queue([&](MessageId id) {
    const Waiting& first = queues_[id];
    const MessageChannel& c = first.channel;
    const bool fits = c.destination == wanted.destination && first.send_posted &&
                      (wanted.source == any || c.source == wanted.source) &&
                      (wanted.tag == kGoalAny || c.tag == wanted.tag);
    if (fits && (best == kNoMessage || first.number < queues_[best].number)) best = id;
  });
  return best;
}

/// On the message's own channel, and those of receives with wildcards.
MessageId LogGOPSMatching::oldest_receive(const MessageChannel& sent) const {
  MessageChannel any_source = sent;
  any_source.source = static_cast<std::int32_t>(kGoalAny);
  MessageChannel any_tag = sent;
  any_tag.tag = kGoalAny;
  MessageChannel anything = any_source;
  anything.tag = kGoalAny;
  MessageId best = kNoMessage;
  for (const MessageChannel& c : {sent, any_source, any_tag, anything}) {
    const MessageId id = queues_.first_receive(c);
    if (id == kNoMessage) continue;
    if (best == kNoMessage || queues_[id].number < queues_[best].number) best = id;
  }
  return best;
}

LogGOPSMatching::Arrival LogGOPSMatching::post(std::uint32_t rank, std::uint32_t operation,
                                               const GoalOperation& receive) {
  const MessageChannel wanted = channel(rank, receive.peer, receive.tag);
  const auto arrival = [this](MessageId id) {
    const auto source = static_cast<std::uint32_t>(queues_[id].channel.source);
    return Arrival{source, end_wait(id), true};
  };
  if (receive.peer == kGoalAny || receive.tag == kGoalAny) {
    if (const MessageId sent = oldest_unexpected(wanted); sent != kNoMessage) {
      queues_.remove(sent);
      return arrival(sent);
    }
  }
  const MessageId id = queues_.post_receive(wanted);
  if (queues_[id].send_posted) return arrival(id);
  wait(id, operation);
  return {};
}

std::uint32_t LogGOPSMatching::arrive(std::uint32_t rank, std::uint32_t source, std::uint32_t send,
                                      const GoalOperation& sent) {
  const MessageChannel on = channel(rank, source, sent.tag);
  if (has_wildcards_[rank] != 0) {
    if (const MessageId posted = oldest_receive(on); posted != kNoMessage) {
      queues_.remove(posted);
      return end_wait(posted);
    }
  }
  const MessageId id = queues_.post_send(on);
  if (queues_[id].receive_posted) return end_wait(id);
  wait(id, send);
  return kNone;
}

void LogGOPSMatching::require_empty(std::string_view name) const {
  std::vector<MessageId> left;
  queues_.for_each_queued([&left](MessageId id) { left.push_back(id); });
  if (left.empty()) return;
  std::ranges::sort(left);
  std::uint64_t receives = 0;
  std::uint64_t shown = 0;
  std::string examples;
  const auto or_any = [](std::uint32_t value) {
    return value == kGoalAny ? std::string("any") : std::to_string(value);
  };
  for (const MessageId id : left) {
    const Waiting& w = queues_[id];
    if (w.receive_posted) ++receives;
    if (shown++ >= kShown) continue;
    examples += fmt::format("{}rank {} {} from rank {} with tag {}", examples.empty() ? "" : "; ",
                            w.channel.destination,
                            w.receive_posted ? "waits for a message" : "never received the message",
                            or_any(static_cast<std::uint32_t>(w.channel.source)),
                            or_any(static_cast<std::uint32_t>(w.channel.tag)));
  }
  throw Error(
      fmt::format("the messages of '{}' do not match", name),
      fmt::format("{} and {} without partner: {}{}", count_of(left.size() - receives, "send"),
                  count_of(receives, "receive"), examples, shown > kShown ? "; ..." : ""),
      "Check ranks and tags, and that the file is complete.");
}

}  // namespace slackline

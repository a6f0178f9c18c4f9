#include "sim/loggops/matching.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"

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

void LogGOPSMatching::push(const Key& key, std::uint32_t operation) {
  std::uint32_t id = 0;
  if (free_.empty()) {
    id = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
  }
  waiting_[id] = {next_number_++, key.rank, key.source, key.tag, operation, kNone, key.receive};
  Queue& queue = queues_[key];
  (queue.head == kNone ? queue.head : waiting_[queue.tail].next) = id;
  queue.tail = id;
  ++waiting_count_;
}

std::uint32_t LogGOPSMatching::pop(const Key& key) {
  Queue* queue = queues_.find(key);
  if (queue == nullptr) return kNone;
  const std::uint32_t id = queue->head;
  const std::uint32_t operation = waiting_[id].operation;
  queue->head = waiting_[id].next;
  if (queue->head == kNone) queues_.erase(key);
  free_.push_back(id);
  --waiting_count_;
  return operation;
}

const LogGOPSMatching::Waiting* LogGOPSMatching::front(const Key& key) {
  const Queue* queue = queues_.find(key);
  return queue == nullptr ? nullptr : &waiting_[queue->head];
}

/// A wildcard searches all queues; receives with wildcards are few.
LogGOPSMatching::Key LogGOPSMatching::oldest_unexpected(std::uint32_t rank, std::uint32_t source,
                                                        std::uint32_t tag) {
  Key best{rank, source, tag, false};
  std::uint64_t best_number = std::numeric_limits<std::uint64_t>::max();
  queues_.for_each([&](const Key& key, const Queue& queue) {
    const bool fits = key.rank == rank && !key.receive &&
                      (source == kGoalAny || key.source == source) &&
                      (tag == kGoalAny || key.tag == tag);
    if (!fits || waiting_[queue.head].number >= best_number) return;
    best_number = waiting_[queue.head].number;
    best = key;
  });
  return best;
}

LogGOPSMatching::Arrival LogGOPSMatching::post(std::uint32_t rank, std::uint32_t operation,
                                               const GoalOperation& receive) {
  Key key{rank, receive.peer, receive.tag, false};
  if (receive.peer == kGoalAny || receive.tag == kGoalAny) {
    key = oldest_unexpected(rank, receive.peer, receive.tag);
  }
  const std::uint32_t send = pop(key);
  if (send != kNone) return {key.source, send, true};
  push({rank, receive.peer, receive.tag, true}, operation);
  return {};
}

std::uint32_t LogGOPSMatching::arrive(std::uint32_t rank, std::uint32_t source, std::uint32_t send,
                                      const GoalOperation& sent) {
  Key best{rank, source, sent.tag, true};
  if (has_wildcards_[rank] != 0) {
    std::uint64_t oldest = std::numeric_limits<std::uint64_t>::max();
    const Key keys[] = {best,
                        {rank, kGoalAny, sent.tag, true},
                        {rank, source, kGoalAny, true},
                        {rank, kGoalAny, kGoalAny, true}};
    for (const Key& key : keys) {
      const Waiting* first = front(key);
      if (first == nullptr || first->number >= oldest) continue;
      oldest = first->number;
      best = key;
    }
  }
  const std::uint32_t receive = pop(best);
  if (receive == kNone) push({rank, source, sent.tag, false}, send);
  return receive;
}

void LogGOPSMatching::require_empty(std::string_view name) const {
  if (waiting_count_ == 0) return;
  std::vector<char> is_free(waiting_.size(), 0);
  for (const std::uint32_t id : free_) is_free[id] = 1;
  std::uint64_t receives = 0;
  std::uint64_t shown = 0;
  std::string examples;
  const auto or_any = [](std::uint32_t value) {
    return value == kGoalAny ? std::string("any") : std::to_string(value);
  };
  for (std::size_t id = 0; id < waiting_.size(); ++id) {
    if (is_free[id] != 0) continue;
    const Waiting& w = waiting_[id];
    if (w.receive) ++receives;
    if (shown++ >= kShown) continue;
    examples += fmt::format("{}rank {} {} from rank {} with tag {}", examples.empty() ? "" : "; ",
                            w.rank, w.receive ? "waits for a message" : "never took the message",
                            or_any(w.source), or_any(w.tag));
  }
  throw Error(
      fmt::format("the messages of '{}' do not match", name),
      fmt::format("{} sends and {} receives have no partner: {}{}", waiting_count_ - receives,
                  receives, examples, shown > kShown ? "; ..." : ""),
      "Check ranks and tags; is the file whole?");
}

}  // namespace slackline

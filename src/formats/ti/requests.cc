#include "formats/ti/requests.h"

#include <algorithm>

namespace slackline::ti {
namespace {

// A table that has grown beyond this is given up with its contents: to look through it for a few
// would cost more than to let it grow again.
constexpr std::size_t kFewNames = 64;

}  // namespace

void Requests::start(const Name& name, std::uint32_t serial) {
  if (!many_ && few_.size() < kFew) return few_.push_back({name, serial});
  many_ = true;
  for (const Named& one : few_) start_among_many(one.name, one.serial);
  few_.clear();
  start_among_many(name, serial);
}

std::optional<std::uint32_t> Requests::take(const Name& name) {
  if (many_) return take_among_many(name);
  const auto found = std::ranges::find(few_, name, &Named::name);
  if (found == few_.end()) return std::nullopt;
  const std::uint32_t serial = found->serial;
  few_.erase(found);
  return serial;
}

void Requests::take_all(std::vector<std::int64_t>& serials) {
  names_.clear();
  if (many_) return take_many(serials);
  for (std::uint32_t i = 0; i < few_.size(); ++i) names_.emplace_back(few_[i].name, i);
  std::ranges::sort(names_);
  for (const auto& [name, i] : names_) serials.push_back(few_[i].serial);
  few_.clear();
}

void Requests::start_among_many(const Name& name, std::uint32_t serial) {
  auto at = static_cast<std::uint32_t>(started_.size());
  if (free_.empty()) {
    started_.push_back({serial, kNone});
  } else {
    at = free_.back();
    free_.pop_back();
    started_[at] = {serial, kNone};
  }
  Queue& queue = queues_[name];
  if (queue.oldest == kNone) {
    queue.oldest = at;
  } else {
    started_[queue.newest].next = at;
  }
  queue.newest = at;
  most_names_ = std::max(most_names_, queues_.size());
}

std::optional<std::uint32_t> Requests::take_among_many(const Name& name) {
  Queue* queue = queues_.find(name);
  if (queue == nullptr) return std::nullopt;
  const std::uint32_t at = queue->oldest;
  queue->oldest = started_[at].next;
  if (queue->oldest == kNone) queues_.erase(name);
  free_.push_back(at);
  many_ = queues_.size() > 0;
  return started_[at].serial;
}

void Requests::take_many(std::vector<std::int64_t>& serials) {
  queues_.for_each(
      [&](const Name& name, const Queue& queue) { names_.emplace_back(name, queue.oldest); });
  std::ranges::sort(names_);
  for (const auto& [name, oldest] : names_) {
    for (std::uint32_t at = oldest; at != kNone; at = started_[at].next) {
      serials.push_back(started_[at].serial);
    }
    if (most_names_ <= kFewNames) queues_.erase(name);
  }
  started_.clear();
  free_.clear();
  if (most_names_ > kFewNames) queues_ = {};
  most_names_ = 0;
  many_ = false;
}

}  // namespace slackline::ti

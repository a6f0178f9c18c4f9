#include "sim/network/slowed_messages.h"

#include <algorithm>
#include <tuple>

namespace slackline {
namespace {

/// The order in which people want to see them.
bool comes_first(const SlowedMessage& a, const SlowedMessage& b) {
  const double a_lost = a.lost(), b_lost = b.lost();
  return std::tie(b_lost, a.began, a.sender, a.receiver) <
         std::tie(a_lost, b.began, b.sender, b.receiver);
}

}  // namespace

void CostliestLink::add(LinkId link, double lost) {
  if (link == link_) {
    lead_ += lost;
  } else if (lost <= lead_) {
    lead_ -= lost;
  } else {
    link_ = link;
    lead_ = lost - lead_;
  }
}

void SlowedMessages::add(const SlowedMessage& message) {
  if (kept_.size() == most_) {
    std::ranges::pop_heap(kept_, comes_first);
    kept_.pop_back();
  }
  kept_.push_back(message);
  std::ranges::push_heap(kept_, comes_first);
}

std::vector<SlowedMessage> SlowedMessages::sorted() const {
  std::vector<SlowedMessage> messages = kept_;
  std::ranges::sort(messages, comes_first);
  return messages;
}

}  // namespace slackline

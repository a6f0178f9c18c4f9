#include "sim/network/link_usage.h"

#include <algorithm>
#include <tuple>

namespace slackline {
namespace {

constexpr std::size_t kMostStripLinks = 1 << 16;
constexpr double kNothing = 1e-9;

}  // namespace

LinkUsage::LinkUsage(const Platform& platform)
    : bytes_(platform.link_count()), lost_(platform.link_count()) {
  if (platform.link_count() <= kMostStripLinks)
    by_stretch_.resize(platform.link_count() * kStretches);
}

std::span<const float> LinkUsage::stretches(LinkId link) const {
  if (by_stretch_.empty()) return {};
  return {by_stretch_.data() + link * kStretches, kStretches};
}

void LinkUsage::grow(double until) {
  while (until > stretch_ * static_cast<double>(kStretches)) {
    stretch_ *= 2;
    for (std::size_t link = 0; link * kStretches < by_stretch_.size(); ++link) {
      float* s = by_stretch_.data() + link * kStretches;
      for (std::size_t i = 0; i < kStretches; ++i) {
        s[i] = i < kStretches / 2 ? s[2 * i] + s[2 * i + 1] : 0;
      }
    }
  }
}

void LinkUsage::add(std::span<const LinkShare> shares, double rate, double bound, LinkId bottleneck,
                    double from, double to) {
  const double seconds = to - from;
  if (seconds <= 0) return;
  for (const LinkShare& share : shares) bytes_[share.link] += share.weight * rate * seconds;
  const bool slowed = bottleneck != kNoLink && rate < bound * (1 - kNothing);
  if (slowed) lost_[bottleneck] += (1 - rate / bound) * seconds;
  if (by_stretch_.empty()) return;
  grow(to);
  const auto first = static_cast<std::size_t>(from / stretch_);
  const auto last = std::min(static_cast<std::size_t>(to / stretch_), kStretches - 1);
  for (std::size_t i = first; i <= last; ++i) {
    const double begin = std::max(from, static_cast<double>(i) * stretch_);
    const double end = i == last ? to : static_cast<double>(i + 1) * stretch_;
    if (end <= begin) continue;
    for (const LinkShare& share : shares) {
      by_stretch_[share.link * kStretches + i] +=
          static_cast<float>(share.weight * rate * (end - begin));
    }
  }
}

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

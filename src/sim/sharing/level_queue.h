#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sim/platform/platform.h"

namespace slackline {

/// The levels at which links are to be visited, of which the lowest is wanted again and again while
/// others move up and down: a tournament tree, in which each node holds the lower level of its two
/// children. Of equal levels the link with the lower id comes first. Only links that were added
/// take part, so that few of many cost little. Cost: add() is O(1) amortised; set() climbs as far
/// as it changes something, at most O(log n) in the n links and little on average; clear() and
/// restore() are O(n); all else is O(1).
class LevelQueue {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  /// The slot of a link: 0 for the first that was added, and so on.
  using Slot = std::uint32_t;

  /// Adds a link that is not in the queue; its level is kNever.
  Slot add(LinkId link) {
    if (links_.size() == leaves_) grow();
    nodes_[leaves_ + links_.size()].link = link;
    links_.push_back(link);
    return static_cast<Slot>(links_.size() - 1);
  }
  /// The links in the queue, in the order of their slots.
  std::span<const LinkId> links() const { return links_; }
  /// Removes all links.
  void clear() {
    std::size_t begin = leaves_;
    std::size_t end = leaves_ + links_.size();
    for (; begin > 0; begin /= 2, end = (end + 1) / 2) {
      for (std::size_t i = begin; i < end; ++i) nodes_[i].level = kNever;
    }
    if (leaves_ > 1 && 4 * links_.size() < leaves_) leaves_ /= 2;
    links_.clear();
  }

  double level(Slot slot) const { return nodes_[leaves_ + slot].level; }
  /// As set(), but restore() must be called before lowest() and first(): for many links at once.
  void put(Slot slot, double level) { nodes_[leaves_ + slot].level = level; }
  void restore() {
    std::size_t begin = leaves_;
    std::size_t end = leaves_ + links_.size();
    while (begin > 1) {
      begin /= 2;
      end = (end + 1) / 2;
      for (std::size_t i = begin; i < end; ++i) nodes_[i] = lower(nodes_[2 * i], nodes_[2 * i + 1]);
    }
  }
  void set(Slot slot, double level) {
    std::size_t at = leaves_ + slot;
    nodes_[at].level = level;
    while (at > 1) {
      const Node winner = lower(nodes_[at], nodes_[at ^ 1]);
      at /= 2;
      if (nodes_[at].level == winner.level && nodes_[at].link == winner.link) return;
      nodes_[at] = winner;
    }
  }

  double lowest() const { return nodes_[1].level; }
  /// The link with the lowest level; meaningless when that is kNever.
  LinkId first() const { return nodes_[1].link; }

 private:
  struct Node {
    double level = kNever;
    LinkId link = 0;
  };

  static const Node& lower(const Node& a, const Node& b) {
    if (a.level != b.level) return a.level < b.level ? a : b;
    return a.link < b.link ? a : b;
  }

  /// Doubles the leaves. Unused leaves have the level kNever.
  void grow() {
    if (nodes_.size() < 4 * leaves_) nodes_.resize(4 * leaves_);
    const std::size_t before = std::exchange(leaves_, 2 * leaves_);
    for (std::size_t i = 0; i < before; ++i) nodes_[leaves_ + i] = nodes_[before + i];
    if (lowest() == kNever) return;
    for (std::size_t i = leaves_; --i > 0;) nodes_[i] = lower(nodes_[2 * i], nodes_[2 * i + 1]);
  }

  std::size_t leaves_ = 1;
  std::vector<Node> nodes_ =
      std::vector<Node>(2);    ///< the root is 1, the children of node i are 2 i and 2 i + 1
  std::vector<LinkId> links_;  ///< by slot
};

}  // namespace slackline

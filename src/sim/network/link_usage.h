#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/sharing/bandwidth_sharing.h"
#include "trace/operation.h"

namespace slackline {

/// Which messages used which link when: bytes by link and interval of time, and the seconds that
/// messages lost at each bottleneck. Intervals double in length when simulated time exceeds them,
/// so that memory depends on links alone. Cost of add(): O(shares * intervals covered).
class LinkUsage {
 public:
  static constexpr std::size_t kStretches = 128;

  explicit LinkUsage(const Platform& platform);

  /// A flow had `rate` from `from` to `to` seconds and could have had `bound`, in bytes per second.
  void add(std::span<const LinkShare> shares, double rate, double bound, LinkId bottleneck,
           double from, double to);

  double bytes(LinkId link) const { return bytes_[link]; }
  /// Message-seconds lost because this link was full: 1 - rate / bound, summed over time.
  double lost_seconds(LinkId link) const { return lost_[link]; }
  /// Bytes in each stretch; empty when the platform has too many links to keep them.
  std::span<const float> stretches(LinkId link) const;
  double stretch_seconds() const { return stretch_; }

 private:
  void grow(double until);

  std::vector<double> bytes_, lost_;
  std::vector<float> by_stretch_;  // kStretches a link
  double stretch_ = 1e-6;
};

/// A message that other messages on the network slowed down. Times in seconds.
struct SlowedMessage {
  std::int32_t sender = 0, receiver = 0;  ///< ranks of the world
  std::uint64_t bytes = 0;
  Operation within = Operation::send;  ///< a collective, or point to point
  double began = 0;
  double lasted = 0;
  double alone = 0;             ///< how long it lasts with the network for itself
  LinkId limited_by = kNoLink;  ///< which link cost it most; kNoLink: not known

  double lost() const { return lasted - alone; }
};

/// The link at which a message loses most time, found in one pass: Boyer and Moore's majority vote,
/// which is right where one link costs it more than all others together.
class CostliestLink {
 public:
  void add(LinkId link, double lost);
  LinkId link() const { return link_; }

 private:
  LinkId link_ = kNoLink;
  double lead_ = 0;  ///< of seconds lost
};

/// The messages that lost most time to others, among all that are added.
class SlowedMessages {
 public:
  /// Keeps `most` of them.
  explicit SlowedMessages(std::size_t most) : most_(most) {}

  /// Whether a message that lost this many seconds would be kept; most would not, and need no more
  /// work.
  bool wants(double lost) const {
    return kept_.size() < most_ || (most_ > 0 && lost > kept_.front().lost());
  }
  /// Keeps a message for which wants() was true. Cost: O(log most).
  void add(const SlowedMessage& message);
  /// All that are kept, the one that lost most first; of equal ones the earlier first.
  std::vector<SlowedMessage> sorted() const;

 private:
  std::size_t most_;
  std::vector<SlowedMessage> kept_;  ///< a heap, the one that lost least at its front
};

}  // namespace slackline

#pragma once

#include <cstdint>
#include <span>

namespace slackline {

/// A pass over the calls of a trace in causal order that finds when each begins, of a process's own
/// ranks. Where a call waits for a partner call of another rank that has not begun yet, its rank
/// stops there.
class ForwardPass {
 public:
  ForwardPass() = default;
  virtual ~ForwardPass() = default;
  ForwardPass(const ForwardPass&) = delete;
  ForwardPass& operator=(const ForwardPass&) = delete;

  /// Goes on as far as what is known of others allows.
  virtual void advance() = 0;
  virtual bool finished() const = 0;
  /// When an own rank's calls begin, as far as it is known.
  virtual std::span<const std::int64_t> begins_ns(std::int32_t rank) const = 0;
  /// When further partner calls of another rank begin.
  virtual void hear_of_others(std::int32_t rank, std::span<const std::int64_t> begins_ns) = 0;
};

}  // namespace slackline

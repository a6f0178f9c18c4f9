#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "calls/call_matching.h"
#include "replay/call_shape.h"

namespace slackline {

/// The steps of one rank's program, and the different calls in them.
class StepList {
 public:
  /// A call after this much computation. `polls` and `period_ns` only for shapes with
  /// SLK_REPLAY_POLLED.
  void add(CallIndex call, std::int64_t gap_ns, const CallShape& shape, std::uint64_t polls = 0,
           std::int64_t period_ns = 0);

  std::uint64_t size() const { return steps_.size(); }
  std::uint64_t shape_count() const { return shapes_.size(); }
  std::vector<CallIndex> calls() const;
  /// Shapes, the most frequent first since small numbers are short, then steps.
  void write(std::string& to) const;

 private:
  struct Step {
    CallIndex call;
    std::uint32_t shape;
    std::uint64_t gap;     // in units
    std::uint32_t polled;  // index + 1 into polls_, 0: none
  };
  struct Polls {
    std::uint64_t count;
    std::uint64_t period;
  };

  std::vector<Step> steps_;
  std::vector<Polls> polls_;
  std::vector<const std::string*> shapes_;
  std::vector<std::uint64_t> uses_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::int64_t rest_ns_ = 0;  // what rounding to units has left over so far
};

}  // namespace slackline

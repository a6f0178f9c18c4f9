#pragma once

#include <cstdint>

#include "calls/program_steps.h"
#include "trace/trace.h"

namespace slackline {

/// Writes one rank of an untimed program: calls take no time, but for input and output, and
/// computation lies between them.
class RankWriter {
 public:
  /// `from` is the rank's calls before the edit, whose hardware counters are not kept: they belong
  /// to computation that the edit may change.
  explicit RankWriter(RankCallsBuilder& to) : to_(to) {}

  /// The rank's program starts this long after the earliest rank's.
  void start(std::int64_t ns);
  /// Throws Error where the rank's program becomes longer than a trace may be.
  void compute(std::int64_t ns);
  /// That long, as `stretch` is: computation, or blocked.
  void compute_as(const Computation& stretch, std::int64_t ns);
  void pause(std::int64_t ns, PauseKind kind);
  void region(std::uint32_t region, bool enter);
  /// Its times are set here.
  void call(Call call);
  /// Keeps what was computed after the last call.
  void finish();
  /// The number that the next call gets.
  std::uint32_t next_call() const { return static_cast<std::uint32_t>(to_.size()); }

 private:
  RankCallsBuilder& to_;
  std::int64_t now_ns_ = 0;
};

/// The same program without the times of its calls: what a model makes of either is the same.
Trace untimed_copy(const Trace& trace);

}  // namespace slackline

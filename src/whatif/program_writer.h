#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "calls/call_paths.h"
#include "calls/program_steps.h"
#include "trace/samples.h"
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

/// Calls that one edit may add to a program, so that a wrong number does not fill the memory.
inline constexpr std::uint64_t kMostAddedCalls = 100'000'000;

/// rewrite(rank, index, call, writer): writes what comes in the place of a call, or nothing.
using CallRewrite = std::function<void(std::int32_t, std::size_t, Call, RankWriter&)>;
/// before(rank, event, writer): writes what comes before a region is entered or left.
using BeforeRegion = std::function<void(std::int32_t, const RegionEvent&, RankWriter&)>;

/// Copies a program with other calls. Ranks are written in several threads, each in order.
Program with_calls(const ProgramView& program, const CallPaths& paths, const CallRewrite& rewrite,
                   const BeforeRegion& before_region = {});

/// The call without what it says of requests that `dropped` holds for. `call.args` may refer to
/// `storage` then.
enum class Leftover : std::uint8_t { unchanged, changed, nothing };
Leftover without_requests(Call& call, std::vector<std::int64_t>& storage,
                          const std::function<bool(std::uint32_t)>& dropped);

}  // namespace slackline

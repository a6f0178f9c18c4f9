#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/call_tree.h"
#include "trace/trace.h"

namespace slackline {

/// Where a thread was found computing, or came back from being blocked.
struct Sample {
  std::int64_t time_ns;
  std::int64_t cpu_ns;        ///< time that it stands for: CPU time, or time blocked
  FrameId frame;              ///< innermost frame in Trace::call_tree(); 0 unknown
  std::uint32_t before_call;  ///< index of the first call of its rank after it
  std::uint16_t thread;
  bool blocked = false;

  bool operator==(const Sample&) const = default;
};

/// Samples of the ranks' computation, where a recording has them. Beside the Trace, as only who
/// asks where in the code ranks compute looks at them; they hold for all times that the trace is
/// given.
struct Samples {
  std::int64_t interval_ns = 0;  ///< CPU time from one to the next; 0: nothing was sampled
  /// By rank, ordered by before_call. Empty where nothing is known.
  std::vector<std::vector<Sample>> by_rank{};

  bool empty() const {
    return std::ranges::all_of(by_rank, [](const auto& rank) { return rank.empty(); });
  }
  std::span<const Sample> of(std::int32_t rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return r < by_rank.size() ? std::span<const Sample>(by_rank[r]) : std::span<const Sample>();
  }
  void set(std::int32_t rank, std::vector<Sample> samples) {
    const auto r = static_cast<std::size_t>(rank);
    if (r >= by_rank.size()) by_rank.resize(r + 1);
    by_rank[r] = std::move(samples);
  }
  /// The rank's calls have new numbers: `index` has them by the old ones, and one past the last.
  void renumber(std::int32_t rank, std::span<const std::uint32_t> index) {
    const auto r = static_cast<std::size_t>(rank);
    if (r >= by_rank.size()) return;
    for (Sample& sample : by_rank[r]) {
      sample.before_call = index[std::min<std::size_t>(sample.before_call, index.size() - 1)];
    }
  }
  /// Whether both say the same of every rank.
  bool same_as(const Samples& other) const {
    const auto ranks = static_cast<std::int32_t>(std::max(by_rank.size(), other.by_rank.size()));
    for (std::int32_t r = 0; r < ranks; ++r) {
      if (!std::ranges::equal(of(r), other.of(r))) return false;
    }
    return interval_ns == other.interval_ns;
  }
};

/// A program as edits see it: what its ranks do, and where samples found them computing (by the
/// numbers of its calls).
struct ProgramView {
  const Trace& trace;
  const Samples& samples;
};

/// The same, of its own.
struct Program {
  Trace trace;
  Samples samples{};

  ProgramView view() const { return {trace, samples}; }
};

}  // namespace slackline

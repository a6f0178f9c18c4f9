// What iterations cost, free of how much they do. A solver's inner loop makes as many rounds as it
// needs, and every tenth step writes output: the lengths of iterations differ although nothing
// became slower. So times are standardised, as rates are in statistics: each call with the
// computation before it is one of a kind (which call it is, which one it follows, and whether the
// iteration had that before: an inner loop's first round is not like the others), the mean time of
// a kind is taken in each iteration, and the sum over kinds with their usual number of
// calls is the iteration's time. A kind that an iteration lacks counts with its last time before.
// Kinds that most iterations lack are left out. Where every iteration makes the same calls, the
// standardised times are the measured ones.

#include "analysis/phases/loop_changes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/flat_map.h"
#include "calls/iterations.h"

namespace slackline {
namespace {

constexpr std::size_t kRare = 4;        // iterations for one that has calls of the kind
constexpr double kOfUsualKinds = 0.75;  // of the loop's time: else times are as they were

struct KindHash {
  std::uint64_t operator()(std::uint64_t key) const { return mix_bits(key); }
};

/// computation, communication, waiting
using Parts = std::array<double, 3>;

/// One rank's calls in a loop.
class LoopCalls {
 public:
  LoopCalls(const Trace& trace, const CallPaths& paths, std::span<const WaitState> waits,
            const std::vector<std::uint32_t>& first, std::int32_t rank)
      : calls_(trace.calls(rank)), first_(first), begin_(first.front()) {
    find_kinds(trace, paths, rank);
    find_parts(waits);
    count();
  }

  IterationTimes times() const {
    IterationTimes out;
    const bool standard = usual_share() >= kOfUsualKinds;
    out.computation = standard ? standardised(0) : sums(0);
    out.communication = standard ? standardised(1) : sums(1);
    out.waiting = standard ? standardised(2) : sums(2);
    out.without_processor = lost_;
    out.length = lost_;
    for (const std::size_t part : {0u, 1u, 2u}) {
      const std::vector<double> measured = sums(part);
      for (std::size_t k = 0; k < iterations(); ++k) out.length[k] += measured[k];
    }
    return out;
  }

 private:
  std::size_t iterations() const { return first_.size() - 1; }

  /// Failed tests and probes are part of what stands before them.
  void find_kinds(const Trace& trace, const CallPaths& paths, std::int32_t rank) {
    const CallRuns runs = call_runs(trace, paths, rank, CallDistinction::by_operation);
    const auto after = std::ranges::upper_bound(runs.runs, begin_, {}, &CallRun::first_call);
    auto run = after == runs.runs.begin() ? after : std::prev(after);
    const auto last = std::ranges::upper_bound(runs.runs, first_[1] - 1, {}, &CallRun::first_call);
    FlatMap<std::uint64_t, std::uint32_t, KindHash> numbers;
    std::uint64_t before = last == runs.runs.begin() ? 0 : std::prev(last)->kind;
    kind_.resize(first_.back() - begin_);
    std::vector<std::size_t> seen;  // by kind: the iteration in which it was seen
    std::size_t iteration = 0;
    for (std::uint32_t call = begin_; call < first_.back(); ++call) {
      while (std::next(run) != runs.runs.end() && std::next(run)->first_call <= call) ++run;
      if (call == first_[iteration]) ++iteration;
      if (calls_.has(call, SLK_FLAG_FAILED) && call > begin_) {
        kind_[call - begin_] = kind_[call - begin_ - 1];
        continue;
      }
      std::uint32_t& number = numbers[before << 32 | run->kind];
      if (number == 0) {
        number = kinds_ + 1;
        kinds_ += 2;
        seen.resize(kinds_);
      }
      const bool again = std::exchange(seen[number - 1], iteration) == iteration;
      kind_[call - begin_] = number - 1 + (again ? 1 : 0);
      before = run->kind;
    }
  }

  void find_parts(std::span<const WaitState> waits) {
    parts_.resize(kind_.size());
    for (std::uint32_t call = begin_; call < first_.back(); ++call) {
      parts_[call - begin_] = {static_cast<double>(calls_.gap_ns(call)),
                               static_cast<double>(calls_.end_ns(call) - calls_.begin_ns(call)), 0};
    }
    // Less what belongs to the time before the loop.
    const std::int64_t before =
        iteration_begin_ns(calls_, first_, 0) - (calls_.begin_ns(begin_) - calls_.gap_ns(begin_));
    parts_.front()[0] -= static_cast<double>(std::max<std::int64_t>(0, before));
    for (const WaitState& s : waits) {
      if (s.call < begin_ || s.call >= first_.back()) continue;
      parts_[s.call - begin_][1] -= static_cast<double>(s.wait_ns);
      parts_[s.call - begin_][2] += static_cast<double>(s.wait_ns);
    }
    lost_.resize(iterations());
    for (const Pause& p : calls_.pauses()) {
      if (p.kind != PauseKind::no_processor || p.before_call < begin_) continue;
      if (p.before_call >= first_.back()) break;
      double& computation = parts_[p.before_call - begin_][0];
      const double lost = std::min(computation, static_cast<double>(p.end_ns - p.begin_ns));
      computation -= lost;
      const auto after = std::ranges::upper_bound(first_, p.before_call);
      lost_[static_cast<std::size_t>(after - first_.begin()) - 1] += lost;
    }
  }

  void count() {
    calls_of_.resize(kinds_);
    iterations_of_.resize(kinds_);
    std::vector<std::size_t> seen(kinds_);
    for (std::size_t k = 0; k < iterations(); ++k) {
      for (std::size_t i = first_[k] - begin_; i < first_[k + 1] - begin_; ++i) {
        const std::uint32_t kind = kind_[i];
        if (is_first_of_kind(i)) ++calls_of_[kind];
        if (seen[kind] != k + 1) ++iterations_of_[kind];
        seen[kind] = k + 1;
      }
    }
  }
  bool is_first_of_kind(std::size_t i) const {
    return i == 0 || !calls_.has(begin_ + i, SLK_FLAG_FAILED);
  }
  bool usual(std::uint32_t kind) const { return kRare * iterations_of_[kind] >= iterations(); }

  double usual_share() const {
    double usual_time = 0;
    double all = 0;
    for (std::size_t i = 0; i < kind_.size(); ++i) {
      const double time = parts_[i][0] + parts_[i][1] + parts_[i][2];
      all += time;
      if (usual(kind_[i])) usual_time += time;
    }
    return all > 0 ? usual_time / all : 1;
  }

  std::vector<double> sums(std::size_t part) const {
    std::vector<double> out(iterations());
    for (std::size_t k = 0; k < iterations(); ++k) {
      for (std::size_t i = first_[k] - begin_; i < first_[k + 1] - begin_; ++i) {
        out[k] += parts_[i][part];
      }
    }
    return out;
  }

  std::vector<double> standardised(std::size_t part) const {
    struct CallKind {
      double sum = 0;
      std::size_t calls = 0;
      double last = 0;  // its share of an iteration's time
      bool known = false;
    };
    std::vector<CallKind> kinds(kinds_);
    std::vector<double> out(iterations());
    std::vector<std::uint32_t> touched;
    std::vector<double> lacked(iterations());  // in all iterations before
    double now = 0;
    for (std::size_t k = 0; k < iterations(); ++k) {
      touched.clear();
      for (std::size_t i = first_[k] - begin_; i < first_[k + 1] - begin_; ++i) {
        if (!usual(kind_[i])) continue;
        CallKind& kind = kinds[kind_[i]];
        if (kind.calls == 0) touched.push_back(kind_[i]);
        if (is_first_of_kind(i)) ++kind.calls;
        kind.sum += parts_[i][part];
      }
      for (const std::uint32_t t : touched) {
        CallKind& kind = kinds[t];
        const double number = static_cast<double>(calls_of_[t]) / static_cast<double>(iterations());
        const double time = kind.sum / static_cast<double>(std::max<std::size_t>(1, kind.calls));
        if (!kind.known) lacked[k] += number * time;
        now += number * time - kind.last;
        kind = {.last = number * time, .known = true};
      }
      out[k] = now;
    }
    double before = 0;
    for (std::size_t k = iterations(); k-- > 0;) {
      out[k] = std::max(0.0, out[k] + before);
      before += lacked[k];
    }
    return out;
  }

  const RankCalls& calls_;
  const std::vector<std::uint32_t>& first_;
  std::uint32_t begin_;
  std::uint32_t kinds_ = 0;
  std::vector<std::uint32_t> kind_;  // by call of the loop
  std::vector<Parts> parts_;
  std::vector<double> lost_;                // by iteration
  std::vector<std::size_t> calls_of_;       // by kind
  std::vector<std::size_t> iterations_of_;  // by kind: that have it
};

}  // namespace

IterationTimes iteration_times(const Trace& trace, const CallPaths& paths,
                               std::span<const WaitState> waits,
                               const std::vector<std::uint32_t>& first_call, std::int32_t rank) {
  if (first_call.empty()) return {};
  return LoopCalls(trace, paths, waits, first_call, rank).times();
}

}  // namespace slackline
